import { type Sql, sql } from '../../database/sql';
import { opaque } from '../../pages/paginate';
import { foldName } from '../user/fold';
import { emailKey } from '../user/user.keys';
import { type FoundUser, isAfter, type RankPage, type Search, withUser } from './search';
import { begins, LAST_CHARACTER } from './search-conditions';

/** If more emails begin with the text, first find out whether such names or emails are common. */
const FEW_EMAILS = 2_000;

/** The number of names to look at: a common beginning fills the page from these. */
const SURVEY = 400;

/** Users with a name or an email that begins with one of the texts. */
export async function beginningWith(
  search: Search,
  prefixes: string[],
  page: RankPage,
): Promise<FoundUser[]> {
  // If one text begins with another, a user would be found by both.
  const shortest = prefixes.filter(
    (prefix) => !prefixes.some((other) => other !== prefix && prefix.startsWith(other)),
  );
  const few = await beginning(search, shortest, page, FEW_EMAILS);
  if (few) return few;
  // If the next names do not fill the page, most matching names and their emails come later.
  const next = await search.walk(begins(search.organizationId, shortest), SURVEY, page);
  return next.length === page.limit ? next : (await beginning(search, shortest, page, Infinity))!;
}

/**
 * Finds these users; undefined if more than `maxEmails` emails match. Names are read in order. Emails, whose index contains the
 * names, are all read and sorted. Without a bound, emails whose names come after the page are left out before the sort: there
 * are many if emails contain the names.
 */
async function beginning(
  search: Search,
  prefixes: string[],
  { after, limit }: RankPage,
  maxEmails: number,
): Promise<FoundUser[] | undefined> {
  const { isOther } = search;
  // IS TRUE keeps the position out of the index condition. Otherwise PostgreSQL would start reading the index at the position,
  // even if all matching names come later: 45 instead of 1 ms with 300,000 users.
  const nextNames = after
    ? sql`name_key >= greatest(first COLLATE "C", ${after[0]}) AND (${isAfter(after)}) IS TRUE`
    : sql`name_key >= first`;
  const end = sql`(SELECT name_key, name, id FROM by_name ORDER BY name_key, name, id OFFSET ${limit - 1})`;
  const bounded =
    maxEmails < Infinity
      ? sql`LIMIT ${maxEmails + 1}`
      : sql`WHERE ${isAfter(after)} AND ((name_key, name, id) <= ${end}) IS NOT FALSE ORDER BY name_key, name, id LIMIT ${limit}`;
  const rows = await search.run<FoundUser & { emails: number }>(sql`
    WITH by_name AS MATERIALIZED (
      SELECT found.* FROM ${rangesOf(prefixes.map(foldName))}, LATERAL (
        SELECT id, name_key, name
        FROM ${search.users(sql`AND ${isOther} AND ${nextNames} AND name_key < last ORDER BY name_key, name, id LIMIT ${opaque(limit)}`)}
        ORDER BY name_key, name, id LIMIT ${opaque(limit)}
      ) AS found
      ORDER BY name_key, name, id LIMIT ${limit}
    ), by_email AS MATERIALIZED (
      SELECT found.* FROM ${rangesOf(prefixes.map(emailKey))}, LATERAL (
        SELECT id, name_key, name
        FROM ${search.users(sql`AND ${isOther} AND email_key >= first AND email_key < last OFFSET 0`)}
      ) AS found
      ${bounded}
    )
    SELECT counted.emails, page.*
    FROM (SELECT count(*)::int AS emails FROM by_email) AS counted LEFT JOIN (
      SELECT id, name_key AS "nameKey", name
      FROM (SELECT * FROM by_name UNION SELECT * FROM by_email WHERE ${isAfter(after)}) AS found
      ORDER BY name_key, name, id LIMIT ${limit}
    ) AS page ON true
    ORDER BY "nameKey", name, id`);
  return rows[0].emails > maxEmails ? undefined : withUser(rows);
}

/** The index range of the values that begin with each text. */
const rangesOf = (prefixes: string[]): Sql =>
  sql`unnest(${prefixes}::text[], ${prefixes.map((prefix) => prefix + LAST_CHARACTER)}::text[]) AS ranges (first, last)`;
