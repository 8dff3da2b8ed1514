import type { DataSource } from 'typeorm';
import { tableName } from '../database/tables';

/** How many events all organizations have had, those that have been removed included. */
export async function countEvents(dataSource: DataSource): Promise<number> {
  const sql = `SELECT coalesce(sum(sequence), 0)::float8 AS count FROM ${tableName(dataSource, 'event_heads')}`;
  const [{ count }]: [{ count: number }] = await dataSource.query(sql);
  return count;
}

/** How many events of all organizations each subscriber has not dealt with yet. */
export function countUndelivered(dataSource: DataSource): Promise<{ subscriber: string; events: number }[]> {
  const [subscribers, heads, cursors] = ['event_subscribers', 'event_heads', 'event_cursors'].map((name) =>
    tableName(dataSource, name),
  );
  return dataSource.query(
    `SELECT name AS subscriber, coalesce(sum(greatest(0, head.sequence - greatest(own.sequence, head.removed))), 0)::float8 AS events
     FROM ${subscribers} CROSS JOIN ${heads} AS head
     LEFT JOIN ${cursors} AS own ON own.organization_id = head.organization_id AND own.subscriber = name
     GROUP BY name`,
  );
}

/** The age in seconds of the oldest event that has no number yet, among the first 10,000 of those; 0 if all have one. */
export async function oldestUnnumbered(dataSource: DataSource): Promise<number> {
  // Two statements, because a cluster has the tables on different servers.
  const waiting = [
    // In the order of the index, which is then used whatever the statistics say.
    `SELECT occurred_at FROM ${tableName(dataSource, 'events')} WHERE sequence IS NULL
     ORDER BY organization_id, position LIMIT 10000`,
    `SELECT occurred_at FROM ${tableName(dataSource, 'token_events')}`,
  ];
  const ages = waiting.map(async (events) => {
    const [{ oldest, now }]: [{ oldest: Date | null; now: Date }] = await dataSource.query(
      `SELECT min(occurred_at) AS oldest, clock_timestamp() AS now FROM (${events}) AS waiting`,
    );
    return oldest ? (now.getTime() - oldest.getTime()) / 1000 : 0;
  });
  return Math.max(0, ...(await Promise.all(ages)));
}
