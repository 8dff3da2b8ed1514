import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Background, type Job } from '../../background/background';
import { DATABASE } from '../../database/data-source';
import type { Parameters } from '../../database/parameters';
import { tableName } from '../../database/tables';
import { insertWords, vocabularyOf } from './vocabulary';
import { isWordUsed } from './word-use';

/** How often the texts are gone through. */
const SWEEP_EVERY_MS = 10 * 60_000;

/**
 * A process may believe for a minute that a removed word is still stored, and not store it for a new user. So the sweep looks
 * again after that minute and the time that a write takes.
 */
const LOOK_AGAIN_AFTER = '2 minutes';

const ORGANIZATIONS_PER_ROUND = 1_000;

/** Of an organization, before others have their turn. */
const TEXTS_PER_BITE = 200;

/** A search text of a user. */
export interface UserText {
  userId: string;
  text: string;
}

interface ReplacedText {
  id: string;
  text: string;
  isSwept: boolean;
}

/**
 * Removes words from the vocabularies that no user of the organization has any more. Statements that change or delete a user
 * leave its replaced search text in `replaced_texts`; this goes through them, and rests as long as it works. Several processes
 * that do so at once do no harm.
 */
@Injectable()
export class VocabularySweep implements OnModuleInit {
  private readonly job: Job = {
    name: 'remove unused words from the vocabulary',
    everyMs: SWEEP_EVERY_MS,
    run: (signal) => this.sweep(LOOK_AGAIN_AFTER, signal),
  };

  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly background: Background,
  ) {}

  onModuleInit(): void {
    this.background.add(this.job);
  }

  /**
   * A step of a write in a host's transaction, which has the words of these search texts stored after the commit. Until such a
   * transaction ends, which may take long, others would wait to insert the same word.
   */
  learnStep(parameters: Parameters, organization: string, texts: readonly UserText[]): string[] {
    if (texts.length === 0) return [];
    const rows = texts.map(
      ({ userId, text }) =>
        `(${organization}, ${parameters.bind(userId)}, ${parameters.bind(text)}, '-infinity')`,
    );
    return [
      `introduced AS (
         INSERT INTO ${this.table('replaced_texts')} (organization_id, user_id, text, swept_at) VALUES ${rows.join(', ')}
       )`,
    ];
  }

  /** Has the texts gone through in a moment, when a transaction is probably over. */
  soon(): void {
    this.background.soon(this.job);
  }

  /** Goes through all texts that are due. Only the first statement of a round asks every node of a cluster. */
  async sweep(lookAgainAfter: string, signal?: AbortSignal): Promise<void> {
    let isDone = false;
    while (!isDone) {
      const organizations: { id: string }[] = await this.dataSource.query(
        `SELECT DISTINCT organization_id AS id FROM ${this.table('replaced_texts')}
         WHERE swept_at IS NULL OR swept_at < now() - $1::interval LIMIT ${ORGANIZATIONS_PER_ROUND}`,
        [lookAgainAfter],
      );
      isDone = organizations.length < ORGANIZATIONS_PER_ROUND;
      for (const { id } of organizations) {
        const count = await this.sweepOrganization(id, lookAgainAfter, signal);
        if (signal?.aborted) return;
        isDone &&= count < TEXTS_PER_BITE;
      }
    }
  }

  private async sweepOrganization(
    organizationId: string,
    lookAgainAfter: string,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const texts: ReplacedText[] = await this.dataSource.query(
      `SELECT id, text, swept_at IS NOT NULL AS "isSwept" FROM ${this.table('replaced_texts')}
       WHERE organization_id = $1 AND (swept_at IS NULL OR swept_at < now() - $2::interval)
       ORDER BY replaced_at, id LIMIT ${TEXTS_PER_BITE}`,
      [organizationId, lookAgainAfter],
    );
    // Most texts have words that many users have. Kept for longer, it would count a user who has been deleted meanwhile.
    const found = new Set<string>();
    for (const text of texts) {
      const startedAt = performance.now();
      await this.sweepText(organizationId, text, found, signal);
      if (signal?.aborted) break;
      await sleep(performance.now() - startedAt, undefined, { ref: false });
    }
    return texts.length;
  }

  /**
   * Removes the words of the text that nobody has; the second time, stores again those that somebody has got meanwhile. `found`
   * are the words of replaced texts that somebody has.
   */
  private async sweepText(
    organizationId: string,
    { id, text, isSwept }: ReplacedText,
    found: Set<string>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const [used, unused]: string[][] = [[], []];
    for (const word of vocabularyOf(text)) {
      if (signal?.aborted) return;
      const isUsed = found.has(word) || (await isWordUsed(this.dataSource, organizationId, word));
      if (isUsed) found.add(word);
      (isUsed ? used : unused).push(word);
    }
    const words = this.table('search_words');
    const key = [organizationId, id];
    if (isSwept) {
      await insertWords(this.dataSource, organizationId, used);
      await this.dataSource.query(
        `DELETE FROM ${this.table('replaced_texts')} WHERE organization_id = $1 AND id = $2`,
        key,
      );
    } else {
      await this.dataSource.query(`DELETE FROM ${words} WHERE organization_id = $1 AND word = ANY ($2)`, [
        organizationId,
        unused.sort(),
      ]);
      await this.dataSource.query(
        `UPDATE ${this.table('replaced_texts')} SET swept_at = now() WHERE organization_id = $1 AND id = $2`,
        key,
      );
    }
  }

  private table(name: string): string {
    return tableName(this.dataSource, name);
  }
}
