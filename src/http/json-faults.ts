import type { Fault } from './fault';

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** A body is at most this deep: a field of the body may itself be nested eight levels. */
const MAX_DEPTH = 9;

/**
 * What parsed JSON holds that cannot be stored and given back as it came, wherever it stands: NULs, lone surrogates,
 * numbers that JavaScript rounds, keys that reach a prototype, nesting beyond any limit.
 */
export function jsonFaults(body: unknown): Fault[] {
  const faults: Fault[] = [];
  const refuse = (field: string, message: string) => {
    faults.push({ field: field || 'body', code: 'invalid', message });
  };

  const visit = (value: unknown, field: string, depth: number): void => {
    if (typeof value === 'string') {
      if (!isStorable(value)) refuse(field, 'must not contain a NUL or a lone surrogate');
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
        refuse(field, 'must be a finite number, and an integer within ±(2^53 − 1)');
      }
    } else if (typeof value === 'object' && value !== null) {
      if (depth >= MAX_DEPTH) return refuse(field, 'must not be nested deeper than 8 levels');
      for (const [key, child] of Object.entries(value)) {
        const path = nested(field, key);
        if (FORBIDDEN_KEYS.has(key)) refuse(path, 'is not allowed as a key');
        else if (!isStorable(key)) refuse(path, 'must not have a NUL or a lone surrogate in its key');
        else visit(child, path, depth + 1);
      }
    }
  };
  visit(body, '', 0);
  return faults;
}

const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');

/** The name of a nested field. A long key is cut: it came from the caller and may be anything. */
export const nested = (field: string, key: string) => {
  const shown = key.length > 64 ? `${key.slice(0, 64).toWellFormed()}…` : key.toWellFormed();
  return field ? `${field}.${shown}` : shown;
};
