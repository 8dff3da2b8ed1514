import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../../platform/database/database';
import { rethrowReference } from '../../../platform/database/errors';
import type { Caller } from '../../../platform/http/caller';
import type { IdempotentRequest } from '../../../platform/http/input/idempotency-key';
import { IdempotencyKeys } from '../../../platform/idempotency/idempotency-keys';
import { NOT_FOUND, REFERENCED, userReferenced } from '../../batch/batch-failures';
import { type BatchRun, runBatch } from '../../batch/run-batch';
import { UserLifecycle } from '../../user/user-lifecycle';
import { UserPurge } from '../user-purge';
import { type BatchDeleteDto, IDENTITIES } from './batch-delete.dto';
import type { BatchDeleteAnswerView } from './batch-delete.view';
import { deleteLocked, keepDeleted, type LeavingUser, lockLeaving } from './deletion';
import { type Element, type ElementOutcome, elementsOf, keysOf, resultsOf } from './elements';

/** Deletes many users at once, in one transaction. */
@Injectable()
export class BatchDeleteService {
  constructor(
    private readonly database: Database,
    private readonly idempotencyKeys: IdempotencyKeys,
    private readonly purges: UserPurge,
    private readonly lifecycle: UserLifecycle,
  ) {}

  /**
   * With an idempotent request, a repetition gets the first response. If an atomic batch has a failure, throws a 400,
   * or a 409 if the only failures are references to users. If it throws, nothing is deleted.
   */
  async run(
    by: Caller,
    batch: BatchDeleteDto,
    request?: IdempotentRequest,
    database = this.database,
  ): Promise<BatchRun<BatchDeleteAnswerView>> {
    const { organizationId } = by;
    const elements = await elementsOf(batch.users, batch.by, IDENTITIES[batch.by]);
    const work = async (manager: EntityManager) => {
      const found = await lockLeaving(manager, organizationId, keysOf(elements), batch.by);
      const ids = [...found.values()].map(({ id }) => id);
      const referenced = await deleteLocked(manager, organizationId, ids);
      const { outcomes, deleted } = outcomesOf(elements, found, referenced);
      const results = resultsOf(outcomes, 204, batch);
      const counts = { deleted: deleted.length, failed: outcomes.length - deleted.length };
      const response: BatchDeleteAnswerView = { results, counts };
      // Only a deletion tells to whom a table of the host refers.
      if (batch.dryRun) throw new DryRun(response);
      await keepDeleted(manager, by, deleted, this.lifecycle);
      // Without a success there is nothing to replay.
      return { response, isKept: deleted.length > 0 };
    };
    const once = batch.dryRun ? undefined : request;
    const run = await runBatch(database, this.idempotencyKeys, organizationId, once, work).catch(
      (error: unknown) => {
        if (error instanceof DryRun) return { answer: error.answer, isReplay: false };
        return rethrowReference(userReferenced)(error);
      },
    );
    if (!run.isReplay && !batch.dryRun) await this.purge(database, by, run.answer);
    return run;
  }

  /** Purges the users who were deleted, if deleted users are not kept at all. */
  private async purge(database: Database, by: Caller, { results }: BatchDeleteAnswerView): Promise<void> {
    for (const { status, id } of results)
      if (status === 204) await this.purges.afterDelete(database, by, id!);
  }
}

/** Undoes a dry run. */
class DryRun {
  constructor(readonly answer: BatchDeleteAnswerView) {}
}

/** The outcomes of the elements, and the users of those that succeed, in order. */
function outcomesOf(
  elements: readonly Element[],
  found: ReadonlyMap<string, LeavingUser>,
  referenced: ReadonlySet<string>,
): { outcomes: ElementOutcome[]; deleted: LeavingUser[] } {
  const left = new Map(found);
  const deleted: LeavingUser[] = [];
  const outcomes = elements.map(({ key, id = null, faults }): ElementOutcome => {
    const user = key === undefined ? undefined : left.get(key);
    if (!user) return { id, faults: faults ?? [NOT_FOUND] };
    if (referenced.has(user.id)) return { id: user.id, faults: [REFERENCED] };
    left.delete(key!);
    deleted.push(user);
    return { id: user.id };
  });
  return { outcomes, deleted };
}
