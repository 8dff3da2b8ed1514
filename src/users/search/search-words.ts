import type { DataSource } from 'typeorm';
import { retryBroken } from '../../database/retry';
import { tableName } from '../../database/tables';
import { type Condition, containsAny, LAST } from './search-conditions';
import { isOneEdit, MAX_WORD_LENGTH, MIN_TYPO_LENGTH, spellingsOf } from './spelling';

/** Words of the vocabulary that one of the query is taken for, at most. */
const MAX_CANDIDATES = 30;

/** Words of the vocabulary that are looked at to find out how those of the query go on. */
const MAX_KNOWN = 200;

/** What the vocabulary of an organization says of the words of a query. */
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
   * What finds the rows of which some word begins with each word of the query; null where none does. Trigrams alone take
   * long to find out who begins a word with what many have inside one; the vocabulary knows the whole words.
   */
  async starting(otherwise: Condition[]): Promise<Condition[] | null> {
    const conditions = await Promise.all(
      this.words.map(async (word, i) => {
        const text = word.trimStart();
        const [letters] = /^\p{L}+/u.exec(text) ?? [''];
        const isKnown = letters && !'usr'.startsWith(letters) && [...letters].length < MAX_WORD_LENGTH;
        if (!isKnown) return otherwise[i]; // ids and numbers are in no vocabulary
        const known: { word: string }[] = await this.read(
          `SELECT word FROM ${this.vocabulary} WHERE organization_id = $1 AND word >= $2 AND word <= $3 ORDER BY word LIMIT ${MAX_KNOWN}`,
          [this.organizationId, letters, letters === text ? letters + LAST : letters],
        );
        if (known.length === 0) return null;
        if (letters !== text || known.length === MAX_KNOWN) return otherwise[i];
        // Who has a word that begins with another is found with that one.
        const beginnings: string[] = [];
        for (const { word: next } of known) {
          if (beginnings.length === 0 || !next.startsWith(beginnings.at(-1)!)) beginnings.push(next);
        }
        return beginnings.length > MAX_CANDIDATES
          ? otherwise[i]
          : containsAny(beginnings.map((beginning) => ` ${beginning}`));
      }),
    );
    return conditions.some((condition) => condition === null) ? null : (conditions as Condition[]);
  }

  /** The words of the query, and for each the words of the organization that are one edit away. */
  async meant(): Promise<{ word: string; candidates: string[] }[]> {
    return Promise.all(
      this.words.map(async (word) => {
        const letters = word.trimStart();
        if ([...letters].length < MIN_TYPO_LENGTH || !/^\p{L}+$/u.test(letters))
          return { word, candidates: [] };
        const near: { word: string }[] = await this.read(
          `SELECT word FROM ${this.vocabulary} WHERE organization_id = $1 AND spellings && $2::text[]`,
          [this.organizationId, spellingsOf(letters)],
        );
        const candidates = near
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
