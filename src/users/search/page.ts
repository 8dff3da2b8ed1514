import { type Sql, sql } from '../../platform/database/sql';
import { User, USER_COLUMNS } from '../user/user.entity';
import type { UserText } from '../user/user.view';
import { filterOf, isFiltered, type UserFilter } from '../query/user.filter';

/** A search: the users it looks at. */
export interface Search {
  organizationId: string;
  filter: UserFilter;
}

/** The same, with a function that runs its statements. */
export interface SearchScope extends Search {
  run: <Row>(statement: Sql) => Promise<Row[]>;
}

/** Reads users and one more value, which is returned even when no user matches. */
export async function readWithValue<Value, User extends RankedUser = RankedUser>(
  scope: SearchScope,
  { ctes, value, users }: { ctes: Sql; value: Sql; users: Sql },
): Promise<{ value: Value; users: User[] }> {
  const rows = await scope.run<User & { value: Value }>(sql`
    WITH ${ctes}
    SELECT ${value} AS value, page.* FROM (SELECT) AS one LEFT JOIN (${users}) AS page ON true
    ORDER BY rank, "nameKey", name, id`);
  return { value: rows[0].value, users: rows.filter(({ id }) => id !== null) };
}

/** The row after which a rank continues. */
export type SearchPosition = [nameKey: string, name: string, id: string];

/** A part of the result: from this rank on, and after this row of it. */
export interface RankPage {
  rank: number;
  after?: SearchPosition;
  limit: number;
}

/** A user at its place in the result. */
export interface RankedUser {
  rank: number;
  nameKey: string;
  name: string;
  id: string;
}

/** The same with its columns. Metadata that is not short is left out. */
export type SearchResult = RankedUser & UserText;

/** Whether a row of `user_search` is of a user who passes the filter. */
export const passesSql = ({ organizationId, filter }: Search): Sql =>
  isFiltered(filter)
    ? sql`(SELECT ${filterOf(filter)} FROM ${User} WHERE organization_id = ${organizationId} AND id = user_id)`
    : sql`true`;

/** The condition that a row follows in the order of names. */
export const afterSql = (after: SearchPosition | undefined): Sql =>
  after ? sql`(name_key, name, id) > (${after[0]}, ${after[1]}, ${after[2]})` : sql`true`;

/** The condition that a row follows in the result. */
export const rankedAfterSql = ({ rank, after }: RankPage): Sql =>
  after
    ? sql`(rank, name_key, name, id) > (${rank}, ${after[0]}, ${after[1]}, ${after[2]})`
    : sql`rank >= ${rank}`;

/** The columns of each user in `found (user_id)`, as an item of FROM. Each is looked up by its key. */
export const searchColumns = ({ organizationId }: Search): Sql =>
  sql`LATERAL (SELECT ${USER_COLUMNS.selectShortText} FROM ${User} WHERE organization_id = ${organizationId} AND id = found.user_id OFFSET 0) AS users`;
