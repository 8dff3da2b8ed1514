import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../database/database';
import { isLocked, wasRolledBack } from '../../database/errors';
import { retry } from '../../database/retry';
import type { Caller } from '../../http/caller';
import { mapGivingWay } from '../../fairness/give-way';
import type { IdempotentRequest } from '../../http/input/idempotency-key';
import { IdempotencyKeys } from '../../idempotency/idempotency-keys';
import { lostRace } from '../user/unique-fields';
import { UserLifecycle } from '../user/user-lifecycle';
import { answerOf, atomicRefusal } from './batch-answer';
import {
  decide,
  keysOf,
  type KnownUser,
  type RowOutcome,
  type Rules,
  type ValidatedRow,
  validateRow,
} from './batch-rules';
import { findOwners, findUsers, findUsersLocked, newOnesFirst, writeUsers } from './batch-writes';
import { UniqueValues } from './unique-values';
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
   * or a 409 if the only failures are taken values. If it throws, nothing is written.
   */
  async run(
    by: Caller,
    batch: BatchDto,
    request?: IdempotentRequest,
  ): Promise<{ answer: BatchAnswerView; isReplay: boolean }> {
    const { organizationId } = by;
    const rules = { mode: batch.mode, by: batch.by ?? 'email' };
    const rows = await mapGivingWay(batch.users, (row) => validateRow(row, rules));
    if (batch.dryRun) {
      const work = async (manager: EntityManager) => {
        const known = await findUsers(manager, organizationId, keysOf(rows), rules.by);
        return (await outcomesOf(manager, organizationId, rows, known, rules)).outcomes;
      };
      const outcomes = await this.database.read(organizationId, work, 'heavy');
      return { answer: answerOrThrow(outcomes, batch), isReplay: false };
    }
    const work = async (manager: EntityManager) => {
      const outcomes = await this.write(manager, by, batch.atomic, rows, rules);
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

  /** Locks the users of the rows, decides the outcome of each row, and writes the changes. */
  private async write(
    manager: EntityManager,
    by: Caller,
    atomic: boolean,
    rows: readonly ValidatedRow[],
    rules: Rules,
  ): Promise<RowOutcome[]> {
    const { organizationId } = by;
    const known = await findUsersLocked(manager, organizationId, keysOf(rows), rules.by);
    const { outcomes, isOrdered } = await outcomesOf(manager, organizationId, rows, known, rules);
    if (atomic && !outcomes.every(isAccepted)) return outcomes;
    const changed = outcomes.flatMap((outcome) =>
      outcome.kind === 'created' || outcome.kind === 'updated' ? outcome.user : [],
    );
    await writeUsers(manager, by, isOrdered ? changed : newOnesFirst(changed), this.lifecycle);
    return outcomes;
  }
}

/** The outcome of each row, and whether the rows must be written in their order. */
async function outcomesOf(
  manager: EntityManager,
  organizationId: string,
  rows: readonly ValidatedRow[],
  known: Map<string, KnownUser>,
  rules: Rules,
): Promise<{ outcomes: RowOutcome[]; isOrdered: boolean }> {
  const owners = await findOwners(manager, organizationId, rows, rules.by);
  const values = new UniqueValues(
    owners,
    [...known.values()].flatMap(({ stored }) => stored ?? []),
  );
  const outcomes = await decide(rows, known, values, rules);
  return { outcomes, isOrdered: values.isHandedOver };
}

const isAccepted = ({ kind }: RowOutcome) => kind !== 'refused';

function answerOrThrow(outcomes: RowOutcome[], { atomic, dryRun }: BatchDto): BatchAnswerView {
  const refusal = atomic ? atomicRefusal(outcomes) : undefined;
  if (refusal) throw refusal;
  return answerOf(outcomes, dryRun);
}

/**
 * If another request has taken one of the unique values meanwhile, the next attempt finds it. Two batches that wait for
 * each other's values are a deadlock. A lock that outlasts the lock timeout belongs to another batch in a slow process.
 */
const isLostRace = (error: unknown) => lostRace(error) || wasRolledBack(error) || isLocked(error);

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
