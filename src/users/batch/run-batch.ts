import type { EntityManager } from 'typeorm';
import type { Database } from '../../platform/database/database';
import { isLocked, wasRolledBack } from '../../platform/database/errors';
import { unavailable } from '../../platform/http/fault';
import type { IdempotentRequest } from '../../platform/http/input/idempotency-key';
import type { IdempotencyKeys, Outcome } from '../../platform/idempotency/idempotency-keys';
import { lostRace, retryLostRaces } from '../user/unique-fields';

/** The response to a batch, and whether it is the first one to a repeated request. */
export interface BatchRun<Answer> {
  answer: Answer;
  isReplay: boolean;
}

/**
 * Writes a batch in one transaction, and once if the request has an Idempotency-Key. If another request gets in its
 * way, it starts again, except in a transaction of the host, which still has its locks.
 */
export async function runBatch<Answer extends object>(
  database: Database,
  idempotencyKeys: IdempotencyKeys,
  organizationId: string,
  request: IdempotentRequest | undefined,
  work: (manager: EntityManager) => Promise<Outcome<Answer>>,
): Promise<BatchRun<Answer>> {
  const isRetried = (error: unknown) => !database.isJoined && isLostRace(error);
  const { response, isReplay } = await retryLostRaces(
    async () =>
      request
        ? idempotencyKeys.runOnce(organizationId, request, work, 'heavy')
        : { ...(await database.write(organizationId, work, 'heavy')), isReplay: false },
    isRetried,
  ).catch((error) => {
    if (!isRetried(error)) throw error;
    throw unavailable('Other requests keep writing the same users. Try again.');
  });
  return { answer: response, isReplay };
}

/**
 * If another request has taken one of the unique values meanwhile, the next attempt finds it. Two batches that wait for
 * each other's values are a deadlock. A lock that outlasts the lock timeout belongs to another batch in a slow process.
 */
const isLostRace = (error: unknown) => lostRace(error) || wasRolledBack(error) || isLocked(error);
