import { raw, type Sql, sql } from '../../database/sql';
import { opaque } from '../../pages/paginate';
import { usersWho } from '../user/user.filter';
import { readBeginning } from './beginning';
import {
  columnsOf,
  isAfter,
  isRankedAfter,
  passes,
  type RankedUser,
  type RankPage,
  type Scope,
} from './page';
import type { Query } from './query';
import { UserSearchText } from './user-search.entity';

/** The number of users who show how common the matches of each rank are. */
const SAMPLE = 400;

/** From one in a hundred on, matches are common: the next names have enough of them. */
const COMMON = SAMPLE / 100;

/** How many names are walked for common matches. */
const WALK = 4_000;

/** The same for names and emails that begin with the query. Common names are neighbours; common emails are found soon. */
const SHORT_WALK = 400;

/** Up to this many emails that begin with the query are read at once. */
const FEW_EMAILS = 500;

/** Searches rank by rank, and stops when the page is full: ranking all matches of a common word takes too long. */
export async function searchLarge(scope: Scope, query: Query, page: RankPage): Promise<RankedUser[]> {
  const found: RankedUser[] = [];
  let counts: number[] | undefined;
  let { rank, after } = page;
  while (rank <= query.last && found.length < page.limit) {
    const rest = { rank, after, limit: page.limit - found.length };
    if (rank === query.first && query.beginnings) {
      found.push(...(await nextThatBegin(scope, query, query.beginnings, rest)));
    } else {
      counts ??= await sample(scope, query);
      const areRare = counts.slice(rank).reduce((sum, count) => sum + count, 0) < COMMON;
      if (areRare && !query.patterns) return [...found, ...(await readMatches(scope, query, rest))];
      found.push(...(await nextOfRank(scope, query, rest, counts[rank] >= COMMON)));
    }
    rank++;
    after = undefined; // it is a row of the first of these ranks
  }
  return found;
}

async function nextThatBegin(
  scope: Scope,
  query: Query,
  beginnings: NonNullable<Query['beginnings']>,
  page: RankPage,
): Promise<RankedUser[]> {
  const few = await readBeginning(scope, beginnings, page, FEW_EMAILS);
  if (few) return few;
  const users = await walk(scope, query, page, SHORT_WALK);
  return users.length === page.limit ? users : (await readBeginning(scope, beginnings, page))!;
}

/** A walk over the names in their order soon finds common matches, unless they are neighbours. */
async function nextOfRank(
  scope: Scope,
  query: Query,
  page: RankPage,
  isCommon: boolean,
): Promise<RankedUser[]> {
  const users = isCommon ? await walk(scope, query, page, WALK) : [];
  return users.length === page.limit ? users : readMatches(scope, query, page, page.rank);
}

/** How many of the first users match in each rank. */
async function sample(scope: Scope, query: Query): Promise<number[]> {
  const counts = await scope.run<{ rank: number; count: number }>(sql`
    SELECT rank, count(*)::int AS count FROM ${rankedUsers(scope, query, sql`created_at, id`, SAMPLE)}
    WHERE rank IS NOT NULL GROUP BY rank`);
  const byRank = new Map(counts.map(({ rank, count }) => [rank, count]));
  return Array.from({ length: query.last + 1 }, (_, rank) => byRank.get(rank) ?? 0);
}

/** The next users of a rank among the next `length` names. It ends as soon as the page is full. */
const walk = (scope: Scope, query: Query, page: RankPage, length: number): Promise<RankedUser[]> =>
  scope.run(sql`
    SELECT rank, name_key AS "nameKey", name, id
    FROM ${rankedUsers(scope, query, sql`name_key, name, id`, length, isAfter(page.after))}
    WHERE rank = ${page.rank} ORDER BY name_key, name, id LIMIT ${page.limit}`);

/** The first `length` users in the order of these columns, with the rank of those that match, as an item of FROM. */
function rankedUsers(
  { organizationId, filter }: Scope,
  { filter: condition, rank }: Query,
  columns: Sql,
  length: number,
  seek = sql`true`,
): Sql {
  const next = sql`ORDER BY ${columns} LIMIT ${opaque(length)}`;
  return sql`(
    SELECT next.*, (
      SELECT CASE WHEN ${condition} THEN ${rank} END FROM ${UserSearchText}
      WHERE organization_id = ${organizationId} AND user_id = next.id
    ) AS rank
    FROM (SELECT ${columns} FROM ${usersWho(filter, organizationId, sql`AND ${seek} ${next}`)} ${next}) AS next
    ORDER BY ${columns} OFFSET 0
  ) AS ranked`;
}

/** The next users of a rank, or of all ranks from the page's on, from the index of texts. All of them are read and sorted. */
function readMatches(scope: Scope, query: Query, page: RankPage, ofRank?: number): Promise<RankedUser[]> {
  const { organizationId } = scope;
  const texts = sql`
    SELECT user_id, name_key, name, text FROM ${UserSearchText} WHERE organization_id = ${organizationId} AND ${query.index(ofRank)}`;
  const patterns = query.patterns?.(page.rank);
  const [values, rests] = [0, 1].map((i) => patterns?.map((pattern) => pattern[i]));
  // Each pattern is looked up by itself, whatever the planner expects. A user may have several.
  const found = patterns
    ? sql`unnest(${values}::text[], ${rests}::text[]) AS patterns (pattern, rest), LATERAL (${texts} OFFSET 0) AS texts`
    : sql`(${texts}) AS texts`;
  return scope.run(sql`
    SELECT ${raw(patterns ? 'DISTINCT' : '')} rank, name_key AS "nameKey", name, id FROM (
      SELECT user_id AS id, name_key, name, ${query.rank} AS rank FROM ${found} WHERE ${query.filter} AND ${passes(scope)}
    ) AS matches
    WHERE ${isRankedAfter(page)} ${ofRank === undefined ? sql`` : sql`AND rank = ${ofRank}`}
    ORDER BY rank, "nameKey", name, id LIMIT ${page.limit}`);
}

/** Reads the columns of users that have been found. */
export async function load<Row>(scope: Scope, found: RankedUser[]): Promise<(RankedUser & Row)[]> {
  const rows = await scope.run<Row>(sql`
    SELECT users.* FROM unnest(${found.map(({ id }) => id)}::text[]) WITH ORDINALITY AS found (user_id, place), ${columnsOf(scope)}
    ORDER BY place`);
  return found.map((user, i) => ({ ...user, ...rows[i] }));
}
