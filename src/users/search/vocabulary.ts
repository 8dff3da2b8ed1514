import type { DataSource } from 'typeorm';
import { tableName } from '../../database/tables';
import { spellingsOf } from './spelling';

/** A word of an organization's vocabulary: what a misspelt query is compared with. */
export interface Word {
  organizationId: string;
  word: string;
}

/** The statement that adds words to the vocabularies. Its parameter, named as the caller needs it, is a `lesson`. */
export const learn = (dataSource: DataSource, words: string) =>
  // In the order of the words, or two statements that learn the same ones deadlock.
  `INSERT INTO ${tableName(dataSource, 'search_words')} (organization_id, word, spellings)
   SELECT "organizationId", word, spellings
   FROM json_to_recordset(${words}) AS learned ("organizationId" text, word text, spellings text[])
   ORDER BY "organizationId", word COLLATE "C" ON CONFLICT DO NOTHING`;

/** Words as the statement takes them. */
export const lesson = (words: Word[]): string =>
  JSON.stringify(words.map((one) => ({ ...one, spellings: spellingsOf(one.word) })));

const MAX_REMEMBERED = 100_000;

/** Words that this process knows to be in the vocabularies, which forget none: most that are written are there already. */
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
      // A copy: what a regular expression has found is a part of the whole text to V8, and keeps all of that.
      const own = Buffer.from(word).toString();
      const known = this.known.get(organizationId);
      if (known) known.add(own);
      else this.known.set(organizationId, new Set([own]));
    }
  }
}
