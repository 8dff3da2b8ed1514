import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Column, type EntityManager, Entity, In, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { Background, type Job } from '../../../background/background';
import { Database } from '../../../database/database';
import { query, sql } from '../../../database/sql';
import { ReplacedText } from './replaced-text.entity';
import { UserSearchText } from '../search-texts';
import { encode } from '../search-text';
import { insertWords, SearchWord, wordsOf } from './words';

const SWEEP_EVERY_MS = 10 * 60_000;

/** A text has up to 49 KB. */
const TEXTS_PER_ROUND = 20;
const WORDS_PER_ROUND = 1_000;

/** How many words a purge remembers, because most former texts of a user have the same ones. */
const MAX_SETTLED = 10_000;

/** The number of texts that are checked for a word: if so many contain it, or a longer word that begins with it, it counts as used. */
const MAX_TEXTS = 20;

/** By then, a write that was in progress when its user was purged has stored its words. */
const CHECK_AGAIN_AFTER = sql`interval '2 minutes'`;

/** A time in the future dates from before the database's clock was set back. */
const IS_DUE = sql`(purged_at < now() - ${CHECK_AGAIN_AFTER} OR purged_at > now() + interval '1 minute')`;

/** A purge, after which words that were stored around that time are checked again. It does not identify the user. */
@Entity('purges')
export class Purge {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: string;

  @Column({ name: 'purged_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  purgedAt: Date;
}

/**
 * Removes words that no user has any more from the vocabularies. Several processes may do so at once. It works half of the
 * time: after each text it pauses for as long as that text took.
 */
@Injectable()
export class VocabularySweep implements OnModuleInit {
  private readonly job: Job = {
    name: 'remove unused words from the vocabulary',
    everyMs: SWEEP_EVERY_MS,
    run: (signal) => this.sweep(signal),
  };

  constructor(
    private readonly database: Database,
    private readonly background: Background,
  ) {}

  onModuleInit(): void {
    this.background.add(this.job);
  }

  /** Sweeps in a moment, when the transaction of a host is probably over. */
  trigger(): void {
    this.background.trigger(this.job);
  }

  async sweep(signal?: AbortSignal): Promise<void> {
    await this.database.forEachOrganization(
      'remove unused words',
      (after, limit) => sql`
        SELECT DISTINCT organization_id AS id FROM ${ReplacedText} WHERE organization_id > ${after} ORDER BY 1 LIMIT ${limit}`,
      (organizationId) => this.sweepTexts(organizationId, signal),
      signal,
    );
    await this.database.forEachOrganization(
      'check words again',
      (after, limit) => sql`
        SELECT DISTINCT organization_id AS id FROM ${Purge}
        WHERE organization_id > ${after} AND ${IS_DUE} ORDER BY 1 LIMIT ${limit}`,
      (organizationId) => this.checkAgain(organizationId, signal),
      signal,
    );
  }

  /** Settles the words of all former texts of a user, for a purge. */
  async settleTextsOf(organizationId: string, userId: string, signal?: AbortSignal): Promise<void> {
    const settled = new Set<string>();
    for (;;) {
      signal?.throwIfAborted();
      const texts = await this.database.read(organizationId, (manager) =>
        manager.find(ReplacedText, {
          where: { organizationId, userId },
          order: { id: 'ASC' },
          take: TEXTS_PER_ROUND,
        }),
      );
      if (texts.length === 0) return;
      const words = new Set(texts.flatMap(({ text }) => wordsOf(text)).filter((word) => !settled.has(word)));
      await this.settle(organizationId, words);
      await this.discard(texts);
      if (settled.size > MAX_SETTLED) settled.clear();
      for (const word of words) settled.add(word);
    }
  }

  /**
   * Removes the words that no user has, and stores the others. A second check finds users who have got a removed word
   * meanwhile: users are committed before their words are stored.
   */
  async settle(organizationId: string, words: Iterable<string>): Promise<void> {
    const used: string[] = [];
    for (const word of words) {
      const isUsed = () =>
        this.database.read(organizationId, (manager) => isWordUsed(manager, organizationId, word), 'heavy');
      if (await isUsed()) used.push(word);
      else {
        const removal = sql`DELETE FROM ${SearchWord} WHERE organization_id = ${organizationId} AND word = ${word}`;
        await this.database.execute(organizationId, removal);
        if (await isUsed()) await insertWords(this.database, organizationId, [word]); // at once, so that a typo finds it
      }
    }
    await insertWords(this.database, organizationId, used);
  }

  private async sweepTexts(organizationId: string, signal: AbortSignal | undefined): Promise<void> {
    let texts: ReplacedText[];
    do {
      texts = await this.database.read(organizationId, (manager) =>
        manager.find(ReplacedText, {
          where: { organizationId },
          order: { id: 'ASC' },
          take: TEXTS_PER_ROUND,
        }),
      );
      for (const text of texts) {
        if (signal?.aborted) return;
        const startedAt = performance.now();
        await this.settle(organizationId, wordsOf(text.text));
        await this.discard([text]);
        await sleep(performance.now() - startedAt, undefined, { ref: false });
      }
    } while (texts.length === TEXTS_PER_ROUND);
  }

  private discard(texts: readonly ReplacedText[]): Promise<unknown> {
    const [{ organizationId }] = texts;
    const where = { organizationId, id: In(texts.map(({ id }) => id)) };
    return this.database.write(organizationId, (manager) => manager.delete(ReplacedText, where));
  }

  private async checkAgain(organizationId: string, signal: AbortSignal | undefined): Promise<void> {
    const purges = await this.database.read(organizationId, (manager) =>
      query<Purge>(
        manager,
        sql`SELECT organization_id AS "organizationId", id, purged_at AS "purgedAt" FROM ${Purge}
            WHERE organization_id = ${organizationId} AND ${IS_DUE} ORDER BY purged_at`,
      ),
    );
    if (purges.length === 0) return; // another process was faster
    let after = '';
    for (;;) {
      const words = await this.database.read(organizationId, (manager) =>
        wordsSince(manager, purges[0], after),
      );
      if (signal?.aborted) return;
      await this.settle(organizationId, words);
      if (words.length < WORDS_PER_ROUND) break;
      after = words[words.length - 1];
    }
    const where = { organizationId, id: In(purges.map(({ id }) => id)) };
    await this.database.write(organizationId, (manager) => manager.delete(Purge, where));
  }
}

/** Words that were stored at the time of the first purge or later. */
async function wordsSince(
  manager: EntityManager,
  { organizationId, purgedAt }: Purge,
  after: string,
): Promise<string[]> {
  const rows = await query<{ word: string }>(
    manager,
    sql`SELECT word FROM ${SearchWord}
        WHERE organization_id = ${organizationId} AND word > ${after} AND added_at > ${purgedAt}::timestamptz - ${CHECK_AGAIN_AFTER}
        ORDER BY word LIMIT ${WORDS_PER_ROUND}`,
  );
  return rows.map(({ word }) => word);
}

/** Whether a user of the organization has the word. */
async function isWordUsed(manager: EntityManager, organizationId: string, word: string): Promise<boolean> {
  // Capitals after the word may be a letter of another script or any other character, so these texts come second.
  for (const end of ['($|[^a-zA-Z])', '[A-Z]']) {
    const texts = await query<{ text: string }>(
      manager,
      sql`SELECT text FROM ${UserSearchText}
          WHERE organization_id = ${organizationId} AND text ~ ${` ${encode(word)}${end}`} LIMIT ${MAX_TEXTS}`,
    );
    // A text may have more words than it adds to the vocabulary.
    if (texts.length === MAX_TEXTS || texts.some(({ text }) => wordsOf(text).includes(word))) return true;
  }
  return false;
}
