import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../platform/database/database';
import type { Caller } from '../../../platform/http/caller';
import type { IdempotentRequest } from '../../../platform/http/input/idempotency-key';
import { IdempotencyKeys } from '../../../platform/idempotency/idempotency-keys';
import { NOT_FOUND } from '../../batch/batch-failures';
import { type Owners, takeValues } from '../../batch/batch-rules';
import { type BatchRun, runBatch } from '../../batch/run-batch';
import { UserLifecycle } from '../../user/user-lifecycle';
import { type BatchRestoreDto, IDENTITIES } from './batch-delete.dto';
import type { BatchRestoreAnswerView } from './batch-delete.view';
import { type Element, type ElementOutcome, elementsOf, keysOf, resultsOf } from './elements';
import { findDeleted, findOwners, restoreUsers, type StoredDeletedUser } from './restoration';

/** Restores many deleted users at once, in one transaction. */
@Injectable()
export class BatchRestoreService {
  constructor(
    private readonly database: Database,
    private readonly idempotencyKeys: IdempotencyKeys,
    private readonly lifecycle: UserLifecycle,
  ) {}

  /**
   * With an idempotent request, a repetition gets the first response. If an atomic batch has a failure, throws a 400,
   * or a 409 if the only failures are taken values. If it throws, nobody is restored.
   */
  async run(
    by: Caller,
    batch: BatchRestoreDto,
    request?: IdempotentRequest,
  ): Promise<BatchRun<BatchRestoreAnswerView>> {
    const { organizationId } = by;
    const elements = await elementsOf(batch.users, 'id', IDENTITIES.id);
    const decided = async (manager: EntityManager, isLocked: boolean) => {
      const found = await findDeleted(manager, organizationId, keysOf(elements), { isLocked });
      const { outcomes, restored } = decide(
        elements,
        found,
        await findOwners(manager, organizationId, found),
      );
      const results = resultsOf(outcomes, 200, batch);
      const counts = { restored: restored.length, failed: outcomes.length - restored.length };
      return { restored, response: { results, counts } };
    };
    if (batch.dryRun) {
      const read = (manager: EntityManager) => decided(manager, false);
      const { response } = await this.database.read(organizationId, read, 'heavy');
      return { answer: response, isReplay: false };
    }
    return runBatch(this.database, this.idempotencyKeys, organizationId, request, async (manager) => {
      const { restored, response } = await decided(manager, true);
      await restoreUsers(manager, by, restored, this.lifecycle);
      // Without a success there is nothing to replay.
      return { response, isKept: restored.length > 0 };
    });
  }
}

/** The outcomes of the elements, and the users of those that succeed, in order. Of equal values the first one wins. */
function decide(
  elements: readonly Element[],
  found: readonly StoredDeletedUser[],
  owners: Owners,
): { outcomes: ElementOutcome[]; restored: StoredDeletedUser[] } {
  const left = new Map(found.map((user) => [user.id, user]));
  const restored: StoredDeletedUser[] = [];
  const outcomes = elements.map(({ id = null, faults }): ElementOutcome => {
    const user = id === null ? undefined : left.get(id);
    if (!user) return { id, faults: faults ?? [NOT_FOUND] };
    const fault = takeValues(owners, user.id, user);
    if (fault) return { id, faults: [fault] };
    left.delete(user.id);
    restored.push(user);
    return { id, version: user.version + 1 };
  });
  return { outcomes, restored };
}
