import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { query, sql } from '../../platform/database/sql';
import { nextTurn } from '../../platform/fairness/give-way';
import type { EventRow } from '../event/event.entity';
import { eventAsJson } from '../event/event.serializer';
import { lastSequence } from './event-head.entity';
import { EventLog } from './event-log';
import { firstOf, rangesAbout } from './event-ranges';

const EVENTS_PER_PAGE = 50;

/** The events about a user: its own, and those of groups that it was added to or removed from. */
@Injectable()
export class UserHistory {
  constructor(
    private readonly database: Database,
    private readonly log: EventLog,
  ) {}

  /**
   * All events committed so far, oldest first. Each call returns the next page as JSON with commas, and `undefined` at
   * the end. A 503 if numbering takes too long.
   */
  async of(organizationId: string, userId: string): Promise<() => Promise<string | undefined>> {
    await this.log.catchUp(organizationId);
    const last = await this.database.read(organizationId, (manager) => lastSequence(manager, organizationId));
    let after = '0';
    let hasMore = true;
    return async () => {
      if (!hasMore) return undefined;
      const condition = sql`sequence > ${after}::bigint AND sequence <= ${last}::bigint`;
      const page = { condition, direction: sql`ASC`, limit: EVENTS_PER_PAGE };
      const statement = firstOf(organizationId, rangesAbout(userId), page);
      const rows = await this.database.read(organizationId, (manager) => query<EventRow>(manager, statement));
      const { items, endsAfter } = await this.log.whole(organizationId, rows);
      after = (endsAfter ?? rows.at(-1))?.sequence ?? last;
      hasMore = endsAfter !== undefined || rows.length === EVENTS_PER_PAGE;
      if (endsAfter) await nextTurn();
      return items.map(eventAsJson).join();
    };
  }
}
