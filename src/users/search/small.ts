import { raw, sql } from '../../platform/database/sql';
import { opaque } from '../../platform/pages/paginate';
import { isFiltered, usersWho } from '../query/user.filter';
import {
  searchColumns,
  rankedAfterSql,
  type SearchResult,
  type RankPage,
  readWithValue,
  type SearchScope,
} from './page';
import type { Query } from './query';
import { UserSearchText } from './user-search.entity';

/** Up to this many users are read for each search. */
const SMALL = 2_000;

/** The most text of theirs. Looking for typos takes up to 12 ms of CPU for each MB and word. */
const SMALL_BYTES = 4 * 1024 * 1024;

/** Up to `SMALL` users whose texts are no longer than this cannot have more than `SMALL_BYTES`. */
const SHORT_BYTES = Math.floor(SMALL_BYTES / SMALL);

/** The rank of a user with a long text in an organization that has too much text. It comes before all others. */
const TOO_MUCH = -1;

/**
 * Searches all users of the scope, in one statement; returns undefined if they are more than `SMALL`, or have more than
 * `SMALL_BYTES` of text. Counting reads at most that many entries of an index, whatever the planner knows. The texts of
 * a whole organization are read by its entry in their index, those of a part of it by the ids. PostgreSQL sums their
 * sizes only when it meets a long text. Summed always, they made a search of 2,000 users 5 to 12 % slower, and one with
 * a filter 40 %.
 *
 * The index of texts is no shorter way to them, because it has the trigrams of all organizations together. Among ten
 * million users, a word in an organization of a hundred took 50 to 3,900 µs by the index, and 130 to 240 without it.
 *
 * An organization that was small a moment ago is not counted again: a third of PostgreSQL's CPU for 1,000 users.
 * Should it have grown since, the result is the same, and takes longer.
 */
export async function searchSmall(
  scope: SearchScope,
  { filter: condition, rank }: Query,
  page: RankPage,
  wasSmall: boolean,
): Promise<SearchResult[] | undefined> {
  const { organizationId, filter } = scope;
  const isPart = isFiltered(filter);
  const small = sql`(SELECT is_small FROM size)`;
  const next = sql`LIMIT ${opaque(SMALL + 1)}`;
  const texts = isPart
    ? sql`scope, LATERAL (
        SELECT user_id, name_key, name, text FROM ${UserSearchText} WHERE organization_id = ${organizationId} AND user_id = scope.id OFFSET 0
      ) AS texts`
    : sql`${UserSearchText} WHERE organization_id = ${organizationId}`;
  const isTooMuch = sql`octet_length(text) > ${SHORT_BYTES} AND (SELECT sum(octet_length(text)) > ${SMALL_BYTES} FROM ${texts})`;
  const { value, users } = await readWithValue<boolean, SearchResult>(scope, {
    ctes:
      wasSmall && !isPart
        ? sql`size AS (SELECT true AS is_small)`
        : sql`scope AS (
            SELECT id FROM ${usersWho(filter, organizationId, sql`ORDER BY created_at, id ${next}`)} ${isPart ? next : sql``}
          ), size AS MATERIALIZED (SELECT count(*) <= ${SMALL} AS is_small FROM scope)`,
    value: small,
    users: sql`
      SELECT found.rank, found.name_key AS "nameKey", users.* FROM (
        SELECT rank, name_key, name, id AS user_id FROM (
          SELECT user_id AS id, name_key, name,
            CASE WHEN ${isTooMuch} THEN ${TOO_MUCH} WHEN ${condition} THEN ${rank} END AS rank
          FROM ${texts} ${raw(isPart ? 'WHERE' : 'AND')} ${small} OFFSET 0
        ) AS matches
        WHERE rank = ${TOO_MUCH} OR ${rankedAfterSql(page)}
        ORDER BY rank, name_key, name, id LIMIT ${page.limit}
      ) AS found, ${searchColumns(scope)}`,
  });
  return value && users[0]?.rank !== TOO_MUCH ? users : undefined;
}
