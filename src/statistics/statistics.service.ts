import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { OrganizationsService } from '../organizations/organizations.service';
import { Database } from '../database/database';
import { query, sql } from '../database/sql';
import { type By, callerOf } from '../http/caller';
import { createdBetween, userCounts } from './user-counts';
import type { StatisticsView } from './statistics.view';

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
