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

/** The age in seconds of the oldest event that has no number yet; 0 if all have one. */
export async function oldestUnnumbered(dataSource: DataSource): Promise<number> {
  const [{ oldest, now }]: [{ oldest: Date | null; now: Date }] = await dataSource.query(
    `SELECT min(occurred_at) AS oldest, clock_timestamp() AS now FROM ${tableName(dataSource, 'events')} WHERE sequence IS NULL`,
  );
  return oldest ? Math.max(0, now.getTime() - oldest.getTime()) / 1000 : 0;
}
