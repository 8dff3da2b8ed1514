import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../../database/data-source';
import { Lanes } from '../../database/lanes';
import type { Caller } from '../../http/caller';
import type { Claim } from '../../http/input/idempotency-key';
import { IdempotencyKeys } from '../../idempotency/idempotency-keys';
import { Vocabulary } from '../search/vocabulary';
import { wordsOf } from '../user-columns';
import { answerOf, atomicRefusal } from './batch-answer';
import { type Decision, judgeRow } from './batch-rules';
import { BatchWrites } from './batch-writes';
import type { BatchDto } from './batch.dto';
import type { BatchAnswerView } from './batch.view';

/** A batch waits no longer for its words to be stored; they only serve typos. */
const MAX_LEARNING_MS = 1_000;

/** Creates and changes many users at once, in one transaction. */
@Injectable()
export class BatchService {
  private readonly writes: BatchWrites;
  private readonly vocabulary: Vocabulary;

  constructor(
    @InjectDataSource(DATABASE) dataSource: DataSource,
    lanes: Lanes,
    private readonly idempotencyKeys: IdempotencyKeys,
  ) {
    this.writes = new BatchWrites(dataSource, lanes);
    this.vocabulary = new Vocabulary(dataSource, lanes);
  }

  /**
   * With a claim, returns what the same request has done before. Throws a 400, or a 409 if only emails are taken, if an atomic
   * batch has a failure. Whenever it throws, nothing is written.
   */
  async run(
    by: Caller,
    batch: BatchDto,
    claim?: Claim,
  ): Promise<{ answer: BatchAnswerView; isReplay: boolean }> {
    if (!claim || batch.dryRun) {
      return { answer: answerOrThrow(await this.write(by, batch), batch), isReplay: false };
    }
    const { result, answer } = await this.idempotencyKeys.once(
      by.organizationId,
      claim,
      () => this.write(by, batch, claim),
      (decisions) => decisions.every(isRefused) || (batch.atomic && decisions.some(isRefused)),
    );
    if (result) return { answer: answerOrThrow(result, batch), isReplay: false };
    return { answer: answer.fields as BatchAnswerView, isReplay: true };
  }

  private async write(by: Caller, batch: BatchDto, claim?: Claim): Promise<Decision[]> {
    const { users, mode, atomic, dryRun } = batch;
    const { organizationId } = by;
    const { decisions, written } = await this.writes.write(
      by,
      users.map((row) => judgeRow(row, mode)),
      {
        mode,
        atomic,
        dryRun,
        claim:
          claim &&
          ((query, decisions) =>
            this.idempotencyKeys.claim(query, organizationId, claim, answerOf(decisions, false))),
      },
    );
    // Afterwards, so that no request waits for the transaction because of a word.
    const learned = this.vocabulary.learn(organizationId, [...new Set(written.flatMap(wordsOf))]);
    await Promise.race([learned, sleep(MAX_LEARNING_MS, undefined, { ref: false })]);
    return decisions;
  }
}

const isRefused = ({ outcome }: Decision) => outcome === 'refused';

function answerOrThrow(decisions: Decision[], { atomic, dryRun }: BatchDto): BatchAnswerView {
  const refusal = atomic ? atomicRefusal(decisions) : undefined;
  if (refusal) throw refusal;
  return answerOf(decisions, dryRun);
}
