import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../database/database';
import { isLocked } from '../../database/errors';
import { retry } from '../../database/retry';
import type { Caller } from '../../http/caller';
import { mapGivingWay } from '../../http/server/give-way';
import type { IdempotentRequest } from '../../http/input/idempotency-key';
import { IdempotencyKeys } from '../../idempotency/idempotency-keys';
import { lostRace } from '../user/unique-fields';
import { UserLifecycle } from '../user/user-lifecycle';
import { answerOf, atomicRefusal } from './batch-answer';
import { decide, keysOf, type RowOutcome, type ValidatedRow, validateRow } from './batch-rules';
import { findUserNames, findUsers, findUsersLocked, writeUsers } from './batch-writes';
import type { BatchDto } from './batch.dto';
import type { BatchAnswerView } from './batch.view';

/** No attempt is made after this time, because other requests may keep writing the same users. */
const RETRY_BUDGET_MS = 20_000;

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
   * or a 409 if the only failures are taken emails. If it throws, nothing is written.
   */
  async run(
    by: Caller,
    batch: BatchDto,
    request?: IdempotentRequest,
  ): Promise<{ answer: BatchAnswerView; isReplay: boolean }> {
    const { organizationId } = by;
    const rows = await mapGivingWay(batch.users, (row) => validateRow(row, batch.mode));
    if (batch.dryRun) {
      const outcomes = await this.database.read(organizationId, async (manager) => {
        const known = await findUsers(manager, organizationId, keysOf(rows));
        return decide(rows, known, await findUserNames(manager, organizationId, keysOf(rows)), batch.mode);
      });
      return { answer: answerOrThrow(outcomes, batch), isReplay: false };
    }
    const work = async (manager: EntityManager) => {
      const outcomes = await this.write(manager, by, batch, rows);
      // Without a success there is nothing to replay.
      return { response: answerOrThrow(outcomes, batch), isKept: outcomes.some(isAccepted) };
    };
    const { response, isReplay } = await retryLostRaces(async () =>
      request
        ? this.idempotencyKeys.runOnce(organizationId, request, work, 'heavy')
        : { ...(await this.database.write(organizationId, work, 'heavy')), isReplay: false },
    );
    return { answer: response, isReplay };
  }

  /** Locks the users with the emails of the rows, decides the outcome of each row, and writes the changes. */
  private async write(
    manager: EntityManager,
    by: Caller,
    { mode, atomic }: BatchDto,
    rows: readonly ValidatedRow[],
  ): Promise<RowOutcome[]> {
    const keys = keysOf(rows);
    const known = await findUsersLocked(manager, by.organizationId, keys);
    const userNames = await findUserNames(manager, by.organizationId, keys);
    const outcomes = await decide(rows, known, userNames, mode);
    if (!atomic || outcomes.every(isAccepted)) await writeUsers(manager, by, known, this.lifecycle);
    return outcomes;
  }
}

const isAccepted = ({ kind }: RowOutcome) => kind !== 'refused';

function answerOrThrow(outcomes: RowOutcome[], { atomic, dryRun }: BatchDto): BatchAnswerView {
  const refusal = atomic ? atomicRefusal(outcomes) : undefined;
  if (refusal) throw refusal;
  return answerOf(outcomes, dryRun);
}

/**
 * If another request has taken one of the emails or user names meanwhile, the next attempt finds it. A lock that
 * outlasts the lock timeout belongs to another batch in a slow process.
 */
const isLostRace = (error: unknown) => lostRace(error) || isLocked(error);

function retryLostRaces<Result>(run: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + RETRY_BUDGET_MS;
  const pauseAfter = (failures: number) => {
    const pauseMs = Math.random() * failures * 10;
    return performance.now() + pauseMs < deadline ? pauseMs : undefined;
  };
  return retry(run, isLostRace, pauseAfter).catch((error) => {
    if (!isLostRace(error)) throw error;
    throw new ServiceUnavailableException('Other requests keep writing the same users. Try again.');
  });
}
