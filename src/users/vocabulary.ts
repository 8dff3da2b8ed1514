import type { DataSource } from 'typeorm';
import { tableName } from '../database/tables';
import { spellingsOf } from './spelling';

/**
 * The statement that adds words to those that a misspelt query is compared with. The parameters are named as the caller
 * needs them: of an organization, and of a `lesson`.
 */
export const learn = (dataSource: DataSource, organizationId: string, words: string) =>
  // In the order of the words, or two statements that learn the same ones deadlock.
  `INSERT INTO ${tableName(dataSource, 'search_words')} (organization_id, word, spellings)
   SELECT ${organizationId}, word, spellings
   FROM jsonb_to_recordset(CAST(${words} AS jsonb)) AS learned (word text, spellings text[])
   ORDER BY word COLLATE "C" ON CONFLICT DO NOTHING`;

/** Words as the statement takes them. */
export const lesson = (words: string[]): string =>
  JSON.stringify(words.map((word) => ({ word, spellings: spellingsOf(word) })));

const MAX_REMEMBERED = 20_000;

/** Words that this process knows to be in the vocabularies, which forget none: most that are written are there already. */
export class KnownWords {
  private readonly known = new Set<string>();

  newOf(organizationId: string, words: string[]): string[] {
    return words.filter((word) => !this.known.has(`${organizationId} ${word}`));
  }

  remember(organizationId: string, words: string[]): void {
    if (this.known.size + words.length > MAX_REMEMBERED) this.known.clear();
    for (const word of words) this.known.add(`${organizationId} ${word}`);
  }
}
