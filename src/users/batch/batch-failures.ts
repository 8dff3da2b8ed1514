import { BadRequestException } from '@nestjs/common';
import { conflict, type Fault, listed } from '../../platform/http/fault';

/** If the elements of a batch together have more faults than this, the response names only the first fault of each. */
const MAX_IN_ALL = 1_000;

/** The faults of an element; undefined if it is no failure. */
export type Failure = readonly Fault[] | undefined;

/** The fault of an element as a whole. */
export const NOT_FOUND: Fault = { field: 'body', code: 'not_found', message: 'does not exist' };

/** The fault of an element as a whole: a row of a host's table refers to the user. */
export const REFERENCED: Fault = {
  field: 'body',
  code: 'invalid',
  message: 'cannot be deleted, because a table of the application still refers to it',
};

export const userReferenced = () => conflict(`The user ${REFERENCED.message}.`);

/** A function for the faults that the response names of an element, of all whose failures are these. */
export const shownFaults = (failures: readonly Failure[]): ((faults: readonly Fault[]) => Fault[]) =>
  countFaults(failures) > MAX_IN_ALL ? (faults) => faults.slice(0, 1) : listed;

/** What the result of an element with these faults says of them. Only a field that is to blame is named. */
export function resultOfFailure(faults: Fault[]) {
  if (faults[0] === NOT_FOUND) return { status: 404, code: 'not_found' } as const;
  if (faults[0] === REFERENCED) return { status: 409, code: 'conflict' } as const;
  if (isConflict(faults)) return { status: 409, code: 'conflict', errors: faults } as const;
  return { status: 400, code: 'validation_failed', errors: faults } as const;
}

/** Throws the error of an atomic batch if one of its elements fails: a 400, or a 409 if the only failures are 409s. */
export function throwIfAnyFails(failures: readonly Failure[]): void {
  const failed = failures.flatMap((faults, index) => (faults ? [{ index, faults }] : []));
  if (failed.length === 0) return;
  const count = countFaults(failures);
  const shown = shownFaults(failures);
  const errors = failed.flatMap(({ index, faults }) =>
    shown(faults).map((fault) => ({
      ...fault,
      field: fault.field === 'body' ? `users.${index}` : `users.${index}.${fault.field}`,
    })),
  );
  if (failed.every(({ faults }) => isConflict(faults))) throw conflict(describeConflict(errors), errors);
  const message = count === 1 ? '1 field is invalid.' : `${count} fields are invalid.`;
  throw new BadRequestException({ statusCode: 400, code: 'validation_failed', message, errors });
}

function describeConflict(errors: Fault[]): string {
  const { length } = errors;
  if (errors[0].code !== 'taken')
    return `${length} ${length === 1 ? 'user' : 'users'} cannot be deleted, because a table of the application still refers to them.`;
  const value = errors.every(({ field }) => field.endsWith('.email')) ? 'email' : 'value';
  return length === 1 ? `1 ${value} is already used.` : `${length} ${value}s are already used.`;
}

const countFaults = (failures: readonly Failure[]) =>
  failures.reduce((sum, faults) => sum + (faults?.length ?? 0), 0);

const isConflict = (faults: readonly Fault[]) => faults[0].code === 'taken' || faults[0] === REFERENCED;
