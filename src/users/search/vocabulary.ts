import type { DataSource } from 'typeorm';
import { tableName } from '../../database/tables';
import { spellingsOf } from './spelling';

/** A word of an organization's vocabulary, which the search uses to correct typos. */
export interface Word {
  organizationId: string;
  word: string;
}

/** The statement that adds words to the vocabularies; `parameter` is the placeholder for `wordsAsJson()`. */
export const insertWords = (dataSource: DataSource, parameter: string) =>
  // The order prevents a deadlock between two statements that insert the same words.
  `INSERT INTO ${tableName(dataSource, 'search_words')} (organization_id, word, spellings)
   SELECT "organizationId", word, spellings
   FROM json_to_recordset(${parameter}) AS new_words ("organizationId" text, word text, spellings text[])
   ORDER BY "organizationId", word COLLATE "C" ON CONFLICT DO NOTHING`;

/** The value of that parameter. */
export const wordsAsJson = (words: Word[]): string =>
  JSON.stringify(words.map((entry) => ({ ...entry, spellings: spellingsOf(entry.word) })));

const MAX_REMEMBERED = 100_000;

/** A cache of stored words, because most words of a write are stored already. Stored words are never deleted. */
export class KnownWords {
  private readonly known = new Map<string, Set<string>>();
  private count = 0;

  readonly isNew = ({ organizationId, word }: Word): boolean => !this.known.get(organizationId)?.has(word);

  remember(words: Word[]): void {
    this.count += words.length;
    if (this.count > MAX_REMEMBERED) {
      this.known.clear();
      this.count = words.length;
    }
    for (const { organizationId, word } of words) {
      // A copy, because V8 keeps the whole text alive for a substring that a regular expression matched.
      const copy = Buffer.from(word).toString();
      const known = this.known.get(organizationId);
      if (known) known.add(copy);
      else this.known.set(organizationId, new Set([copy]));
    }
  }
}
