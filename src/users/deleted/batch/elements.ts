import type { Type } from '@nestjs/common';
import { isId } from '../../../platform/database/id';
import { mapGivingWay } from '../../../platform/fairness/give-way';
import type { Fault } from '../../../platform/http/fault';
import { validate } from '../../../platform/http/input/validate';
import { type Failure, resultOfFailure, shownFaults, throwIfAnyFails } from '../../batch/batch-failures';
import { type KeyField, keyOf } from '../../batch/batch-rules';

/** An element of a batch that names a user. */
export interface Element {
  /** The form in which what identifies the user is compared; undefined if it is not valid. */
  key?: string;
  /** Undefined if the element does not name the id of a user. */
  id?: string;
  faults?: Fault[];
}

/** Validates the elements, each of which has `keyField` alone. */
export const elementsOf = (
  users: readonly unknown[],
  keyField: KeyField,
  dto: Type<object>,
): Promise<Element[]> =>
  mapGivingWay(users, (user) => {
    const { dto: named, faults } = validate<Partial<Record<KeyField, string>>>(dto, user);
    if (faults) return { faults };
    const key = keyOf(named[keyField]!, keyField);
    return { key, id: keyField === 'id' && isId('usr', key) ? key : undefined };
  });

export const keysOf = (elements: readonly Element[]): string[] => [
  ...new Set(elements.flatMap(({ key }) => key ?? [])),
];

/** The outcome of an element: its faults, or the version of the user, which is null if it is deleted. */
export interface ElementOutcome {
  id: string | null;
  version?: number | null;
  faults?: Fault[];
}

/**
 * The results of the elements, with this status on success. If the batch is atomic and one of them is a failure, throws
 * a 400, or a 409 if the only failures are 409s.
 */
export function resultsOf<Status extends number>(
  outcomes: readonly ElementOutcome[],
  status: Status,
  { atomic }: { atomic: boolean },
) {
  const failures = outcomes.map(({ faults }): Failure => faults);
  if (atomic) throwIfAnyFails(failures);
  const shown = shownFaults(failures);
  return outcomes.map(({ id, version = null, faults }, index) => ({
    index,
    id,
    version,
    ...(faults ? resultOfFailure(shown(faults)) : { status }),
  }));
}
