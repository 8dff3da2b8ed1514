import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../platform/database/database';
import { isLocked, wasRolledBack } from '../../platform/database/errors';
import type { Caller } from '../../platform/http/caller';
import { mapGivingWay } from '../../platform/fairness/give-way';
import type { IdempotentRequest } from '../../platform/http/input/idempotency-key';
import { IdempotencyKeys } from '../../platform/idempotency/idempotency-keys';
import { lostRace, retryLostRaces } from '../user/unique-fields';
import { UserLifecycle } from '../user/user-lifecycle';
import { answerOf } from './batch-answer';
import { decide, validateRow } from './batch-rules';
import { findUsers, writeUsers } from './batch-writes';
import type { BatchDto } from './batch.dto';
import type { BatchAnswerView } from './batch.view';

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
  async run(
    by: Caller,
    batch: BatchDto,
    request?: IdempotentRequest,
  ): Promise<{ answer: BatchAnswerView; isReplay: boolean }> {
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
    const { response, isReplay } = await retryLostRaces(
      async () =>
        request
          ? this.idempotencyKeys.runOnce(organizationId, request, work, 'heavy')
          : { ...(await this.database.write(organizationId, work, 'heavy')), isReplay: false },
      isLostRace,
    ).catch((error) => {
      if (!isLostRace(error)) throw error;
      throw new ServiceUnavailableException('Other requests keep writing the same users. Try again.');
    });
    return { answer: response, isReplay };
  }
}

/**
 * If another request has taken one of the unique values meanwhile, the next attempt finds it. Two batches that wait for
 * each other's values are a deadlock. A lock that outlasts the lock timeout belongs to another batch in a slow process.
 */
const isLostRace = (error: unknown) => lostRace(error) || wasRolledBack(error) || isLocked(error);
