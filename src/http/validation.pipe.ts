import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import type { FaultsOf } from './checks';
import { type Fault, invalidInput } from './fault';
import { jsonFaults, nested } from './json-faults';

/**
 * Turns a body or a query into its DTO, or throws a 400 that lists every fault at once. Nest's own pipe cannot: it knows
 * messages and no codes, and class-transformer drops a key `__proto__` before anybody sees it.
 */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (!metatype || (type !== 'body' && type !== 'query')) return value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw invalidInput([{ field: 'body', code: 'invalid', message: 'must be an object' }]);
    }
    return validInput(metatype, value);
  }
}

/** The DTO that `input` becomes, or a throw of the 400 that lists every fault. */
export function validInput<Dto extends object>(metatype: Type<Dto>, input: object): Dto {
  if (valid.has(input)) return input as Dto;
  const { dto, faults } = validate(metatype, input);
  if (faults.length > 0) throw invalidInput(faults);
  valid.add(dto);
  return dto;
}

/** What has been judged: a service judges its input, and gets some from a pipe that already has. */
const valid = new WeakSet<object>();

function validate<Dto extends object>(metatype: Type<Dto>, input: object): { dto: Dto; faults: Fault[] } {
  const known = fieldsOf(metatype);
  const faults = new Map<string, Fault>();
  const report = (fault: Fault) => faults.has(fault.field) || faults.set(fault.field, fault);

  // Neither library may meet an unknown key: one drops `__proto__`, the other takes `hasOwnProperty` for a known one.
  // Nor may class-transformer meet what is inside a value: it fails on a key `constructor`.
  const simple: Record<string, unknown> = {};
  const structured: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined) continue; // which JSON has not, and a program means as absent
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
  return { dto, faults: [...faults.values()] };
}

const fields = new Map<Type, Set<string>>();

/** The names that a DTO knows: those that have a check. */
function fieldsOf(metatype: Type): Set<string> {
  let known = fields.get(metatype);
  if (!known) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(metatype, '', false, false);
    known = new Set(metadata.map(({ propertyName }) => propertyName));
    fields.set(metatype, known);
  }
  return known;
}
