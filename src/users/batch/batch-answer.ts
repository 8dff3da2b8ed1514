import { BadRequestException } from '@nestjs/common';
import { conflict, type Fault, listed } from '../../platform/http/fault';
import type { RowOutcome } from './batch-rules';
import type { BatchDto } from './batch.dto';
import type { BatchResultView, BatchAnswerView } from './batch.view';

/** If the elements of a batch together have more faults than this, the response names only the first fault of each. */
const MAX_IN_ALL = 1_000;

/**
 * The response to a batch; `outcomes` are those of its elements, in order. If the batch is atomic and one of them is a
 * failure, throws a 400, or a 409 if the only failures are taken values.
 */
export function answerOf(
  outcomes: readonly RowOutcome[],
  { atomic, dryRun }: Pick<BatchDto, 'atomic' | 'dryRun'>,
): BatchAnswerView {
  const refusal = atomic ? atomicRefusal(outcomes) : undefined;
  if (refusal) throw refusal;
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  for (const { kind } of outcomes) counts[kind === 'refused' ? 'failed' : kind]++;
  const shown = shownFaults(outcomes);
  return { results: outcomes.map((outcome, index) => resultOf(outcome, index, dryRun, shown)), counts };
}

function resultOf(
  outcome: RowOutcome,
  index: number,
  dryRun: boolean,
  shown: (faults: readonly Fault[]) => Fault[],
): BatchResultView {
  if (outcome.kind === 'refused') {
    const failure = { index, id: null, version: null };
    const errors = shown(outcome.faults);
    if (isNotFound(errors)) return { ...failure, status: 404, code: 'not_found' };
    if (isConflict(errors)) return { ...failure, status: 409, code: 'conflict', errors };
    return { ...failure, status: 400, code: 'validation_failed', errors };
  }
  const { kind, user } = outcome;
  if (kind === 'created') {
    return { index, status: 201, id: dryRun ? null : user.id, version: dryRun ? null : 1 };
  }
  const { version } = user.stored!;
  return { index, status: 200, id: user.id, version: kind === 'updated' ? version + 1 : version };
}

/** The error of an atomic batch, if one of its elements fails. */
function atomicRefusal(outcomes: readonly RowOutcome[]): Error | undefined {
  const failures = outcomes.flatMap((outcome, index) =>
    outcome.kind === 'refused' ? [{ index, faults: outcome.faults }] : [],
  );
  if (failures.length === 0) return undefined;
  const count = countFaults(outcomes);
  const shown = shownFaults(outcomes);
  const faults = failures.flatMap(({ index, faults }) =>
    shown(faults).map((fault) => ({
      ...fault,
      field: fault.field === 'body' ? `users.${index}` : `users.${index}.${fault.field}`,
    })),
  );
  if (!failures.every(({ faults }) => isConflict(faults))) {
    const message = count === 1 ? '1 field is invalid.' : `${count} fields are invalid.`;
    return new BadRequestException({ statusCode: 400, code: 'validation_failed', message, errors: faults });
  }
  const value = faults.every(({ field }) => field.endsWith('.email')) ? 'email' : 'value';
  const message =
    faults.length === 1 ? `1 ${value} is already used.` : `${faults.length} ${value}s are already used.`;
  return conflict(message, faults);
}

/** The faults that the response names for each element. */
const shownFaults = (outcomes: readonly RowOutcome[]) =>
  countFaults(outcomes) > MAX_IN_ALL ? (faults: readonly Fault[]) => faults.slice(0, 1) : listed;

const countFaults = (outcomes: readonly RowOutcome[]) =>
  outcomes.reduce((sum, outcome) => sum + (outcome.kind === 'refused' ? outcome.faults.length : 0), 0);

const isNotFound = (faults: readonly Fault[]) => faults[0].code === 'not_found';
const isConflict = (faults: readonly Fault[]) => faults[0].code === 'taken';
