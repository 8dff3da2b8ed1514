import type { DataSource } from 'typeorm';
import { retryBroken } from '../../database/retry';
import { tableName } from '../../database/tables';
import { type Condition, containsAny, LAST_CHARACTER } from './search-conditions';
import { isOneEdit, MAX_WORD_LENGTH, MIN_TYPO_LENGTH, spellingsOf } from './spelling';

/** At most this many vocabulary words stand in for one word of the query. */
const MAX_CANDIDATES = 30;

/** At most this many vocabulary words are read to complete one word of the query. */
const MAX_COMPLETIONS = 200;

/** Looks up the words of a query in the organization's vocabulary. */
export class SearchWords {
  private readonly vocabulary: string;

  constructor(
    private readonly dataSource: DataSource,
    private readonly organizationId: string,
    private readonly words: string[],
  ) {
    this.vocabulary = tableName(dataSource, 'search_words');
  }

  /**
   * For each word of the query, a condition for the rows with a word that begins with it; null if there is no such
   * word. Trigrams are slow for a text that is common inside words but rare at their start, so the condition looks up
   * whole words of the vocabulary. Where these do not help, it is the one in `fallbacks`.
   */
  async startConditions(fallbacks: Condition[]): Promise<Condition[] | null> {
    const conditions = await Promise.all(
      this.words.map(async (word, i) => {
        const text = word.trimStart();
        const [letters] = /^\p{L}+/u.exec(text) ?? [''];
        const isInVocabulary = letters && !'usr'.startsWith(letters) && [...letters].length < MAX_WORD_LENGTH;
        if (!isInVocabulary) return fallbacks[i]; // the vocabulary does not contain ids and numbers
        const completions: { word: string }[] = await this.read(
          `SELECT word FROM ${this.vocabulary} WHERE organization_id = $1 AND word >= $2 AND word <= $3 ORDER BY word LIMIT ${MAX_COMPLETIONS}`,
          [this.organizationId, letters, letters === text ? letters + LAST_CHARACTER : letters],
        );
        if (completions.length === 0) return null;
        if (letters !== text || completions.length === MAX_COMPLETIONS) return fallbacks[i];
        // A condition for one word also finds the longer words that begin with it.
        const beginnings: string[] = [];
        for (const { word: next } of completions) {
          if (beginnings.length === 0 || !next.startsWith(beginnings.at(-1)!)) beginnings.push(next);
        }
        return beginnings.length > MAX_CANDIDATES
          ? fallbacks[i]
          : containsAny(beginnings.map((beginning) => ` ${beginning}`));
      }),
    );
    return conditions.some((condition) => condition === null) ? null : (conditions as Condition[]);
  }

  /** The words of the query, each with the vocabulary words that are one edit away. */
  async corrections(): Promise<{ word: string; candidates: string[] }[]> {
    return Promise.all(
      this.words.map(async (word) => {
        const letters = word.trimStart();
        if ([...letters].length < MIN_TYPO_LENGTH || !/^\p{L}+$/u.test(letters))
          return { word, candidates: [] };
        const rows: { word: string }[] = await this.read(
          `SELECT word FROM ${this.vocabulary} WHERE organization_id = $1 AND spellings && $2::text[]`,
          [this.organizationId, spellingsOf(letters)],
        );
        const candidates = rows
          .map((row) => row.word)
          .filter((candidate) => isOneEdit(letters, candidate) && !candidate.includes(letters));
        return { word, candidates: candidates.sort().slice(0, MAX_CANDIDATES) };
      }),
    );
  }

  private read<Row>(sql: string, values: unknown[]): Promise<Row[]> {
    return retryBroken(() => this.dataSource.query(sql, values));
  }
}
