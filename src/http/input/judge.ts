import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { type Fault, invalidInput } from '../fault';
import type { FaultsOf } from './checks';
import { jsonFaults, nested } from './json-faults';

/** A DTO, or all that is wrong with the input. */
export type Judgement<Dto> = { dto: Dto; faults?: undefined } | { dto?: undefined; faults: Fault[] };

/** The DTO that the input becomes; a 400 that lists every fault otherwise. */
export function judged<Dto extends object>(metatype: Type<Dto>, input: unknown): Dto {
  // Only judge() creates instances, so a service that is called by a controller does not judge twice.
  if (input instanceof metatype) return input;
  const { dto, faults } = judge(metatype, input);
  if (faults) throw invalidInput(faults);
  return dto;
}

/**
 * Judges input by the checks of its DTO, and reports every fault. Nest's own pipe cannot do this: it knows messages but no
 * codes, and class-transformer drops a key `__proto__` before anything can refuse it.
 */
export function judge<Dto extends object>(metatype: Type<Dto>, input: unknown): Judgement<Dto> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { faults: [{ field: 'body', code: 'invalid', message: 'must be an object' }] };
  }
  const known = fieldsOf(metatype);
  const faults = new Map<string, Fault>();
  const report = (fault: Fault) => faults.has(fault.field) || faults.set(fault.field, fault);

  // Neither library may meet an unknown key: one drops `__proto__`, the other takes `hasOwnProperty` for a known one.
  // Nor may class-transformer meet the contents of a value: it fails on a key `constructor`.
  const simple: Record<string, unknown> = {};
  const structured: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined) continue; // JSON has none; a program means that the field is absent
    jsonFaults(key, value).forEach(report);
    if (!known.has(key)) report({ field: nested('', key), code: 'unknown', message: 'is not a known field' });
    else if (typeof value === 'object' && value !== null) structured[key] = value;
    else simple[key] = value;
  }
  const dto = Object.assign(plainToInstance(metatype, simple), structured);
  for (const error of validateSync(dto, { forbidUnknownValues: false })) {
    for (const { faultsOf } of Object.values(error.contexts ?? {}) as { faultsOf: FaultsOf }[]) {
      for (const fault of faultsOf(error.value, error.property)) report({ field: error.property, ...fault });
    }
  }
  return faults.size > 0 ? { faults: [...faults.values()] } : { dto };
}

const fields = new Map<Type, Set<string>>();

/** The fields that a DTO knows: those with a check. */
function fieldsOf(metatype: Type): Set<string> {
  let known = fields.get(metatype);
  if (!known) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(metatype, '', false, false);
    known = new Set(metadata.map(({ propertyName }) => propertyName));
    fields.set(metatype, known);
  }
  return known;
}
