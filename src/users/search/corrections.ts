import { sql } from '../../database/sql';
import type { Search } from './search';
import { encode, type QueryWord } from './search-text';
import { MAX_WORD_LENGTH, MIN_TYPO_LENGTH, oneEditFrom } from './vocabulary/spelling';
import { SearchWord } from './vocabulary/words';

/** The maximum number of vocabulary words that replace one word of a query. */
const MAX_CANDIDATES = 20;

/** A word of a query, with the words of the vocabulary that are one edit away. */
export interface Correction {
  word: QueryWord;
  candidates: { letters: string; text: string }[];
}

/**
 * Corrects the words to those of the vocabulary. It looks up each of the hundreds of edited words by itself: planning a list
 * of that length would take as long as the search.
 */
export async function correctionsOf(search: Search, words: QueryWord[]): Promise<Correction[]> {
  const edited = words.map(({ letters }) => (mayHaveTypo(letters) ? oneEditFrom(letters) : []));
  const rows = await search.run<{ word: string }>(sql`
    SELECT word FROM unnest(${edited.flat()}::text[]) AS edited, LATERAL (
      SELECT word FROM ${SearchWord} WHERE organization_id = ${search.organizationId} AND word = edited OFFSET 0
    ) AS stored`);
  const stored = new Set(rows.map(({ word }) => word));
  return words.map((word, i) => ({
    word,
    candidates: edited[i]
      // Earlier ranks have found the users with a word that contains the word of the query.
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
