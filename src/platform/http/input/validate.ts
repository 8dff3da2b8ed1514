import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { type Fault, invalidInput } from '../fault';
import { type FaultContext, isObject } from './checks';
import { jsonFaults, levelsAround, MAX_FAULTS, nested } from './json-faults';
import { nearName } from './near-name';

/** A DTO, or every fault of the input. */
type ValidationResult<Dto> = { dto: Dto; faults?: undefined } | { dto?: undefined; faults: Fault[] };

/** The term for the input's fields in messages. */
type FieldKind = 'field' | 'query parameter';

/** Validation stops after this many fields. No DTO has that many, so the rest are unknown fields. */
const MAX_FIELDS = 2 * MAX_FAULTS;

/** Turns input into its DTO, or throws a 400 that lists every fault. */
export function validateOrThrow<Dto extends object>(
  metatype: Type<Dto>,
  input: unknown,
  kind?: FieldKind,
): Dto {
  const { dto, faults } = validate(metatype, input, kind);
  if (faults) throw invalidInput(faults);
  valid.add(dto);
  return dto;
}

/** The DTOs that have been validated: a host may make others. */
const valid = new WeakSet<object>();

/** The same for the input of a service, which a controller may have validated. */
export const validatedInput = <Dto extends object>(metatype: Type<Dto>, input: unknown): Dto =>
  input instanceof metatype && valid.has(input) ? input : validateOrThrow(metatype, input);

/**
 * Validates input by the decorators of its DTO and reports every fault, one for each path. Nest's ValidationPipe
 * cannot: it reports several for a path, and class-transformer drops `__proto__` before it can be rejected.
 */
export function validate<Dto extends object>(
  metatype: Type<Dto>,
  input: unknown,
  kind: FieldKind = 'field',
): ValidationResult<Dto> {
  if (!isObject(input)) return { faults: [{ field: 'body', code: 'invalid', message: 'must be an object' }] };
  const { known, writable } = fieldsOf(metatype);
  const faults = new Map<string, Fault>();
  const report = (fault: Fault) => {
    if (faults.size < MAX_FAULTS && !faults.has(fault.field)) faults.set(fault.field, fault);
  };

  // Nested values must not reach class-transformer, which fails on a `constructor` key.
  const simple: Record<string, unknown> = {};
  const structured: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(input).slice(0, MAX_FIELDS)) {
    if (faults.size >= MAX_FAULTS) break;
    if (value === undefined) continue; // not in JSON; programs pass it for an absent field
    jsonFaults(key, value, levelsAround(metatype, key)).forEach(report);
    // Not left to the libraries: they take `hasOwnProperty` for a known field, and need 3 µs for each unknown one.
    if (!known.has(key)) report(unknown(key, kind, writable));
    else if (kind === 'query parameter' && typeof value !== 'string') report(repeated(key));
    else if (typeof value === 'object' && value !== null) structured[key] = value;
    else simple[key] = value;
  }
  const dto = Object.assign(plainToInstance(metatype, simple), structured);
  for (const error of validateSync(dto, CHECK_OPTIONS)) faultsOf(error).forEach(report);
  return faults.size > 0 ? { faults: [...faults.values()] } : { dto };
}

const CHECK_OPTIONS = {
  forbidUnknownValues: false, // a class without checks: it has no known field
  validationError: { target: false },
};

interface Fields {
  /** Those with a check. */
  known: ReadonlySet<string>;
  /** Without those that are only declared to be refused. */
  writable: readonly string[];
}

const fields = new WeakMap<Type, Fields>();

/** The fields of a DTO. */
function fieldsOf(metatype: Type): Fields {
  const found = fields.get(metatype);
  if (found) return found;
  const checks = getMetadataStorage().getTargetValidationMetadatas(metatype, '', true, false);
  const refused = checks.filter(({ context }) => (context as FaultContext | undefined)?.code === 'immutable');
  const known = new Set(checks.map(({ propertyName }) => propertyName));
  const writable = new Set(known);
  for (const { propertyName } of refused) writable.delete(propertyName);
  const made = { known, writable: [...writable] };
  fields.set(metatype, made);
  return made;
}

/** The faults of a field, in the order of its checks. */
function faultsOf({ property, value, constraints = {}, contexts = {} }: ValidationError): Fault[] {
  return Object.keys(constraints).flatMap((name): Fault[] => {
    if (value === undefined) return [{ field: property, code: 'required', message: 'is required' }];
    const { code, message, keysAtFault } = contexts[name] as FaultContext;
    if (!keysAtFault) return [{ field: property, code, message }];
    return keysAtFault(value).map((key) => ({ field: nested(property, key), code, message }));
  });
}

const repeated = (key: string): Fault => ({
  field: nested('', key),
  code: 'invalid',
  message: 'must stand once; separate several values by commas, where they are permitted',
});

function unknown(key: string, kind: FieldKind, known: readonly string[]): Fault {
  const near = nearName(key, known);
  const message = `is not a known ${kind}${near === undefined ? '' : `; did you mean "${near}"?`}`;
  return { field: nested('', key), code: 'unknown', message };
}
