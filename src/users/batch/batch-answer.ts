import type { Fault } from '../../platform/http/fault';
import { resultOfFailure, shownFaults, throwIfAnyFails } from './batch-failures';
import type { RowOutcome } from './batch-rules';
import type { BatchDto } from './batch.dto';
import type { BatchResultView, BatchAnswerView } from './batch.view';

/**
 * The response to a batch; `outcomes` are those of its elements, in order. If the batch is atomic and one of them is a
 * failure, throws a 400, or a 409 if the only failures are taken values.
 */
export function answerOf(
  outcomes: readonly RowOutcome[],
  { atomic, dryRun }: Pick<BatchDto, 'atomic' | 'dryRun'>,
): BatchAnswerView {
  const failures = outcomes.map((outcome) => (outcome.kind === 'refused' ? outcome.faults : undefined));
  if (atomic) throwIfAnyFails(failures);
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  for (const { kind } of outcomes) counts[kind === 'refused' ? 'failed' : kind]++;
  const shown = shownFaults(failures);
  return { results: outcomes.map((outcome, index) => resultOf(outcome, index, dryRun, shown)), counts };
}

function resultOf(
  outcome: RowOutcome,
  index: number,
  dryRun: boolean,
  shown: (faults: readonly Fault[]) => Fault[],
): BatchResultView {
  if (outcome.kind === 'refused')
    return { index, id: null, version: null, ...resultOfFailure(shown(outcome.faults)) };
  const { kind, user } = outcome;
  if (kind === 'created') {
    return { index, status: 201, id: dryRun ? null : user.id, version: dryRun ? null : 1 };
  }
  const { version } = user.stored!;
  return { index, status: 200, id: user.id, version: kind === 'updated' ? version + 1 : version };
}
