import { applyDecorators } from '@nestjs/common';
import { IsObject } from 'class-validator';
import type { FaultCode } from '../../platform/http/fault';
import { fault, hasCharacters, Satisfies } from '../../platform/http/input/checks';

export const MAX_KEYS = 16;
const MAX_KEY_CHARACTERS = 64;
const MAX_BYTES = 16 * 1024;

/** Parsed, 16 KB of empty objects take 340 KB. */
const MAX_VALUES = 1_000;

/** A check of each key, among the permitted number of keys. The fault names those that fail it. */
const Keys = (
  name: string,
  limit: number,
  isAtFault: (key: string) => boolean,
  code: FaultCode,
  message: string,
) => {
  const keysAtFault = (value: unknown) => Object.keys(Object(value)).slice(0, MAX_KEYS).filter(isAtFault);
  const isValid = (value: unknown) => keysAtFault(value).length === 0;
  return Satisfies(name, [limit], isValid, fault(code, message, { keysAtFault }));
};

const tooLong = `must have at most ${MAX_KEY_CHARACTERS} characters`;
const isLong = (key: string) => hasCharacters(key, MAX_KEY_CHARACTERS + 1);

/** An object whose keys have permitted lengths. */
const ObjectOfKeys = () =>
  applyDecorators(
    IsObject(fault('invalid', 'must be an object')),
    Keys('minKeyLength', 1, (key) => key === '', 'too_short', 'must not be empty'),
    Keys('maxKeyLength', MAX_KEY_CHARACTERS, isLong, 'too_long', tooLong),
  );

const Values = (max: number, message: string) =>
  Satisfies('maxValues', [], (value) => hasFewValues(value, max), fault('too_many', message));

/**
 * An object: at most 16 keys of 1 to 64 characters, at most 1,000 values in it at all levels, at most 16 KB as compact
 * JSON. The body's check limits its depth.
 */
export const UserMetadata = () =>
  applyDecorators(
    ObjectOfKeys(),
    Satisfies(
      'maxKeys',
      [MAX_KEYS],
      (value) => Object.keys(Object(value)).length <= MAX_KEYS,
      fault('too_many', `must have at most ${MAX_KEYS} keys`),
    ),
    Satisfies('maxBytes', [], isSmall, fault('too_long', 'must be at most 16 KB as JSON')),
    Values(MAX_VALUES, 'must have at most 1,000 values'),
  );

/**
 * A change of metadata, whose result is checked. It removes at most all values, and adds as many. Its keys are checked
 * here, so that their faults are reported together with those of other fields.
 */
export const MetadataPatch = () =>
  applyDecorators(ObjectOfKeys(), Values(2 * MAX_VALUES, 'must have at most 2,000 values in a merge patch'));

/** Counts objects, arrays and scalars at every level, and stops when there are too many. */
function hasFewValues(metadata: unknown, max: number): boolean {
  const found = Object.values(Object(metadata) as object);
  for (const value of found) {
    if (found.length > max) return false;
    if (typeof value === 'object' && value !== null)
      for (const child of Object.values(value)) found.push(child);
  }
  return found.length <= max;
}

function isSmall(value: unknown): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(value)) <= MAX_BYTES;
  } catch {
    return false; // a stack overflow: a value nested that deep is larger
  }
}
