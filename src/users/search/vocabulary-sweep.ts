import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Background, type Job } from '../../background/background';
import { DATABASE } from '../../database/data-source';
import type { Parameters } from '../../database/parameters';
import { tableName } from '../../database/tables';
import { encode } from './search-text';
import { vocabularyOf } from './vocabulary';

/** How often the texts are gone through. */
const SWEEP_EVERY_MS = 10 * 60_000;

/**
 * A process may believe for a minute that a removed word is still stored, and not store it for a new user. So the sweep looks
 * again after that minute and the time that a write takes.
 */
const LOOK_AGAIN_AFTER = '2 minutes';

const TEXTS_PER_BITE = 200;

/** If more users than this have the word or a longer one that begins with it, the word stays. */
const MAX_TEXTS = 200;

interface ReplacedText {
  organizationId: string;
  id: string;
  text: string;
  isSwept: boolean;
}

/**
 * Removes words from the vocabularies that no user of the organization has any more. Statements that change or delete a user
 * leave its former search text in `replaced_texts`; this goes through them, and rests as long as it works. Several processes
 * that do so at once do no harm.
 */
@Injectable()
export class VocabularySweep implements OnModuleInit {
  /**
   * Words found in use since the bite was read, by organization: most texts have words that many users have. Kept for longer, it
   * would count a user who has been deleted meanwhile.
   */
  private readonly used = new Map<string, Set<string>>();
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
  learnStep(parameters: Parameters, organization: string, texts: readonly string[]): string[] {
    if (texts.length === 0) return [];
    const rows = texts.map((text) => `(${organization}, ${parameters.bind(text)}, '-infinity')`);
    return [
      `introduced AS (
         INSERT INTO ${this.table('replaced_texts')} (organization_id, text, swept_at) VALUES ${rows.join(', ')}
       )`,
    ];
  }

  /** Has the texts gone through in a moment, when a transaction is probably over. */
  soon(): void {
    this.background.soon(this.job);
  }

  /** Goes through all texts that are due. */
  async sweep(lookAgainAfter: string, signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      this.used.clear();
      const texts = await this.due(lookAgainAfter);
      for (const text of texts) {
        const startedAt = performance.now();
        await this.sweepText(text, signal);
        if (signal?.aborted) return;
        await sleep(performance.now() - startedAt, undefined, { ref: false });
      }
      if (texts.length < TEXTS_PER_BITE) return;
    }
  }

  private due(lookAgainAfter: string): Promise<ReplacedText[]> {
    return this.dataSource.query(
      `SELECT organization_id AS "organizationId", id, text, swept_at IS NOT NULL AS "isSwept"
       FROM ${this.table('replaced_texts')} WHERE swept_at IS NULL OR swept_at < now() - $1::interval
       ORDER BY replaced_at, id LIMIT ${TEXTS_PER_BITE}`,
      [lookAgainAfter],
    );
  }

  /** Removes the words of the text that nobody has; the second time, stores again those that somebody has got meanwhile. */
  private async sweepText(
    { organizationId, id, text, isSwept }: ReplacedText,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const [used, unused]: string[][] = [[], []];
    for (const word of vocabularyOf(text)) {
      if (signal?.aborted) return;
      ((await this.isUsed(organizationId, word)) ? used : unused).push(word);
    }
    const words = this.table('search_words');
    const key = [organizationId, id];
    if (isSwept) {
      await this.dataSource.query(
        `INSERT INTO ${words} (organization_id, word) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`,
        [organizationId, used.sort()],
      );
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

  private async isUsed(organizationId: string, word: string): Promise<boolean> {
    const known = this.used.get(organizationId);
    if (known?.has(word)) return true;
    // Capitals after it may be a letter of another script or any other character. That is seen in the decoded text.
    const isUsed =
      (await this.textsWith(organizationId, `${encode(word)}($|[^a-zA-Z])`, 1)).length > 0 ||
      (await this.hasWord(organizationId, word));
    if (isUsed) this.used.set(organizationId, (known ?? new Set()).add(word));
    return isUsed;
  }

  private async hasWord(organizationId: string, word: string): Promise<boolean> {
    const texts = await this.textsWith(organizationId, `${encode(word)}[A-Z]`, MAX_TEXTS);
    return texts.length === MAX_TEXTS || texts.some((text) => vocabularyOf(text).includes(word));
  }

  private async textsWith(organizationId: string, wordAndEnd: string, limit: number): Promise<string[]> {
    const rows: { text: string }[] = await this.dataSource.query(
      `SELECT text FROM ${this.table('user_search')} WHERE organization_id = $1 AND text ~ $2 LIMIT ${limit}`,
      [organizationId, ` ${wordAndEnd}`],
    );
    return rows.map(({ text }) => text);
  }

  private table(name: string): string {
    return tableName(this.dataSource, name);
  }
}
