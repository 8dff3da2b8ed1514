import { join, type Sql, sql } from '../../database/sql';
import { opaque } from '../../pages/paginate';
import { type FoundUser, nextByName, type RankPage, type Search, SMALL, withUser } from './search';
import { UserSearchText } from './search-texts';

// The statements that compare search texts. They find users of several ranks, and have `rank` as an SQL expression.

export type RankedUser = FoundUser & { rank: number };

/** Where a page begins: in this rank, or after a row of it. */
export type From = RankPage & { rank: number };

/**
 * The users of a small search that meet the condition, by rank and name. It reads the text of every user. The CTE is
 * MATERIALIZED so that it is planned alone: beside the estimated cost of the texts, a scan of the whole table can look as cheap as
 * the index of the organization.
 */
export const matchesInSmall = (
  search: Search,
  condition: Sql,
  rank: Sql,
  from: From,
): Promise<RankedUser[]> =>
  search.run(sql`
    WITH small AS MATERIALIZED (SELECT id AS of_user FROM ${search.users(sql`LIMIT ${opaque(SMALL)}`)})
    SELECT id, name_key AS "nameKey", name, rank
    FROM (
      SELECT id, name_key, name, ${rank} AS rank
      FROM small, LATERAL (
        SELECT user_id, user_id AS id, name_key, name, text FROM ${UserSearchText}
        WHERE organization_id = ${search.organizationId} AND user_id = of_user OFFSET 0
      ) AS texts
      WHERE ${search.isOther} AND ${condition}
    ) AS matches
    WHERE ${isRankedAfter(from)}
    ORDER BY rank, name_key, name, id LIMIT ${from.limit}`);

/**
 * The users that meet both `index`, which the index of texts answers, and `rest`, by rank and name. It reads and sorts all of them,
 * or returns undefined if there are more than `max`.
 */
export async function matches(
  { run, organizationId, isIdInScope, isOther }: Search,
  { index, rest }: { index: Sql; rest: Sql },
  rank: Sql,
  from: From,
  max: number,
): Promise<RankedUser[] | undefined> {
  const rows = await run<RankedUser & { total: number }>(sql`
    WITH matches AS MATERIALIZED (
      SELECT * FROM (
        SELECT id, name_key, name, ${rank} AS rank
        FROM (
          SELECT user_id AS id, name_key, name, text FROM ${UserSearchText}
          WHERE organization_id = ${organizationId} AND ${index} AND ${rest}
        ) AS texts
        WHERE ${isOther} AND ${isIdInScope}
      ) AS ranked
      WHERE ${isRankedAfter(from)}
      ${max < Infinity ? sql`LIMIT ${max + 1}` : sql``}
    )
    SELECT id, name_key AS "nameKey", name, rank, (SELECT count(*)::int FROM matches) AS total
    FROM matches
    ORDER BY rank, name_key, name, id LIMIT ${from.limit}`);
  return rows.length > 0 && rows[0].total > max ? undefined : rows;
}

/** Looks at the next `length` names. Returns the users of this rank, how many have any rank, and how many meet each of `parts`. */
export async function survey(
  search: Search,
  condition: Sql,
  rank: Sql,
  parts: Sql[],
  { after, limit, rank: from }: From,
  length: number,
): Promise<{ found: RankedUser[]; matches: number; counts: number[] }> {
  const countsOfParts = parts.map((_part, i) => sql`, count(*) FILTER (WHERE parts[${i + 1}])`);
  const rows = await search.run<RankedUser & { counts: number[] }>(sql`
    WITH walked AS MATERIALIZED (
      SELECT names.*, texts.rank, texts.parts
      FROM (
        SELECT id, name_key, name FROM ${search.users(nextByName(after, length))} ORDER BY name_key, name, id LIMIT ${opaque(length)}
      ) AS names, LATERAL (
        SELECT CASE WHEN ${condition} THEN ${rank} END AS rank, ARRAY[${join(parts)}]::boolean[] AS parts
        FROM ${UserSearchText} WHERE organization_id = ${search.organizationId} AND user_id = names.id OFFSET 0
      ) AS texts
      WHERE ${search.isOther}
    )
    SELECT counted.counts, page.*
    FROM (SELECT ARRAY[count(rank)${join(countsOfParts, '')}]::int[] AS counts FROM walked) AS counted LEFT JOIN (
      SELECT id, name_key AS "nameKey", name, rank FROM walked WHERE rank = ${from}
      ORDER BY name_key, name, id LIMIT ${limit}
    ) AS page ON true
    ORDER BY "nameKey", name, id`);
  const [matches, ...counts] = rows[0].counts;
  return { found: withUser(rows), matches, counts };
}

const isRankedAfter = ({ rank, after }: From): Sql =>
  after
    ? sql`(rank, name_key, name, id) > (${rank}, ${after[0]}, ${after[1]}, ${after[2]})`
    : sql`rank >= ${rank}`;
