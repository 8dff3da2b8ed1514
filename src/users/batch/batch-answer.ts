import { BadRequestException } from '@nestjs/common';
import { conflict, type Fault, listed, MAX_FAULTS } from '../../http/fault';
import { EMAIL_TAKEN } from '../user/email-taken';
import type { Decision } from './batch-rules';
import type { BatchResultView, BatchAnswerView } from './batch.view';

/** The answer to a batch; `decisions` are those of its elements, in their order. */
export function answerOf(decisions: readonly Decision[], dryRun: boolean): BatchAnswerView {
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  for (const { outcome } of decisions) counts[outcome === 'refused' ? 'failed' : outcome]++;
  return { results: decisions.map((decision, index) => resultOf(decision, index, dryRun)), counts };
}

function resultOf(decision: Decision, index: number, dryRun: boolean): BatchResultView {
  if (decision.outcome === 'refused') {
    const { faults } = decision;
    return isTaken(faults)
      ? { index, status: 409, id: null, version: null, code: 'conflict', errors: faults }
      : { index, status: 400, id: null, version: null, code: 'validation_failed', errors: listed(faults) };
  }
  const { outcome, user } = decision;
  if (outcome === 'created') {
    return { index, status: 201, id: dryRun ? null : user.id, version: dryRun ? null : 1 };
  }
  const { version } = user.stored!;
  return { index, status: 200, id: user.id, version: outcome === 'updated' ? version + 1 : version };
}

/** The refusal of an atomic batch with these decisions, if one is a failure. */
export function atomicRefusal(decisions: readonly Decision[]): Error | undefined {
  const failures = decisions.flatMap((decision, index) =>
    decision.outcome === 'refused' ? [{ index, faults: decision.faults }] : [],
  );
  if (failures.length === 0) return undefined;
  const count = failures.reduce((sum, { faults }) => sum + faults.length, 0);
  // Each failure is named, however many faults one of them has.
  const faults = failures.flatMap(({ index, faults }) =>
    faults.slice(0, count > MAX_FAULTS ? 1 : count).map((fault) => ({
      ...fault,
      field: fault.field === 'body' ? `users.${index}` : `users.${index}.${fault.field}`,
    })),
  );
  if (!failures.every(({ faults }) => isTaken(faults))) {
    const message = count === 1 ? '1 field is invalid.' : `${count} fields are invalid.`;
    return new BadRequestException({ statusCode: 400, code: 'validation_failed', message, errors: faults });
  }
  const message =
    faults.length === 1 ? '1 email is already used.' : `${faults.length} emails are already used.`;
  return conflict(message, faults);
}

const isTaken = (faults: readonly Fault[]) => faults[0] === EMAIL_TAKEN;
