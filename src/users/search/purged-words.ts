import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Background } from '../../background/background';
import { DATABASE } from '../../database/data-source';
import { Lanes } from '../../database/lanes';
import { retryBroken } from '../../database/retry';
import { tableName } from '../../database/tables';
import { insertWords, vocabularyOf } from './vocabulary';
import { isWordUsed } from './word-use';

const LOOK_EVERY_MS = 60_000;

/** As in the sweep: a process may believe for a minute that a removed word is still stored, and a write takes a while. */
const LOOK_AGAIN_AFTER_MS = 120_000;

/** Beyond this many words none are looked at again; such a word is stored when somebody gets it the next time. */
const MAX_REMEMBERED = 100_000;

interface Removed {
  organizationId: string;
  words: string[];
  at: number;
}

/**
 * Removes the words of purged users from the vocabularies at once, which the sweep does only after a while. It too looks again
 * later, but at words that it has in memory: no table may have them any more.
 */
@Injectable()
export class PurgedWords implements OnModuleInit {
  private removed: Removed[] = [];

  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly background: Background,
    private readonly lanes: Lanes,
  ) {}

  onModuleInit(): void {
    const run = (signal: AbortSignal) => this.lookAgain(LOOK_AGAIN_AFTER_MS, signal);
    this.background.add({ name: 'look again at purged words', everyMs: LOOK_EVERY_MS, run });
  }

  /** Forgets the words of a deleted user that nobody has, those of its replaced texts included. */
  async forgetOf(organizationId: string, userId: string): Promise<void> {
    const sql = `SELECT text FROM ${this.table('replaced_texts')} WHERE organization_id = $1 AND user_id = $2`;
    const read = () => retryBroken(() => this.dataSource.query(sql, [organizationId, userId]));
    const texts: { text: string }[] = await this.lanes.run('quick', organizationId, read);
    const words = new Set(texts.flatMap(({ text }) => vocabularyOf(text)));
    const [, unused] = await this.byUse(organizationId, words);
    await this.forget(organizationId, unused);
    const remembered = this.removed.reduce((count, { words }) => count + words.length, unused.length);
    if (unused.length > 0 && remembered <= MAX_REMEMBERED)
      this.removed.push({ organizationId, words: unused, at: performance.now() });
  }

  /** Stores again the words that somebody has got meanwhile, and removes those that a slow write of the user has stored again. */
  async lookAgain(afterMs: number, signal?: AbortSignal): Promise<void> {
    const due = this.removed.filter(({ at }) => performance.now() - at >= afterMs);
    let failure: unknown;
    for (const entry of due) {
      if (signal?.aborted) return;
      try {
        await this.settle(entry);
        this.removed = this.removed.filter((other) => other !== entry);
      } catch (error) {
        failure = error; // those of other organizations do not wait for it
      }
    }
    if (failure !== undefined) throw failure;
  }

  private async settle({ organizationId, words }: Removed): Promise<void> {
    const [used, unused] = await this.byUse(organizationId, words);
    await insertWords(this.dataSource, organizationId, used);
    await this.forget(organizationId, unused);
  }

  private async byUse(
    organizationId: string,
    words: Iterable<string>,
  ): Promise<[used: string[], unused: string[]]> {
    const [used, unused]: [string[], string[]] = [[], []];
    for (const word of words) {
      const find = () => isWordUsed(this.dataSource, organizationId, word);
      ((await this.lanes.run('heavy', organizationId, find)) ? used : unused).push(word);
    }
    return [used, unused];
  }

  private async forget(organizationId: string, words: string[]): Promise<void> {
    if (words.length === 0) return;
    const sql = `DELETE FROM ${this.table('search_words')} WHERE organization_id = $1 AND word = ANY ($2)`;
    await this.lanes.run('write', organizationId, () =>
      this.dataSource.query(sql, [organizationId, words.sort()]),
    );
  }

  private table(name: string): string {
    return tableName(this.dataSource, name);
  }
}
