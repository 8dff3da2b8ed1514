import { setImmediate as turn } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { InTurn } from '../../database/in-turn';
import type { Lanes } from '../../database/lanes';
import { tableName } from '../../database/tables';
import type { Query } from './search-transaction';
import { decode, encode, hasCodesBeyondAscii, type QueryWord } from './search-text';
import { MAX_WORD_LENGTH, MIN_TYPO_LENGTH, oneEditFrom } from './spelling';

/** The name, the email and the metadata of a user add at most this many words each, so that no request can fill the vocabulary. */
const MAX_WORDS = 64;

interface NextWords {
  words: Set<string>;
  stored: Promise<void>;
}

/** Writes do not join a statement of more words, which would take long. */
const MAX_WORDS_AT_ONCE = 2_000;

/** At most this many words of the vocabulary stand in for one word of a query. */
const MAX_CANDIDATES = 20;

const MAX_REMEMBERED = 100_000;

/** Shorter than the sweep waits before it looks again at words that it has removed. */
const REMEMBERED_MS = 60_000;

/** The distinct words of a search text, as the vocabulary stores them: runs of letters. */
export const vocabularyOf = (text: string): string[] => [
  ...new Set(text.split(PART_MARK).flatMap(wordsOfPart)),
];

const PART_MARK = /\n[@#]/;

function wordsOfPart(part: string): string[] {
  // Most texts have no letters beyond ASCII, and need not be decoded.
  const words = hasCodesBeyondAscii(part) ? decode(part).match(/\p{L}+/gu) : part.match(/[a-z]+/g);
  const distinct = new Set<string>();
  for (const word of words ?? []) {
    const { length } = [...word];
    if (length >= MIN_TYPO_LENGTH - 1 && length <= MAX_WORD_LENGTH) distinct.add(word);
    if (distinct.size === MAX_WORDS) break;
  }
  return [...distinct];
}

/**
 * Adds the words of users who have been written to the vocabularies, in statements of their own: an insert waits for another
 * one of the same word, and would hold up the users. Misspelled queries are not corrected to a word that could not be added.
 */
export class Vocabulary {
  private known = new Map<string, Set<string>>();
  private count = 0;
  private since = 0;
  private readonly inserts = new InTurn();
  private readonly waiting = new Map<string, NextWords>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly lanes: Lanes,
  ) {}

  async learn(organizationId: string, words: string[]): Promise<void> {
    this.forgetOld();
    const known = this.known.get(organizationId);
    const added = words.filter((word) => !known?.has(word));
    if (added.length === 0) return;
    const waiting = this.waiting.get(organizationId);
    const next = waiting && waiting.words.size < MAX_WORDS_AT_ONCE ? waiting : this.next(organizationId);
    for (const word of added) next.words.add(word);
    await next.stored;
  }

  /** The next statement of the organization, and the words for it. Two at a time would wait for each other's words. */
  private next(organizationId: string): NextWords {
    const words = new Set<string>();
    const stored = this.inserts.run(organizationId, async () => {
      await turn();
      if (this.waiting.get(organizationId)?.words === words) this.waiting.delete(organizationId);
      await this.lanes
        .run('quick', organizationId, () => insertWords(this.dataSource, organizationId, [...words]))
        .then(
          () => this.remember(organizationId, words),
          () => {},
        );
    });
    const next = { words, stored };
    this.waiting.set(organizationId, next);
    return next;
  }

  private forgetOld(): void {
    if (this.count < MAX_REMEMBERED && performance.now() - this.since < REMEMBERED_MS) return;
    this.known = new Map();
    this.count = 0;
    this.since = performance.now();
  }

  /** Most words of a write are stored already. */
  private remember(organizationId: string, words: ReadonlySet<string>): void {
    this.count += words.size;
    const known = this.known.get(organizationId) ?? new Set();
    this.known.set(organizationId, known);
    // A copy, because V8 keeps the whole text alive for a substring that a regular expression matched.
    for (const word of words) known.add(Buffer.from(word).toString());
  }
}

/** Adds those of the words that the vocabulary lacks. As VALUES, because a cluster sends what is selected to all of its nodes. */
export async function insertWords(
  dataSource: DataSource,
  organizationId: string,
  words: readonly string[],
): Promise<void> {
  // The order prevents a deadlock between two statements that insert the same words.
  const sorted = [...words].sort();
  for (let i = 0; i < sorted.length; i += MAX_WORDS_AT_ONCE) {
    const added = sorted.slice(i, i + MAX_WORDS_AT_ONCE);
    const rows = added.map((_word, n) => `($1, $${n + 2})`);
    await dataSource.query(
      `INSERT INTO ${tableName(dataSource, 'search_words')} (organization_id, word) VALUES ${rows.join(', ')} ON CONFLICT DO NOTHING`,
      [organizationId, ...added],
    );
  }
}

/** A word of a query, with the words of the vocabulary that are one edit away. */
export interface Correction {
  word: QueryWord;
  candidates: { letters: string; text: string }[];
}

export async function correctionsOf(
  dataSource: DataSource,
  query: Query,
  organizationId: string,
  words: QueryWord[],
): Promise<Correction[]> {
  const edited = words.map(({ letters }) => (mayHaveTypo(letters) ? oneEditFrom(letters) : []));
  const rows = await query<{ word: string }>(
    // Each is looked up in the index; for a list of hundreds, the planner alone would take as long as the search.
    `SELECT word FROM unnest($2::text[]) AS edited,
     LATERAL (SELECT word FROM ${tableName(dataSource, 'search_words')} WHERE organization_id = $1 AND word = edited OFFSET 0) AS stored`,
    [organizationId, edited.flat()],
  );
  const stored = new Set(rows.map(({ word }) => word));
  return words.map((word, i) => ({
    word,
    candidates: edited[i]
      // Whoever has a word that contains the query's was looked for before.
      .filter((letters) => stored.has(letters) && !letters.includes(word.letters))
      .sort()
      .slice(0, MAX_CANDIDATES)
      .map((letters) => ({ letters, text: ` ${encode(letters)}` })),
  }));
}

const mayHaveTypo = (letters: string) => {
  const { length } = [...letters];
  return /^\p{L}+$/u.test(letters) && length >= MIN_TYPO_LENGTH && length <= MAX_WORD_LENGTH + 1;
};
