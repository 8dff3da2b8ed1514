/**
 * What a column becomes: the name of a field, or `metadata.<key>` for one key of the metadata; undefined if it is left
 * out.
 */
export type Target = string | undefined;

const PREFIX = 'metadata.';

/** The target with this key. */
export const metadataTarget = (key: string): string => PREFIX + key;

/** The key of a target that is one of the metadata. */
export const keyOfTarget = (target: Target): string | undefined =>
  target?.startsWith(PREFIX) ? target.slice(PREFIX.length) : undefined;

/** The key that a column's name gives: all that follows the first dot, with `metadata` before it in any letter case. */
export const keyInName = (name: string): string | undefined => /^metadata\.(.*)$/is.exec(name.trim())?.[1];

/** The most keys that the metadata of a user can have. */
export const MAX_KEYS = 16;

const MAX_KEY_CHARACTERS = 64;
const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype'];

/** Why the service refuses a key in every row; undefined if it does not. */
export function keyFault(key: string): string | undefined {
  if (key === '') return 'must not be empty';
  if ([...key].length > MAX_KEY_CHARACTERS) return `must have at most ${MAX_KEY_CHARACTERS} characters`;
  if (FORBIDDEN_KEYS.includes(key) || key.includes('\0')) return 'is not allowed as a key';
}

/** Two columns that exclude each other. */
export interface Clash {
  target: string;
  columns: [number, number];
}

/** The first two columns with the same target, or one with the metadata as a whole and one with a key of it. */
export function clashOf(targets: readonly Target[]): Clash | undefined {
  const whole = targets.indexOf('metadata');
  for (const [at, target] of targets.entries()) {
    if (target === undefined) continue;
    const other = keyOfTarget(target) !== undefined && whole >= 0 ? whole : targets.indexOf(target);
    if (other !== at) return { target, columns: other < at ? [other, at] : [at, other] };
  }
}
