import { type Sql, sql } from '../../database/sql';
import { opaque } from '../../pages/paginate';
import { foldName } from '../user/fold';
import { User } from '../user/user.entity';
import { emailKey } from '../user/user.keys';
import { type FoundUser, isAfter, type RankPage, type Search, withUser } from './search';
import { begins, LAST_CHARACTER } from './search-conditions';

/** More emails that begin alike are not read before looking whether such names or emails are common. */
const FEW_EMAILS = 2_000;

/** The number of names in which common beginnings fill the page. */
const SURVEY = 400;

/** Users with a name or an email that begins with one of the texts. */
export async function beginningWith(
  search: Search,
  prefixes: string[],
  page: RankPage,
): Promise<FoundUser[]> {
  // A user whose name begins with a text that begins with another one would be found twice.
  const shortest = prefixes.filter(
    (prefix) => !prefixes.some((other) => other !== prefix && prefix.startsWith(other)),
  );
  const few = await beginning(search, shortest, page, FEW_EMAILS);
  if (few) return few;
  // If the next names do not fill the page, most names that begin so come later, and their emails with them.
  const next = await search.walk(begins(search.organizationId, shortest), SURVEY, page);
  return next.length === page.limit ? next : (await beginning(search, shortest, page, Infinity))!;
}

/**
 * The statement of these users; undefined if more than `maxEmails` emails begin so. Names are read in their order, and emails, whose
 * index has the names, are all read and sorted. Without a bound, those of names beyond the page are left out before the sort: there
 * are many if emails contain the names.
 */
async function beginning(
  search: Search,
  prefixes: string[],
  { after, limit }: RankPage,
  maxEmails: number,
): Promise<FoundUser[] | undefined> {
  const { inScope, isOther } = search;
  // IS TRUE keeps the position out of the index condition. In it, PostgreSQL would begin to read the index there, even if all names
  // that begin so come later: 45 instead of 1 ms with 300,000 users.
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
        SELECT id, name_key, name FROM ${User}
        WHERE ${inScope} AND ${isOther} AND ${nextNames} AND name_key < last
        ORDER BY name_key, name, id LIMIT ${opaque(limit)}
      ) AS found
      ORDER BY name_key, name, id LIMIT ${limit}
    ), by_email AS MATERIALIZED (
      SELECT found.* FROM ${rangesOf(prefixes.map(emailKey))}, LATERAL (
        SELECT id, name_key, name FROM ${User}
        WHERE ${inScope} AND ${isOther} AND email_key >= first AND email_key < last OFFSET 0
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

/** What begins with each of the texts, as a range of an index. */
const rangesOf = (prefixes: string[]): Sql =>
  sql`unnest(${prefixes}::text[], ${prefixes.map((prefix) => prefix + LAST_CHARACTER)}::text[]) AS ranges (first, last)`;
