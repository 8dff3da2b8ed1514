import type { DataSource } from 'typeorm';
import { tableName } from '../database/tables';

/** How many events all organizations have had, those that have been removed included. */
export async function countEvents(dataSource: DataSource): Promise<number> {
  const sql = `SELECT coalesce(sum(sequence), 0)::float8 AS count FROM ${tableName(dataSource, 'event_heads')}`;
  const [{ count }]: [{ count: number }] = await dataSource.query(sql);
  return count;
}

/** The age in seconds of the oldest event that has no number yet; 0 if all have one. */
export async function oldestUnnumbered(dataSource: DataSource): Promise<number> {
  const [{ oldest, now }]: [{ oldest: Date | null; now: Date }] = await dataSource.query(
    `SELECT min(occurred_at) AS oldest, clock_timestamp() AS now FROM ${tableName(dataSource, 'events')} WHERE sequence IS NULL`,
  );
  return oldest ? Math.max(0, now.getTime() - oldest.getTime()) / 1000 : 0;
}
