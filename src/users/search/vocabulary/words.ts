import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Database } from '../../../database/database';
import { rowsOf, sql } from '../../../database/sql';
import { decode, hasCodesBeyondAscii } from '../search-text';
import { MAX_WORD_LENGTH, MIN_TYPO_LENGTH } from './spelling';

/** A word that some user of the organization has, or had until recently. Misspelt words of queries are corrected to these. */
@Entity('search_words')
export class SearchWord {
  @PrimaryColumn({ name: 'organization_id', type: 'text' })
  organizationId: string;

  @PrimaryColumn({ type: 'text' })
  word: string;

  @Column({ name: 'added_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  addedAt: Date;
}

/** The name, the email and the metadata of a user add at most this many words each, so that no request can fill the vocabulary. */
const MAX_WORDS = 64;

const PART_MARK = /\n[@#]/;

/** The distinct words of a search text that belong to the vocabulary: runs of letters. */
export const wordsOf = (searchText: string): string[] => [
  ...new Set(searchText.split(PART_MARK).flatMap(wordsOfPart)),
];

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

/** A statement of more parameters takes long to plan. */
const WORDS_PER_STATEMENT = 2_000;

/** Stores words. It uses VALUES, because a cluster runs INSERT … SELECT on all of its nodes. */
export async function insertWords(
  database: Database,
  organizationId: string,
  words: Iterable<string>,
): Promise<void> {
  const sorted = [...words].sort(); // prevents a deadlock between two inserts of the same words
  for (let i = 0; i < sorted.length; i += WORDS_PER_STATEMENT) {
    const rows = rowsOf(sorted.slice(i, i + WORDS_PER_STATEMENT).map((word) => [organizationId, word]));
    const statement = sql`INSERT INTO ${SearchWord} (organization_id, word) VALUES ${rows} ON CONFLICT DO NOTHING`;
    await database.execute(organizationId, statement);
  }
}
