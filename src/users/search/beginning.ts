import { raw, type Sql, sql } from '../../platform/database/sql';
import { opaque } from '../../platform/pages/paginate';
import { User } from '../user/user.entity';
import { filterOf, usersWho } from '../query/user.filter';
import { afterSql, type RankedUser, type RankPage, readWithValue, type SearchScope } from './page';
import type { Query } from './query';

/** Every text that begins with a prefix sorts before the prefix followed by this character. */
const LAST_CHARACTER = '\u{10FFFF}';

/**
 * The users of the first rank; undefined if more than `maxEmails` emails begin with the query. Names are read in order.
 * Emails, whose index contains the names, are all read and sorted. Without a maximum, emails whose names come after the
 * page are left out before the sort: there are many if emails contain the names.
 */
export async function readBeginning(
  scope: SearchScope,
  { names, email, id }: NonNullable<Query['beginnings']>,
  { rank, after, limit }: RankPage,
  maxEmails = Infinity,
): Promise<RankedUser[] | undefined> {
  const select = (page: Sql) =>
    sql`SELECT id, name_key, name FROM ${usersWho(scope.filter, scope.organizationId, page)}`;
  const ordered = sql`ORDER BY name_key, name, id LIMIT ${opaque(limit)}`;
  // IS TRUE keeps the position out of the index condition. Otherwise PostgreSQL would begin to read the index there,
  // even if all matching names come later.
  const next = after
    ? sql`name_key >= greatest(low COLLATE "C", ${after[0]}) AND (${afterSql(after)}) IS TRUE`
    : sql`name_key >= low`;
  const end = sql`(SELECT name_key, name, id FROM by_name ORDER BY name_key, name, id OFFSET ${limit - 1})`;
  const { value: emails, users } = await readWithValue<number>(scope, {
    ctes: sql`
      by_name AS MATERIALIZED (
        SELECT found.* FROM unnest(${names}::text[], ${names.map((name) => name + LAST_CHARACTER)}::text[]) AS ranges (low, high),
          LATERAL (${select(sql`AND ${next} AND name_key < high ${ordered}`)} ${ordered}) AS found
        ${ordered}
      ),
      by_email AS MATERIALIZED (
        SELECT * FROM (${email === undefined ? none : select(sql`AND ${startsWith('email_key', email)} OFFSET 0`)}) AS found
        ${maxEmails < Infinity ? sql`LIMIT ${maxEmails + 1}` : sql`WHERE ${afterSql(after)} AND ((name_key, name, id) <= ${end}) IS NOT FALSE ${ordered}`}
      )`,
    value: sql`(SELECT count(*)::int FROM by_email)`,
    users: sql`
      SELECT ${rank}::int AS rank, name_key AS "nameKey", name, id FROM (
        SELECT * FROM by_name UNION SELECT * FROM by_email
        UNION ${id === undefined ? none : withIds(scope, id)}
      ) AS found
      WHERE ${afterSql(after)} ${ordered}`,
  });
  return emails > maxEmails ? undefined : users;
}

const none = sql`SELECT * FROM by_name WHERE false`;

/** They are filtered after they are read, or the planner might choose the index of the filter. */
const withIds = ({ organizationId, filter }: SearchScope, id: string): Sql => sql`
  SELECT id, name_key, name FROM (
    SELECT * FROM ${User} WHERE organization_id = ${organizationId} AND ${startsWith('id', id)} OFFSET 0
  ) AS users WHERE ${filterOf(filter)}`;

const startsWith = (column: 'email_key' | 'id', text: string): Sql =>
  sql`${raw(column)} >= ${text} AND ${raw(column)} < ${text + LAST_CHARACTER}`;
