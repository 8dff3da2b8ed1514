import { join, raw, type Sql, sql } from '../../platform/database/sql';
import { opaque } from '../../platform/pages/paginate';
import { usersWho } from '../query/user.filter';
import type { UserText } from '../user/user.view';
import { readBeginning } from './beginning';
import {
  searchColumns,
  afterSql,
  rankedAfterSql,
  passesSql,
  type SearchResult,
  type RankedUser,
  type RankPage,
  type SearchScope,
} from './page';
import type { Query } from './query';
import { UserSearchText } from './user-search.entity';

/** The number of users who show how common the matches of each rank are. */
const SAMPLE = 400;

/** From one in a hundred on, matches are common: the next names have enough of them. */
const COMMON = SAMPLE / 100;

/** How many names are walked for common matches. */
const WALK = 4_000;

/** The same for names and emails that begin with the query. Common names are neighbours; common emails come soon. */
const SHORT_WALK = 400;

/** Up to this many emails that begin with the query are read at once. */
const FEW_EMAILS = 500;

/** Searches rank by rank, and stops when the page is full: ranking all matches of a common word takes too long. */
export async function searchLarge(scope: SearchScope, query: Query, page: RankPage): Promise<RankedUser[]> {
  const found: RankedUser[] = [];
  let counts: number[] | undefined;
  let { rank, after } = page;
  while (rank <= query.last && found.length < page.limit) {
    const rest = { rank, after, limit: page.limit - found.length };
    if (rank === query.first && query.beginnings) {
      found.push(...(await readNextBeginning(scope, query, rest)));
    } else {
      counts ??= await sample(scope, query);
      // A walk over the names in their order soon finds common matches, unless they are neighbours.
      const walked = counts[rank] >= COMMON ? await walk(scope, query, rest, WALK) : [];
      const isFull = walked.length === rest.limit;
      const isRest = !isFull && query.isReadTogether(rank, counts);
      found.push(...(isFull ? walked : await readMatches(scope, query, rest, isRest ? undefined : rank)));
      if (isRest) break;
    }
    rank++;
    after = undefined; // it is a row of the first of these ranks
  }
  return found;
}

/** If the query cannot match an email, as in the ranks of typos, the first read returns every match. */
async function readNextBeginning(scope: SearchScope, query: Query, page: RankPage): Promise<RankedUser[]> {
  const few = await readBeginning(scope, query.beginnings!, page, FEW_EMAILS);
  if (few) return few;
  const users = await walk(scope, query, page, SHORT_WALK);
  return users.length === page.limit ? users : (await readBeginning(scope, query.beginnings!, page))!;
}

/** How many of the first users match in each rank. */
async function sample(scope: SearchScope, query: Query): Promise<number[]> {
  const rows = await scope.run<{ rank: number; count: number }>(sql`
    SELECT rank, count(*)::int AS count FROM ${rankedUsers(scope, query, sql`created_at, id`, SAMPLE)}
    WHERE rank IS NOT NULL GROUP BY rank`);
  const countOf = (rank: number) => rows.find((row) => row.rank === rank)?.count ?? 0;
  return Array.from({ length: query.last + 1 }, (_, rank) => countOf(rank));
}

/** The next users of a rank among the next `length` names. It ends as soon as the page is full. */
const walk = (scope: SearchScope, query: Query, page: RankPage, length: number): Promise<RankedUser[]> =>
  scope.run(sql`
    SELECT rank, name_key AS "nameKey", name, id
    FROM ${rankedUsers(scope, query, sql`name_key, name, id`, length, afterSql(page.after))}
    WHERE rank = ${page.rank} ORDER BY name_key, name, id LIMIT ${page.limit}`);

/** The first `length` users in the order of these columns, with the rank of those that match, as an item of FROM. */
function rankedUsers(
  { organizationId, filter }: SearchScope,
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

/** The index in `misspelt` of the word that the fewest of the first users have. */
async function findRarestWord(
  { organizationId, filter, run }: SearchScope,
  { misspelt = [] }: Query,
): Promise<number> {
  if (misspelt.length < 2) return 0;
  // Few users for many words: with 400 users, eight words of 24 letters took 0.7 s, and the search was refused.
  const next = sql`ORDER BY created_at, id LIMIT ${opaque(Math.ceil(SAMPLE / misspelt.length))}`;
  const counts = misspelt.map((condition) => sql`count(*) FILTER (WHERE ${condition})::int`);
  const [{ users }] = await run<{ users: number[] }>(sql`
    SELECT ARRAY[${join(counts, ', ')}] AS users FROM (SELECT id FROM ${usersWho(filter, organizationId, next)} ${next}) AS users, LATERAL (
      SELECT text FROM ${UserSearchText} WHERE organization_id = ${organizationId} AND user_id = users.id OFFSET 0
    ) AS texts`);
  return users.indexOf(Math.min(...users));
}

/** The next users of a rank, or of all from the page's on, from the index of texts, which are all read and sorted. */
async function readMatches(
  scope: SearchScope,
  query: Query,
  page: RankPage,
  ofRank?: number,
): Promise<RankedUser[]> {
  const texts = sql`
    SELECT user_id, name_key, name, text FROM ${UserSearchText} WHERE organization_id = ${scope.organizationId} AND ${query.index(ofRank)}`;
  const patterns = query.likePatterns?.(
    page.rank,
    ofRank === undefined ? await findRarestWord(scope, query) : 0,
  );
  const [values, rests] = [0, 1].map((i) => patterns?.map((pattern) => pattern[i]));
  // Each pattern is looked up by itself, whatever the planner expects. A user may have several.
  const found = patterns
    ? sql`unnest(${values}::text[], ${rests}::text[]) AS patterns (pattern, rest), LATERAL (${texts} OFFSET 0) AS texts`
    : sql`(${texts}) AS texts`;
  return scope.run(sql`
    SELECT ${raw(patterns ? 'DISTINCT' : '')} rank, name_key AS "nameKey", name, id FROM (
      SELECT user_id AS id, name_key, name, ${query.rank} AS rank FROM ${found} WHERE ${query.filter} AND ${passesSql(scope)}
      OFFSET 0
    ) AS matches
    WHERE ${ofRank === undefined ? rankedAfterSql(page) : sql`rank = ${ofRank} AND ${afterSql(page.after)}`}
    ORDER BY rank, "nameKey", name, id LIMIT ${page.limit}`);
}

/** Reads the columns of users that have been found. */
export async function load(scope: SearchScope, found: RankedUser[]): Promise<SearchResult[]> {
  const rows = await scope.run<UserText>(sql`
    SELECT users.* FROM unnest(${found.map(({ id }) => id)}::text[]) WITH ORDINALITY AS found (user_id, place), ${searchColumns(scope)}
    ORDER BY place`);
  return found.map((user, i) => ({ ...user, ...rows[i] }));
}
