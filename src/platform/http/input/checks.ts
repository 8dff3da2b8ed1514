import { applyDecorators } from '@nestjs/common';
// It has had no release since 2021, so only this is used, and `plainToInstance` for flat objects in validate.ts.
import { Transform } from 'class-transformer';
// The index of class-validator also loads libphonenumber-js, for a check that is not used here.
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  isEmail,
  IsIn,
  IsInt,
  IsString,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  type ValidationOptions,
} from 'class-validator';
import { ID_SUFFIX } from '../../database/id';
import type { FaultCode } from '../fault';

/** The context of a failed check, which `validate()` reads. */
export interface FaultContext {
  code: FaultCode;
  message: string;
  /** The keys of the value that are at fault, if it is not the value as a whole. */
  keysAtFault?: (value: unknown) => string[];
}

/**
 * The options of a check: the fault of a value that fails it. An absent value is `required`, whichever check it fails.
 * Only the first failed check of a field is reported. `applyDecorators()` keeps the order of checks; separate
 * decorators run from the last to the first. The message of class-validator names the field, for the `ValidationPipe`
 * of a host.
 */
export const fault = (
  code: FaultCode,
  message: string,
  context?: Pick<FaultContext, 'keysAtFault'>,
): ValidationOptions => ({ message: `$property ${message}`, context: { code, message, ...context } });

/** A check that class-validator does not have. It gets values of any type, and the input that they belong to. */
export const Satisfies = (
  name: string,
  constraints: unknown[],
  isValid: (value: unknown, input: object) => boolean,
  options: ValidationOptions,
) =>
  ValidateBy(
    { name, constraints, validator: { validate: (value, args) => isValid(value, args!.object) } },
    options,
  );

/** The property may be absent; `null` does not count as absent. */
export const Optional = () => ValidateIf((_object, value) => value !== undefined);

/** The property may be absent or `null`. */
export const Nullable = () => ValidateIf((_object, value) => value !== undefined && value !== null);

/** The property must be absent. Its fault is "immutable", which says more than "unknown". */
export const Immutable = () =>
  applyDecorators(
    Optional(),
    Satisfies('isAbsent', [], () => false, fault('immutable', 'cannot be changed')),
  );

/** Text of `min` to `max` characters (Unicode code points) after trimming. */
export const Text = (min: number, max: number) =>
  applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.trim() : value)),
    IsString(fault('invalid', 'must be a string')),
    // MinLength and MaxLength of class-validator do not count variation selectors.
    Satisfies(
      'minLength',
      [min],
      (value) => typeof value === 'string' && hasCharacters(value, min),
      fault('too_short', min === 1 ? 'must not be empty' : `must have at least ${min} characters`),
    ),
    MaxCharacters(max),
  );

/** Text of at most `max` characters, as it is. */
export const MaxCharacters = (max: number) =>
  Satisfies(
    'maxLength',
    [max],
    (value) => typeof value === 'string' && !hasCharacters(value, max + 1),
    fault('too_long', `must have at most ${max} characters`),
  );

/** An email address of at most 254 characters, trimmed, otherwise kept as given. */
export const Email = () =>
  applyDecorators(
    Text(1, 254),
    Satisfies('isEmail', [], isAddress, fault('invalid', 'must be an email address')),
  );

/** One of a closed set of strings. */
export const OneOf = (values: readonly string[]) =>
  IsIn(values, fault('invalid', `must be one of ${values.join(', ')}`));

/** A list of at least one of these values, each once. `name` is the term for one of them in messages. */
export const SomeOf = (values: readonly string[], name: string, message: string) =>
  applyDecorators(
    IsArray(fault('invalid', message)),
    IsIn(values, { ...fault('invalid', message), each: true }),
    ArrayMinSize(1, fault('too_short', `must name at least one ${name}`)),
    // ArrayUnique of class-validator compares each element with each.
    Satisfies(
      'arrayUnique',
      [],
      (value) => Array.isArray(value) && new Set(value).size === value.length,
      fault('invalid', `must not name a ${name} twice`),
    ),
  );

/** Several values: by commas in a query string, and from a program also as an array. */
const Several = () =>
  applyDecorators(
    Transform(({ value }) => (typeof value === 'string' ? value.split(',') : value)),
    IsArray(fault('invalid', 'must be a list')),
    ArrayMinSize(1, fault('too_short', 'must not be empty')),
  );

/** One of a closed set of strings, or several of them. */
export const SeveralOf = (values: readonly string[]) =>
  applyDecorators(
    Several(),
    IsIn(values, {
      ...fault('invalid', `must be one of ${values.join(', ')}, or several by commas`),
      each: true,
    }),
  );

/** The property may be there only if another one has one of these values. */
export const OnlyWith = (other: string, ...values: string[]) =>
  Satisfies(
    'isOnlyWith',
    [other, ...values],
    (_value, input) => values.includes((input as Record<string, string>)[other]),
    fault('invalid', `is allowed only if ${other} is ${values.join(' or ')}`),
  );

/** The property may be there only if another one is not. */
export const NotWith = (other: string) =>
  Satisfies(
    'isNotWith',
    [other],
    (_value, input) => (input as Record<string, unknown>)[other] === undefined,
    fault('invalid', `is not allowed together with ${other}`),
  );

/** `true` or `false`. */
export const Flag = () => IsBoolean(fault('invalid', 'must be true or false'));

/** `true` or `false` in a query string. */
export const FlagText = () =>
  applyDecorators(
    Transform(({ value }) => (value === 'true' ? true : value === 'false' ? false : value)),
    Flag(),
  );

/** An id with one of these prefixes, whether or not anything has it. */
export const Id = (...prefixes: string[]) =>
  Matches(
    new RegExp(`^(${prefixes.join('|')})_${ID_SUFFIX}$`),
    fault('invalid', `must be an id, which begins with ${prefixes.join('_ or ')}_`),
  );

/** Up to `max` ids with this prefix. */
export const Ids = (prefix: string, max: number) =>
  applyDecorators(
    Several(),
    ArrayMaxSize(max, fault('too_many', `must have at most ${max} ids`)),
    Matches(new RegExp(`^${prefix}_${ID_SUFFIX}$`), {
      ...fault('invalid', `must be ids, which begin with ${prefix}_, by commas`),
      each: true,
    }),
  );

/** A time with its zone, as in RFC 3339. PostgreSQL has no year 0. */
export const Instant = () =>
  Satisfies(
    'isInstant',
    [INSTANT],
    isInstant,
    fault('invalid', 'must be a time such as 2026-01-31T09:30:00.000Z'),
  );

/** A whole number in a query string. */
export const WholeNumber = (min: number, max: number) => {
  const outOfRange = fault('out_of_range', `must be from ${min} to ${max}`);
  return applyDecorators(
    Transform(({ value }) =>
      typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value,
    ),
    IsInt(fault('invalid', 'must be a whole number')),
    Min(min, outOfRange),
    Max(max, outOfRange),
  );
};

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the text has at least `count` code points. */
export function hasCharacters(text: string, count: number): boolean {
  let left = count;
  for (const _character of text) if (--left <= 0) return true;
  return left <= 0;
}

/** isEmail() throws on a lone surrogate. The normalized form is the one compared, so it must be valid too. */
export function isAddress(value: unknown): value is string {
  if (typeof value !== 'string' || !value.isWellFormed() || !isEmail(value)) return false;
  const normalized = value.normalize('NFKC');
  return normalized === value || isEmail(normalized);
}

export const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

export function isInstant(value: unknown): value is string {
  if (typeof value !== 'string' || !INSTANT.test(value)) return false;
  const day = value.slice(0, 10);
  const [midnight, time] = [day, value].map(toIso);
  return midnight.startsWith(day) && /^(?!0000)\d{4}-/.test(time); // Date.parse() turns 30 February into 2 March
}

const toIso = (text: string) => (Number.isNaN(Date.parse(text)) ? '' : new Date(text).toISOString());
