import type { DataSource } from 'typeorm';
import { tableName } from '../../database/tables';
import { encode } from './search-text';
import { vocabularyOf } from './vocabulary';

/** If more users than this have the word or a longer one that begins with it, the word counts as used. */
const MAX_TEXTS = 200;

/** Whether a user of the organization has the word. */
export async function isWordUsed(
  dataSource: DataSource,
  organizationId: string,
  word: string,
): Promise<boolean> {
  const textsWith = async (wordAndEnd: string, limit: number): Promise<string[]> => {
    const rows: { text: string }[] = await dataSource.query(
      `SELECT text FROM ${tableName(dataSource, 'user_search')} WHERE organization_id = $1 AND text ~ $2 LIMIT ${limit}`,
      [organizationId, ` ${wordAndEnd}`],
    );
    return rows.map(({ text }) => text);
  };
  if ((await textsWith(`${encode(word)}($|[^a-zA-Z])`, 1)).length > 0) return true;
  // Capitals after it may be a letter of another script or any other character. That is seen in the decoded text.
  const texts = await textsWith(`${encode(word)}[A-Z]`, MAX_TEXTS);
  return texts.length === MAX_TEXTS || texts.some((text) => vocabularyOf(text).includes(word));
}
