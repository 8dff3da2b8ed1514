import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OrganizationsService } from '../organizations/organizations.service';
import { Database } from '../platform/database/database';
import { query, sql } from '../platform/database/sql';
import { type By, callerOf } from '../platform/http/caller';
import { opaque } from '../platform/pages/paginate';
import { User } from '../users/user/user.entity';
import { type UserFilter, usersWho } from '../users/query/user.filter';
import type { StatisticsView, UserCountsView } from './statistics.view';

/** Statistics are kept in this process for this long. */
const KEPT_MS = 60_000;

/** The statistics of this many organizations are kept, about 3 KB each. */
const MAX_KEPT = 1_000;

/** The maximum number of users, and of active ones, that are counted. */
const MAX_COUNTED_USERS = 100_000;

/** The maximum number of users that are counted for a day. */
const MAX_OF_DAY = 10_000;

const DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;

interface Kept {
  statistics: Promise<StatisticsView>;
  until: number;
}

/** Counts the users of an organization, at most once a minute. */
@Injectable()
export class StatisticsService {
  /** Oldest first. */
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly database: Database,
    private readonly organizations: OrganizationsService,
  ) {}

  /** Callers who ask at once, or within a minute, share one count. */
  get(by: By): Promise<StatisticsView> {
    const { organizationId } = callerOf(by);
    const known = this.kept.get(organizationId);
    if (known && performance.now() < known.until) return known.statistics;
    const counting = { statistics: this.count(organizationId), until: performance.now() + KEPT_MS };
    this.keep(organizationId, counting);
    return counting.statistics;
  }

  private keep(organizationId: string, counting: Kept): void {
    this.kept.delete(organizationId);
    this.kept.set(organizationId, counting);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MAX_KEPT) this.kept.delete(oldest);
    counting.statistics.catch(() => {
      if (this.kept.get(organizationId) === counting) this.kept.delete(organizationId);
    });
  }

  private async count(organizationId: string): Promise<StatisticsView> {
    const { id, name } = await this.organizations.get(organizationId);
    const count = async (manager: EntityManager): Promise<StatisticsView> => {
      const [{ now }] = await query<{ now: Date }>(manager, sql`SELECT clock_timestamp() AS now`);
      const days = daysUntil(now);
      const created = await createdBetween(manager, organizationId, days, MAX_OF_DAY);
      return {
        organization: { id, name },
        users: await userCounts(manager, organizationId, MAX_COUNTED_USERS),
        createdByDay: created.map((count, i) => ({ date: days[i].toISOString().slice(0, 10), count })),
        countedAt: now,
      };
    };
    // Heavy: with as many users as are counted, the server is busy for a tenth of a second or two.
    return this.database.read(organizationId, count, 'heavy');
  }
}

/** The beginnings of the last days in UTC, and of tomorrow. */
function daysUntil(now: Date): Date[] {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  return Array.from({ length: DAYS + 1 }, (_, i) => new Date(today + (i + 1 - DAYS) * DAY_MS));
}

/** Counts the users, and the active ones, up to `max` each. Each count reads at most `max` users. */
export async function userCounts(
  manager: EntityManager,
  organizationId: string,
  max: number,
): Promise<UserCountsView> {
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
