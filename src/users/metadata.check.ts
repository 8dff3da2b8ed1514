import { Check, textFaults } from '../http/input/checks';
import { nested } from '../http/input/json-faults';

const MAX_KEYS = 16;
const MAX_BYTES = 16 * 1024;
const keyFaults = textFaults(1, 64);

/** An object: at most 16 keys of 1 to 64 characters, at most 16 KB as compact JSON. The body's check limits its depth. */
export const Metadata = () =>
  Check(
    (value, field) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return [{ code: 'invalid', message: 'must be an object' }];
      }
      const keys = Object.keys(value);
      const faults = keys
        .slice(0, MAX_KEYS)
        .flatMap((key) => keyFaults(key, '').map((fault) => ({ ...fault, field: nested(field, key) })));
      if (keys.length > MAX_KEYS) {
        faults.push({ code: 'too_many', message: `must have at most ${MAX_KEYS} keys`, field });
      }
      if (isLargerThan(MAX_BYTES, value)) {
        faults.push({ code: 'too_long', message: 'must be at most 16 KB as JSON', field });
      }
      return faults;
    },
    {
      type: 'object',
      maxProperties: MAX_KEYS,
      additionalProperties: true,
      propertyNames: { minLength: 1, maxLength: 64 },
    },
  );

function isLargerThan(bytes: number, value: object): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(value)) > bytes;
  } catch {
    return true; // a stack overflow: a value nested that deep is larger
  }
}
