import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { isEmail, ValidateBy, ValidateIf } from 'class-validator';
import { ID_SUFFIX, type IdPrefix, isId } from '../../database/id';
import type { Fault } from '../fault';
import { EMAIL_PATTERN } from './email-pattern';
import { Facts } from './facts';

type FieldFault = Omit<Fault, 'field'>;

/** Lists the faults of a field's value. A fault inside the value has its path in `field`. */
export type FaultsOf = (value: unknown, field: string) => (FieldFault & { field?: string })[];

/**
 * The value of the property must pass `faultsOf`, which class-validator carries to `judge()`. `facts` states the same rule
 * in JSON Schema, as far as JSON Schema can express it.
 */
export const Check = (faultsOf: FaultsOf, facts: object = {}) =>
  applyDecorators(
    ValidateBy(
      {
        name: 'check',
        validator: { validate: (value, args) => faultsOf(value, args?.property ?? '').length === 0 },
      },
      { message: 'is invalid', context: { faultsOf } }, // without a message, class-validator drops the context
    ),
    Facts(facts),
  );

/** The property may be absent; `null` does not count as absent. */
export const Optional = () =>
  applyDecorators(
    ValidateIf((_object, value) => value !== undefined),
    Facts({ optional: true }),
  );

/** The property must be absent. Its fault is "immutable", which says more than "unknown". */
export const Immutable = () =>
  applyDecorators(
    Optional(),
    Check(() => [{ code: 'immutable', message: 'cannot be changed' }], { refused: true }),
  );

/** Text of `min` to `max` characters (Unicode code points) after trimming. */
export const Text = (min: number, max: number) =>
  applyDecorators(Trimmed(), Check(textFaults(min, max), trimmedText(min, max)));

/** The same, of at most `maxWords` words. */
export const Words = (
  min: number,
  max: number,
  maxWords: number,
  wordsOf: (text: string) => readonly unknown[],
) =>
  applyDecorators(
    Trimmed(),
    Check(
      (value, field) => {
        const faults = textFaults(min, max)(value, field);
        if (faults.length > 0 || wordsOf(value as string).length <= maxWords) return faults;
        return [{ code: 'too_many', message: `must have at most ${maxWords} words` }];
      },
      trimmedText(min, max),
    ),
  );

/** An email address of at most 254 characters, trimmed, otherwise kept as given. */
export const Email = () =>
  applyDecorators(
    Trimmed(),
    Check(
      (value, field) => {
        const faults = textFaults(1, 254)(value, field);
        if (faults.length > 0) return faults;
        // isEmail() throws on a lone surrogate. The normalized form is the one compared, so it must be valid too.
        const text = value as string;
        const normalized = text.normalize('NFKC');
        if (text.isWellFormed() && isEmail(text) && (normalized === text || isEmail(normalized))) return [];
        return [{ code: 'invalid', message: 'must be an email address' }];
      },
      { type: 'string', pattern: EMAIL_PATTERN, maxLength: 254 },
    ),
  );

/** One of a closed set of strings. */
export const OneOf = (values: readonly string[]) =>
  Check(
    (value) => {
      if (value === undefined) return [required];
      if (typeof value === 'string' && values.includes(value)) return [];
      return [{ code: 'invalid', message: `must be one of ${values.join(', ')}` }];
    },
    { type: 'string', enum: values },
  );

/** `true` or `false`. */
export const Flag = () =>
  Check(
    (value) => (typeof value === 'boolean' ? [] : [{ code: 'invalid', message: 'must be true or false' }]),
    { type: 'boolean' },
  );

/** An id with one of these prefixes, whether or not anything has it. */
export const Id = (...prefixes: IdPrefix[]) =>
  Check(
    (value) => {
      if (typeof value === 'string' && prefixes.some((prefix) => isId(prefix, value))) return [];
      return [{ code: 'invalid', message: `must be an id, which begins with ${prefixes.join('_ or ')}_` }];
    },
    { type: 'string', pattern: `^(${prefixes.join('|')})_${ID_SUFFIX}$` },
  );

const INSTANT = String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$`;

/** Date.parse() takes 30 February for 2 March. */
const isDay = (day: string) => {
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
};

/** A time with its zone, as in RFC 3339. PostgreSQL has no year 0. */
export const Instant = () =>
  Check(
    (value) => {
      const time =
        typeof value === 'string' && new RegExp(INSTANT).test(value) && isDay(value.slice(0, 10))
          ? Date.parse(value)
          : NaN;
      if (!Number.isNaN(time) && /^(?!0000)\d{4}-/.test(new Date(time).toISOString())) return [];
      return [{ code: 'invalid', message: 'must be a time such as 2026-01-31T09:30:00.000Z' }];
    },
    { type: 'string', format: 'date-time', pattern: INSTANT },
  );

/** A whole number in a query string. */
export const WholeNumber = (min: number, max: number) =>
  applyDecorators(
    Transform(({ value }) =>
      typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value,
    ),
    Check(
      (value) => {
        if (typeof value !== 'number') return [{ code: 'invalid', message: 'must be a whole number' }];
        if (value >= min && value <= max) return [];
        return [{ code: 'out_of_range', message: `must be from ${min} to ${max}` }];
      },
      { type: 'integer', minimum: min, maximum: max },
    ),
  );

const required: FieldFault = { code: 'required', message: 'is required' };

/** The facts of text that is trimmed: without the pattern, white space alone would be long enough. */
const trimmedText = (min: number, max: number) => ({
  type: 'string',
  minLength: min,
  maxLength: max,
  pattern: min === 1 ? '\\S' : `\\S[\\s\\S]{${min - 2},}\\S`,
});

const Trimmed = () => Transform(({ value }) => (typeof value === 'string' ? value.trim() : value));

export const textFaults =
  (min: number, max: number): FaultsOf =>
  (value) => {
    if (value === undefined) return [required];
    if (typeof value !== 'string') return [{ code: 'invalid', message: 'must be a string' }];
    const length = codePoints(value, max + 1);
    if (length < min) {
      const message = min === 1 ? 'must not be empty' : `must have at least ${min} characters`;
      return [{ code: 'too_short', message }];
    }
    if (length > max) return [{ code: 'too_long', message: `must have at most ${max} characters` }];
    return [];
  };

/** Counts Unicode code points, up to `limit`. */
function codePoints(text: string, limit: number): number {
  let count = 0;
  for (const _character of text) if (++count === limit) break;
  return count;
}
