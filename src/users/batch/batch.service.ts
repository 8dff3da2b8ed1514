import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../database/database';
import { violates } from '../../database/errors';
import type { Caller } from '../../http/caller';
import type { IdempotentRequest } from '../../http/input/idempotency-key';
import { IdempotencyKeys } from '../../idempotency/idempotency-keys';
import type { NewText } from '../search/search-texts';
import { Vocabulary } from '../search/vocabulary/vocabulary';
import { answerOf, atomicRefusal } from './batch-answer';
import { type Decision, decide, keysOf, type ValidatedRow, validateRow } from './batch-rules';
import { findUsers, findUsersLocked, writeUsers } from './batch-writes';
import type { BatchDto } from './batch.dto';
import type { BatchAnswerView } from './batch.view';

/** No attempt begins later than this: other requests may create the same users again and again. */
const RETRY_BUDGET_MS = 8_000;

/** Creates and changes many users at once, in one transaction. */
@Injectable()
export class BatchService {
  constructor(
    private readonly database: Database,
    private readonly idempotencyKeys: IdempotencyKeys,
    private readonly vocabulary: Vocabulary,
  ) {}

  /**
   * With a request, returns what the same request has done before. Throws a 400, or a 409 if only emails are taken, if an atomic
   * batch has a failure. Whenever it throws, nothing is written.
   */
  async run(
    by: Caller,
    batch: BatchDto,
    request?: IdempotentRequest,
  ): Promise<{ answer: BatchAnswerView; isReplay: boolean }> {
    const { organizationId } = by;
    const rows = batch.users.map((row) => validateRow(row, batch.mode));
    if (batch.dryRun) {
      const known = await this.database.read(organizationId, (manager) =>
        findUsers(manager, organizationId, keysOf(rows)),
      );
      return { answer: answerOrThrow(decide(rows, known, batch.mode), batch), isReplay: false };
    }
    let learnt: NewText[] = [];
    const work = async (manager: EntityManager) => {
      const { decisions, texts } = await write(manager, by, batch, rows);
      learnt = texts;
      // Without a success there is nothing to replay.
      return { response: answerOrThrow(decisions, batch), isKept: decisions.some(isAccepted) };
    };
    const { response, isReplay } = await retryLostRaces(async () =>
      request
        ? this.idempotencyKeys.runOnce(organizationId, request, work, 'heavy')
        : { ...(await this.database.write(organizationId, work, 'heavy')), isReplay: false },
    );
    if (!isReplay) await this.vocabulary.learn(this.database, organizationId, learnt);
    return { answer: response, isReplay };
  }
}

/** Locks the users with the emails of the rows, decides what becomes of each row, and writes that. */
async function write(
  manager: EntityManager,
  by: Caller,
  { mode, atomic }: BatchDto,
  rows: readonly ValidatedRow[],
): Promise<{ decisions: Decision[]; texts: NewText[] }> {
  const known = await findUsersLocked(manager, by.organizationId, keysOf(rows));
  const decisions = decide(rows, known, mode);
  if (atomic && !decisions.every(isAccepted)) return { decisions, texts: [] };
  return { decisions, texts: await writeUsers(manager, by, known) };
}

const isAccepted = ({ outcome }: Decision) => outcome !== 'refused';

function answerOrThrow(decisions: Decision[], { atomic, dryRun }: BatchDto): BatchAnswerView {
  const refusal = atomic ? atomicRefusal(decisions) : undefined;
  if (refusal) throw refusal;
  return answerOf(decisions, dryRun);
}

/** If another request has created a user with one of the emails meanwhile, the next attempt finds that user. */
async function retryLostRaces<Result>(run: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + RETRY_BUDGET_MS;
  for (let attempt = 1; performance.now() < deadline; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!violates(error, 'users_organization_id_email_key_key')) throw error;
      await sleep(Math.random() * attempt * 10);
    }
  }
  throw new ServiceUnavailableException('Other requests keep creating the same users. Try again.');
}
