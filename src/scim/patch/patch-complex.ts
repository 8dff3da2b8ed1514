import type { Operation } from './patch-body';
import { isWritable } from '../schema/resource';
import { type Attribute } from '../schema/attribute';
import {
  type Complex,
  isAbsent,
  isObject,
  objectOf,
  single,
  unwrapped,
  type Value,
  valueOf,
} from '../schema/values';

/** An operation on its target. `isWhole`: it replaces an existing complex value instead of merging into it. */
export type Change = { op: Operation['op']; given: unknown; isWhole: boolean };

/** A single complex value after a change of it or of one of its sub-attributes; undefined if nothing is left. */
export function patchedComplex(
  attribute: Attribute,
  old: Complex,
  sub: Attribute | undefined,
  { op, given, isWhole }: Change,
): Value | undefined {
  const one = op === 'remove' ? undefined : unwrapped(sub ?? attribute, given);
  if (sub) return withSub(old, sub, valueOf(sub, one));
  if (isAbsent(one)) return undefined;
  // The bare id of another manager does not keep the name of the one before.
  return isWhole || !isObject(one) ? single(attribute, one) : merged(attribute, old, one);
}

/** The complex value with the given sub-attributes; null and "" remove a sub-attribute. */
export function merged(attribute: Attribute, old: Complex, given: unknown): Complex {
  return partsOf(attribute, given).reduce((value, [sub, part]) => withSub(value, sub, part), old);
}

/** The writable sub-attributes that are given, with their values. */
export function partsOf(attribute: Attribute, given: unknown): [sub: Attribute, value: Value | undefined][] {
  const subs = new Map(attribute.subAttributes!.map((sub) => [sub.name.toLowerCase(), sub]));
  return Object.entries(objectOf(attribute, given)).flatMap(([name, part]) => {
    const sub = subs.get(name.toLowerCase());
    return sub && isWritable(sub) ? [[sub, valueOf(sub, part)]] : [];
  });
}

/** The same object if nothing changes. */
export function withSub(old: Complex, { name }: Attribute, value: Value | undefined): Complex {
  if (old[name] === value) return old;
  if (value !== undefined) return { ...old, [name]: value };
  const { [name]: _old, ...others } = old;
  return others;
}
