import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, ValidationTypes } from 'class-validator';
import { type Fault, invalidInput } from '../fault';
import type { FaultsOf } from './checks';
import { factsOf } from './facts';
import { jsonFaults, MAX_FAULTS, nested } from './json-faults';

/** A DTO, or every fault of the input. */
type Judgement<Dto> = { dto: Dto; faults?: undefined } | { dto?: undefined; faults: Fault[] };

/** The term for the input's fields in messages. */
type FieldKind = 'field' | 'query parameter';

/** Turns input into its DTO, or throws a 400 that lists every fault. */
export function judgeOrThrow<Dto extends object>(metatype: Type<Dto>, input: unknown, kind?: FieldKind): Dto {
  // Only judge() creates instances of a DTO, so what a controller passes to a service is not judged twice.
  if (fieldsOf(metatype).size > 0 && input instanceof metatype) return input;
  const { dto, faults } = judge(metatype, input, kind);
  if (faults) throw invalidInput(faults);
  return dto;
}

/**
 * Judges input by the checks of its DTO and reports every fault. Nest's ValidationPipe cannot: it reports messages without
 * codes, and class-transformer drops a `__proto__` key before it can be rejected.
 */
export function judge<Dto extends object>(
  metatype: Type<Dto>,
  input: unknown,
  kind: FieldKind = 'field',
): Judgement<Dto> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { faults: [{ field: 'body', code: 'invalid', message: 'must be an object' }] };
  }
  const known = fieldsOf(metatype);
  const faults = new Map<string, Fault>();
  const report = (fault: Fault) => faults.has(fault.field) || faults.set(fault.field, fault);

  // Unknown keys must not reach the libraries: class-transformer drops `__proto__`, and class-validator takes
  // `hasOwnProperty` for a known field. Nested values must not reach class-transformer, which fails on a `constructor` key.
  const simple: Record<string, unknown> = {};
  const structured: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(input)) {
    if (faults.size >= MAX_FAULTS) break;
    if (value === undefined) continue; // not in JSON; programs pass it for an absent field
    jsonFaults(key, value, known.get(key)?.levelsAround).forEach(report);
    if (!known.has(key)) {
      report({ field: nested('', key), code: 'unknown', message: `is not a known ${kind}` });
    } else if (typeof value === 'object' && value !== null) structured[key] = value;
    else simple[key] = value;
  }
  const dto = Object.assign(plainToInstance(metatype, simple), structured);
  for (const [field, { conditions, checks }] of known) {
    const value = dto[field as keyof Dto];
    if (!conditions.every((isChecked) => isChecked(dto, value))) continue;
    for (const faultsOf of checks) for (const fault of faultsOf(value, field)) report({ field, ...fault });
  }
  return faults.size > 0 ? { faults: [...faults.values()] } : { dto };
}

/** A field of a DTO: a property with a check. */
interface Field {
  /** The levels of nesting that it may have in addition. */
  levelsAround: number;
  /** It is checked if all of these hold. */
  conditions: ((dto: object, value: unknown) => boolean)[];
  checks: FaultsOf[];
}

const fields = new Map<Type, Map<string, Field>>();

/** Reads the decorators once. validateSync() would for each object, and that takes longer than the checks themselves. */
function fieldsOf(metatype: Type): Map<string, Field> {
  let known = fields.get(metatype);
  if (!known) {
    known = new Map();
    const facts = factsOf(metatype.prototype) as Record<string, { levelsAround?: number }>;
    const decorators = getMetadataStorage().getTargetValidationMetadatas(metatype, '', false, false);
    for (const { propertyName, type, constraints, context } of decorators) {
      const { levelsAround = 0 } = facts[propertyName] ?? {};
      const field = known.get(propertyName) ?? { levelsAround, conditions: [], checks: [] };
      known.set(propertyName, field);
      if (type === ValidationTypes.CONDITIONAL_VALIDATION) field.conditions.push(constraints[0]);
      else field.checks.push((context as { faultsOf: FaultsOf }).faultsOf);
    }
    fields.set(metatype, known);
  }
  return known;
}
