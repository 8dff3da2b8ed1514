import type { DataSource } from 'typeorm';
import { retryBroken } from '../database/retry';
import { tableName } from '../database/tables';
import { type CountedWindow, SAME_WINDOW_MS, type SeenWindow, WINDOW_MS, type WindowCounter } from './window';

interface WindowRow {
  token_id: string;
  hits: number;
  started_ms: string;
  now_ms: string;
}

const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Counts in one statement, on the database's clock. */
export class PostgresCounter implements WindowCounter {
  readonly storage = 'postgres';
  readonly fallbacks = 0;

  constructor(private readonly dataSource: DataSource) {}

  async count(
    hits: ReadonlyMap<string, number>,
    seen?: ReadonlyMap<string, SeenWindow>,
  ): Promise<Map<string, CountedWindow>> {
    if (seen && seen.size > 0) await this.goOnFrom(seen);
    // Retried on a broken connection although it writes, so that reads succeed; at worst a hit counts twice.
    const rows: WindowRow[] = await retryBroken(() =>
      this.dataSource.query(
        `INSERT INTO ${tableName(this.dataSource, 'rate_limit_windows')} AS w (token_id, started_ms, hits)
         SELECT token_id, ${NOW_MS}, hits
         FROM unnest($1::text[], $2::int[]) AS tick (token_id, hits)
         ORDER BY token_id -- the same order everywhere, or two replicas deadlock
         ON CONFLICT (token_id) DO UPDATE SET
           hits       = CASE WHEN excluded.started_ms < w.started_ms + ${WINDOW_MS} THEN w.hits + excluded.hits ELSE excluded.hits END,
           started_ms = CASE WHEN excluded.started_ms < w.started_ms + ${WINDOW_MS} THEN w.started_ms ELSE excluded.started_ms END
         RETURNING token_id, hits, started_ms, ${NOW_MS} AS now_ms`,
        [[...hits.keys()], [...hits.values()]],
      ),
    );
    return new Map(
      rows.map((row) => [
        row.token_id,
        { hits: row.hits, startedAt: Number(row.started_ms), now: Number(row.now_ms) },
      ]),
    );
  }

  /** A statement of its own, so that counting costs the same while no window comes from elsewhere. */
  private async goOnFrom(seen: ReadonlyMap<string, SeenWindow>): Promise<void> {
    const windows = [...seen.values()];
    const lives = `w.started_ms > ${NOW_MS} - ${WINDOW_MS}`;
    await retryBroken(() =>
      this.dataSource.query(
        `INSERT INTO ${tableName(this.dataSource, 'rate_limit_windows')} AS w (token_id, started_ms, hits)
         SELECT token_id, ${NOW_MS} - ${WINDOW_MS} + remaining_ms, hits
         FROM unnest($1::text[], $2::int[], $3::int[]) AS seen (token_id, hits, remaining_ms)
         ORDER BY token_id -- as above
         ON CONFLICT (token_id) DO UPDATE SET
           hits       = CASE WHEN ${lives} THEN greatest(w.hits, excluded.hits) ELSE excluded.hits END,
           started_ms = CASE WHEN ${lives} THEN w.started_ms ELSE excluded.started_ms END
         WHERE excluded.started_ms > w.started_ms - ${SAME_WINDOW_MS}`,
        [[...seen.keys()], windows.map(({ hits }) => hits), windows.map(({ remainingMs }) => remainingMs)],
      ),
    );
  }
}
