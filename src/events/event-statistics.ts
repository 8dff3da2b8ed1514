import type { Database } from '../platform/database/database';
import { sql } from '../platform/database/sql';
import { Event, TokenEvent } from './event/event.entity';
import { EventHead } from './log/event-head.entity';
import { EventCursor, EventSubscriber } from './subscribers/event-cursor.entity';

/** How many events all organizations have had, removed ones included. */
export async function countEvents(database: Database): Promise<number> {
  const total = sql`SELECT coalesce(sum(sequence), 0)::float8 AS count FROM ${EventHead}`;
  const [{ count }] = await database.sweep<{ count: number }>(total);
  return count;
}

/** How many events of all organizations are still to be delivered to each subscriber. */
export const countUndelivered = (database: Database) =>
  database.sweep<{ subscriber: string; events: number }>(sql`
    SELECT name AS subscriber, coalesce(sum(greatest(0, head.sequence - greatest(own.sequence, head.removed))), 0)::float8 AS events
    FROM ${EventSubscriber} CROSS JOIN ${EventHead} AS head
    LEFT JOIN ${EventCursor} AS own ON own.organization_id = head.organization_id AND own.subscriber = name
    GROUP BY name`);

/** The age in seconds of the oldest event without a number, among the first 10,000 of those; 0 if there is none. */
export async function oldestUnnumbered(database: Database): Promise<number> {
  // Two statements, because a cluster has the tables on different servers.
  const waiting = [
    sql`SELECT occurred_at FROM ${Event} WHERE sequence IS NULL
        ORDER BY organization_id, position -- the order of the index, which is then used whatever the statistics say
        LIMIT 10000`,
    sql`SELECT occurred_at FROM ${TokenEvent}`,
  ];
  const ages = waiting.map(async (events) => {
    const [{ oldest, now }] = await database.sweep<{ oldest: Date | null; now: Date }>(
      sql`SELECT min(occurred_at) AS oldest, clock_timestamp() AS now FROM (${events}) AS waiting`,
    );
    return oldest ? (now.getTime() - oldest.getTime()) / 1000 : 0;
  });
  return Math.max(0, ...(await Promise.all(ages)));
}
