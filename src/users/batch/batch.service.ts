import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../platform/database/database';
import type { Caller } from '../../platform/http/caller';
import { mapGivingWay } from '../../platform/fairness/give-way';
import type { IdempotentRequest } from '../../platform/http/input/idempotency-key';
import { IdempotencyKeys } from '../../platform/idempotency/idempotency-keys';
import { UserLifecycle } from '../user/user-lifecycle';
import { answerOf } from './batch-answer';
import { decide, validateRow } from './batch-rules';
import { findUsers, writeUsers } from './batch-writes';
import type { BatchDto } from './batch.dto';
import type { BatchAnswerView } from './batch.view';
import { type BatchRun, runBatch } from './run-batch';

/** Creates and changes many users at once, in one transaction. */
@Injectable()
export class BatchService {
  constructor(
    private readonly database: Database,
    private readonly idempotencyKeys: IdempotencyKeys,
    private readonly lifecycle: UserLifecycle,
  ) {}

  /**
   * With an idempotent request, a repetition gets the first response. If an atomic batch has a failure, throws a 400,
   * or a 409 if the only failures are taken values. If it throws, nothing is written.
   */
  async run(by: Caller, batch: BatchDto, request?: IdempotentRequest): Promise<BatchRun<BatchAnswerView>> {
    const { organizationId } = by;
    const rules = { mode: batch.mode, keyField: batch.by ?? 'email', merge: batch.merge ?? false } as const;
    const rows = await mapGivingWay(batch.users, (row) => validateRow(row, rules));
    if (batch.dryRun) {
      const find = (manager: EntityManager) =>
        findUsers(manager, organizationId, rows, rules.keyField, { isLocked: false });
      const users = await this.database.read(organizationId, find, 'heavy');
      return { answer: answerOf(await decide(rows, users, rules), batch), isReplay: false };
    }
    const work = async (manager: EntityManager) => {
      const users = await findUsers(manager, organizationId, rows, rules.keyField, { isLocked: true });
      const outcomes = await decide(rows, users, rules);
      const response = answerOf(outcomes, batch);
      const accepted = outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? [] : outcome.user));
      const changed = accepted.filter(({ changes }) => changes);
      await writeUsers(manager, by, changed, this.lifecycle);
      // Without a success there is nothing to replay.
      return { response, isKept: accepted.length > 0 };
    };
    return runBatch(this.database, this.idempotencyKeys, organizationId, request, work);
  }
}
