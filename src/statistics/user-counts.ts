import type { EntityManager } from 'typeorm';
import { query, sql } from '../database/sql';
import { opaque } from '../pages/paginate';
import { User } from '../users/user/user.entity';
import { type UserFilter, usersWho } from '../users/user/user.filter';

/** The number of users. A number that reaches the maximum means at least that many, and `exact` is false. */
export interface UserCounts {
  total: number;
  active: number;
  exact: boolean;
}

/** Counts the users, and the active ones, up to `max` each. Each count reads at most `max` users. */
export async function userCounts(
  manager: EntityManager,
  organizationId: string,
  max: number,
): Promise<UserCounts> {
  // In the order of an index, a count reads up to the limit; without an order, the planner may collect all users first.
  // The newest users come first because the counts of the days have just read them.
  const limit = sql`LIMIT ${opaque(max)}`;
  const count = (filter: UserFilter) =>
    sql`(SELECT count(*)::int FROM (
          SELECT FROM ${usersWho(filter, organizationId, sql`ORDER BY created_at DESC, id DESC ${limit}`)} ${limit}
        ) AS counted)`;
  const [{ total, active }] = await query<{ total: number; active: number }>(
    manager,
    sql`SELECT ${count({})} AS total, ${count({ active: true })} AS active`,
  );
  return { total, active, exact: total < max };
}

/** The number of users created from each of these times until the next one, each counted up to `max`. */
export async function createdBetween(
  manager: EntityManager,
  organizationId: string,
  times: readonly Date[],
  max: number,
): Promise<number[]> {
  const rows = await query<{ count: number }>(
    manager,
    sql`SELECT created.count
        FROM unnest(${times.slice(0, -1)}::timestamptz[], ${times.slice(1)}::timestamptz[]) AS spans (since, until),
        LATERAL (
          SELECT count(*)::int AS count FROM (
            SELECT FROM ${User} WHERE organization_id = ${organizationId} AND created_at >= since AND created_at < until
            ORDER BY created_at, id LIMIT ${opaque(max)}
          ) AS counted
        ) AS created
        ORDER BY since`,
  );
  return rows.map(({ count }) => count);
}
