import type { Fault } from '../fault';

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/** The permitted levels of objects and arrays in a field, counting the field's own value. */
const MAX_DEPTH = 8;

/**
 * Lists everything in a field of parsed JSON, at any depth, that cannot be stored and returned unchanged: NULs, lone
 * surrogates, numbers that JavaScript rounds, keys that reach a prototype, and nesting beyond the limit.
 */
export function jsonFaults(field: string, value: unknown): Fault[] {
  const faults: Fault[] = [];
  const addFault = (field: string, message: string) => {
    faults.push({ field, code: 'invalid', message });
  };

  const visit = (value: unknown, field: string, depth: number): void => {
    if (typeof value === 'string') {
      if (!isStorable(value)) addFault(field, 'must not contain a NUL or a lone surrogate');
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
        addFault(field, 'must be a finite number, and an integer within ±(2^53 − 1)');
      }
    } else if (typeof value === 'object' && value !== null) {
      if (depth > MAX_DEPTH) return addFault(field, `must not be nested deeper than ${MAX_DEPTH} levels`);
      for (const [key, child] of Object.entries(value)) visitKey(key, child, nested(field, key), depth + 1);
    }
  };
  const visitKey = (key: string, value: unknown, field: string, depth: number): void => {
    if (FORBIDDEN_KEYS.has(key)) addFault(field, 'is not allowed as a key');
    else if (!isStorable(key)) addFault(field, 'must not have a NUL or a lone surrogate in its key');
    else visit(value, field, depth);
  };
  visitKey(field, value, nested('', field), 1);
  return faults;
}

const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');

/** The path of a nested field. Long keys are shortened, because they come from the caller. */
export const nested = (field: string, key: string) => {
  const shown = key.length > 64 ? `${key.slice(0, 64).toWellFormed()}…` : key.toWellFormed();
  return field ? `${field}.${shown}` : shown;
};
