import { sql } from '../../database/sql';
import { opaque } from '../../pages/paginate';
import { isFiltered, usersWho } from '../user/user.filter';
import {
  searchColumns,
  rankedAfterSql,
  type RankedUser,
  type RankPage,
  readBeside,
  type SearchScope,
} from './page';
import type { Query } from './query';
import { UserSearchText } from './user-search.entity';

/** Up to this many users are read for each search. */
const SMALL = 2_000;

/**
 * Searches all users of the scope, in one statement; returns undefined if they are more than `SMALL`. Counting reads at
 * most that many entries of an index, whatever the planner knows. The texts of a whole organization are read by its
 * entry in their index, those of a part of it by the ids.
 */
export async function searchSmall<Row>(
  scope: SearchScope,
  { filter: condition, rank }: Query,
  page: RankPage,
): Promise<(RankedUser & Row)[] | undefined> {
  const { organizationId, filter } = scope;
  const small = sql`(SELECT is_small FROM size)`;
  const texts = isFiltered(filter)
    ? sql`scope, LATERAL (
        SELECT user_id, name_key, name, text FROM ${UserSearchText} WHERE organization_id = ${organizationId} AND user_id = scope.id OFFSET 0
      ) AS texts WHERE ${small}`
    : sql`${UserSearchText} WHERE organization_id = ${organizationId} AND ${small}`;
  const { value, users } = await readBeside<boolean, RankedUser & Row>(scope, {
    ctes: sql`scope AS MATERIALIZED (
      SELECT id FROM ${usersWho(filter, organizationId, sql`ORDER BY created_at, id LIMIT ${opaque(SMALL + 1)}`)} LIMIT ${opaque(SMALL + 1)}
    ), size AS MATERIALIZED (SELECT count(*) <= ${SMALL} AS is_small FROM scope)`,
    value: small,
    users: sql`
      SELECT found.rank, found.name_key AS "nameKey", users.* FROM (
        SELECT rank, name_key, name, id AS user_id FROM (
          SELECT user_id AS id, name_key, name, ${rank} AS rank FROM ${texts} AND ${condition} OFFSET 0
        ) AS matches
        WHERE ${rankedAfterSql(page)}
        ORDER BY rank, name_key, name, id LIMIT ${page.limit}
      ) AS found, ${searchColumns(scope)}`,
  });
  return value ? users : undefined;
}
