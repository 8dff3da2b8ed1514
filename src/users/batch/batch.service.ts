import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../../database/data-source';
import { Lanes } from '../../database/lanes';
import type { Caller } from '../../http/caller';
import type { Claim } from '../../http/input/idempotency-key';
import { IdempotencyKeys } from '../../idempotency/idempotency-keys';
import { IdempotencyLeases } from '../../idempotency/idempotency-leases';
import { Vocabulary } from '../search/vocabulary';
import { wordsOf } from '../user-columns';
import { answerOf, atomicRefusal } from './batch-answer';
import { type Decision, judgeRow } from './batch-rules';
import { type Alongside, BatchWrites } from './batch-writes';
import type { BatchDto } from './batch.dto';
import type { BatchAnswerView } from './batch.view';

/** The elements of a transaction, unless the batch is atomic: others do not wait long for it. */
const MAX_ROWS = 100;

/** A batch waits no longer for its words to be stored; they only serve typos. */
const MAX_LEARNING_MS = 1_000;

/** Creates and changes many users at once. */
@Injectable()
export class BatchService {
  private readonly writes: BatchWrites;
  private readonly vocabulary: Vocabulary;

  constructor(
    @InjectDataSource(DATABASE) dataSource: DataSource,
    lanes: Lanes,
    private readonly idempotencyKeys: IdempotencyKeys,
    private readonly leases: IdempotencyLeases,
  ) {
    this.writes = new BatchWrites(dataSource, lanes);
    this.vocabulary = new Vocabulary(dataSource, lanes);
  }

  /**
   * With a claim, returns what the same request has done before. Throws a 400, or a 409 if only emails are taken, if an atomic
   * batch has a failure; nothing is written then.
   */
  async run(
    by: Caller,
    batch: BatchDto,
    claim?: Claim,
  ): Promise<{ answer: BatchAnswerView; isReplay: boolean }> {
    if (!claim || batch.dryRun) {
      const decisions = await this.write(by, batch);
      return { answer: answerOrThrow(decisions, batch), isReplay: false };
    }
    const { organizationId } = by;
    const hasFailed = (decisions: Decision[]) =>
      decisions.every(isRefused) || (batch.atomic && decisions.some(isRefused));
    // In a single transaction, the key is kept with what is written.
    const { result, answer } =
      batch.atomic || batch.users.length <= MAX_ROWS
        ? await this.idempotencyKeys.once(
            organizationId,
            claim,
            () =>
              this.write(by, batch, (query, decisions) =>
                this.idempotencyKeys.claim(query, organizationId, claim, answerOf(decisions, false)),
              ),
            hasFailed,
          )
        : await this.leases.once(
            organizationId,
            claim,
            (hold) => this.write(by, batch, hold),
            (decisions) => (hasFailed(decisions) ? undefined : answerOf(decisions, false)),
          );
    if (result) return { answer: answerOrThrow(result, batch), isReplay: false };
    return { answer: answer.fields as BatchAnswerView, isReplay: true };
  }

  private async write(by: Caller, batch: BatchDto, alongside?: Alongside): Promise<Decision[]> {
    const { users, mode, atomic, dryRun } = batch;
    const rules = { mode, mayRepeat: false };
    const accepted = new Set<string>();
    const size = atomic ? users.length : MAX_ROWS;
    const all: Decision[] = [];
    const words = new Set<string>();
    for (let i = 0; i < users.length; i += size) {
      const rows = users.slice(i, i + size).map((row) => judgeRow(row, mode));
      const options = { accepted, atomic, dryRun, alongside };
      const { decisions, written } = await this.writes.write(by, rows, rules, options);
      decisions.forEach(({ outcome }, n) => outcome !== 'refused' && accepted.add(rows[n].key!));
      all.push(...decisions);
      for (const word of written.flatMap(wordsOf)) words.add(word);
    }
    const learned = this.vocabulary.learn(by.organizationId, [...words]);
    await Promise.race([learned, sleep(MAX_LEARNING_MS, undefined, { ref: false })]);
    return all;
  }
}

const isRefused = ({ outcome }: Decision) => outcome === 'refused';

function answerOrThrow(decisions: Decision[], { atomic, dryRun }: BatchDto): BatchAnswerView {
  const refusal = atomic ? atomicRefusal(decisions) : undefined;
  if (refusal) throw refusal;
  return answerOf(decisions, dryRun);
}
