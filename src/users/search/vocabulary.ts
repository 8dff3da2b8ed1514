import type { DataSource } from 'typeorm';
import { tableName } from '../../database/tables';
import type { Query } from './search-transaction';
import { decode, encode, type QueryWord } from './search-text';
import { MAX_WORD_LENGTH, MIN_TYPO_LENGTH, oneEditFrom } from './spelling';

/** A word of an organization's vocabulary, which the search uses to correct typos. */
export interface Word {
  organizationId: string;
  word: string;
}

/** The name, the email and the metadata of a user add at most this many words each, so that no request can fill the vocabulary. */
const MAX_WORDS = 64;

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
  const words = new Set<string>();
  for (const [word] of decode(part).matchAll(/\p{L}+/gu)) {
    const { length } = [...word];
    if (length >= MIN_TYPO_LENGTH - 1 && length <= MAX_WORD_LENGTH) words.add(word);
    if (words.size === MAX_WORDS) break;
  }
  return [...words];
}

/**
 * Adds the words of users who have been written to the vocabularies, in statements of their own: an insert waits for another
 * one of the same word, and would hold up the users. Misspelled queries are not corrected to a word that could not be added.
 */
export class Vocabulary {
  private known = new Map<string, Set<string>>();
  private count = 0;
  private since = 0;
  private inProgress: Promise<unknown> = Promise.resolve();

  constructor(private readonly dataSource: DataSource) {}

  async learn(words: Word[]): Promise<void> {
    this.forgetOld();
    const added = words.filter(({ organizationId, word }) => !this.known.get(organizationId)?.has(word));
    if (added.length === 0) return;
    // One statement at a time: two would wait for each other's words.
    const result = this.inProgress.then(() => this.insert(added));
    this.inProgress = result.catch(() => {});
    await result.then(
      () => this.remember(added),
      () => {},
    );
  }

  private insert(words: Word[]): Promise<unknown> {
    return this.dataSource.query(
      // The order prevents a deadlock between two statements that insert the same words.
      `INSERT INTO ${tableName(this.dataSource, 'search_words')} (organization_id, word)
       SELECT DISTINCT organization_id, word COLLATE "C" FROM unnest($1::text[], $2::text[]) AS added (organization_id, word)
       ORDER BY 1, 2 ON CONFLICT DO NOTHING`,
      [words.map(({ organizationId }) => organizationId), words.map(({ word }) => word)],
    );
  }

  private forgetOld(): void {
    if (this.count < MAX_REMEMBERED && performance.now() - this.since < REMEMBERED_MS) return;
    this.known = new Map();
    this.count = 0;
    this.since = performance.now();
  }

  /** Most words of a write are stored already. */
  private remember(words: Word[]): void {
    this.count += words.length;
    for (const { organizationId, word } of words) {
      // A copy, because V8 keeps the whole text alive for a substring that a regular expression matched.
      const copy = Buffer.from(word).toString();
      const known = this.known.get(organizationId);
      if (known) known.add(copy);
      else this.known.set(organizationId, new Set([copy]));
    }
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
