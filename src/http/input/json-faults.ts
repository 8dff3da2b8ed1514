import type { Fault } from '../fault';

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** Levels of objects and arrays in a field, itself the first. */
const MAX_DEPTH = 8;

/**
 * What a field of parsed JSON holds that cannot be stored and given back as it came, wherever it stands: NULs, lone surrogates,
 * numbers that JavaScript rounds, keys that reach a prototype, nesting beyond any limit.
 */
export function jsonFaults(field: string, value: unknown): Fault[] {
  const faults: Fault[] = [];
  const refuse = (field: string, message: string) => {
    faults.push({ field, code: 'invalid', message });
  };

  const visit = (value: unknown, field: string, depth: number): void => {
    if (typeof value === 'string') {
      if (!isStorable(value)) refuse(field, 'must not contain a NUL or a lone surrogate');
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
        refuse(field, 'must be a finite number, and an integer within ±(2^53 − 1)');
      }
    } else if (typeof value === 'object' && value !== null) {
      if (depth > MAX_DEPTH) return refuse(field, `must not be nested deeper than ${MAX_DEPTH} levels`);
      for (const [key, child] of Object.entries(value)) visitKey(key, child, nested(field, key), depth + 1);
    }
  };
  const visitKey = (key: string, value: unknown, field: string, depth: number): void => {
    if (FORBIDDEN_KEYS.has(key)) refuse(field, 'is not allowed as a key');
    else if (!isStorable(key)) refuse(field, 'must not have a NUL or a lone surrogate in its key');
    else visit(value, field, depth);
  };
  visitKey(field, value, nested('', field), 1);
  return faults;
}

const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');

/** The name of a nested field. A long key is cut: it came from the caller and may be anything. */
export const nested = (field: string, key: string) => {
  const shown = key.length > 64 ? `${key.slice(0, 64).toWellFormed()}…` : key.toWellFormed();
  return field ? `${field}.${shown}` : shown;
};
