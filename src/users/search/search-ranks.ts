import { join, type Sql, sql } from '../../database/sql';
import { fold } from '../user/fold';
import { beginningWith } from './beginning';
import { correctionsOf } from './corrections';
import { MatchRanks } from './match-ranks';
import type { FoundUser, RankPage, Search } from './search';
import { all, begins, contains, containsAny, containsStart, LAST_CHARACTER } from './search-conditions';
import { queryWords } from './search-text';

/** A rank of the result: returns its next users, by name and id. */
export type Rank = (page: RankPage) => Promise<FoundUser[]>;

/** The whole of an id or its beginning, of 12 characters and more. */
const ID = /^usr_[0-9a-hjkmnp-tv-z]{8,26}$/;

/** The ranks of users who match the words as typed. */
export async function ranksOf(q: string, query: Search): Promise<Rank[]> {
  if (fold(q) === '') return []; // the query contains only accents
  const isNamed = await namedBy(q, query);
  const search = isNamed ? query.naming(isNamed) : query;
  const words = queryWords(q);
  const starts = words.map(({ start }) => containsStart(start));
  const areStarts = all(starts.map(({ filter }) => filter));
  const matches = new MatchRanks(search, {
    words: words.map(({ inside }) => contains(inside)),
    ofRank: [starts],
    rank: sql`CASE WHEN ${areStarts} THEN 0 ELSE 1 END`,
    earlier: begins(search.organizationId, [q]),
  });
  return [
    // Present even without an exact match, because cursors contain the number of the rank.
    async (page) => (isNamed ? search.exact(page) : []),
    (page) => beginningWith(search, [q], page),
    (page) => matches.next(0, page),
    (page) => matches.next(1, page),
  ];
}

/** The condition for the ids of the users that the query names exactly, if it is an id or somebody's email. */
async function namedBy(q: string, search: Search): Promise<Sql | undefined> {
  const prefix = q.toLowerCase();
  if (ID.test(prefix)) return sql`(id >= ${prefix} AND id < ${prefix + LAST_CHARACTER})`;
  const id = q.includes('@') ? await search.idOf(q) : undefined;
  return id === undefined ? undefined : sql`id = ${id}`;
}

/**
 * The ranks of users that match the words with typos, fewest typos first. For a single word, names that begin with a correction come
 * first: they are neighbours in the order of names, so a walk to them might be long.
 */
export async function typoRanksOf(q: string, search: Search): Promise<Rank[]> {
  const corrections = await correctionsOf(search, queryWords(q));
  const misspelt = corrections.filter(({ candidates }) => candidates.length > 0);
  if (misspelt.length === 0) return [];
  const meant = corrections.map(({ word, candidates }) =>
    candidates.length > 0
      ? containsAny([word.inside, ...candidates.map(({ text }) => text)])
      : contains(word.inside),
  );
  if (corrections.length === 1) {
    const prefixes = misspelt[0].candidates.map(({ letters }) => letters);
    const earlier = begins(search.organizationId, prefixes);
    const others = new MatchRanks(search, { words: meant, rank: sql`0`, earlier });
    return [(page) => beginningWith(search, prefixes, page), (page) => others.next(0, page)];
  }
  const typos = corrections.map(({ word }) => sql`(NOT ${contains(word.inside).filter})::int`);
  const matches = new MatchRanks(search, { words: meant, rank: sql`(${join(typos, ' + ')})` });
  return misspelt.map((_word, i) => (page) => matches.next(i + 1, page));
}
