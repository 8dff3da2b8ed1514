import DataLoader from 'dataloader';
import type { DataSource } from 'typeorm';
import { tableName } from '../database/tables';
import { ExpiringMap } from './expiring-map';
import { WINDOW_MS, type WindowRecord, windowRecord, type WindowStorage } from './window';

interface WindowRow {
  token_id: string;
  hits: number;
  started_ms: string;
  now_ms: string;
}

interface Hit {
  hits: number;
  resetAt: number;
  remainingMs: number;
}

/**
 * Counts all processes together, exactly, on the database's clock. The hits of one turn of the event loop go in one
 * statement, and a token that is over its limit asks nobody until its window ends.
 */
export class PostgresStorage implements WindowStorage {
  private readonly hits = new DataLoader<string, Hit, string>((tokenIds) => this.count(tokenIds), {
    cache: false,
    maxBatchSize: 500,
  });
  private readonly exhausted = new ExpiringMap<string, { resetAt: number; until: number }>(WINDOW_MS);

  constructor(private readonly dataSource: DataSource) {}

  async increment(tokenId: string, _ttl: number, limit: number): Promise<WindowRecord> {
    const denied = this.exhausted.get(tokenId);
    if (denied && denied.until > performance.now()) {
      return windowRecord(limit + 1, limit, denied.resetAt, denied.until - performance.now());
    }
    const { hits, resetAt, remainingMs } = await this.hits.load(tokenId);
    if (hits > limit) this.exhausted.set(tokenId, { resetAt, until: performance.now() + remainingMs });
    return windowRecord(hits, limit, resetAt, remainingMs);
  }

  private async count(tokenIds: readonly string[]): Promise<Hit[]> {
    const inTick = new Map<string, number>();
    for (const id of tokenIds) inTick.set(id, (inTick.get(id) ?? 0) + 1);
    const rows: WindowRow[] = await this.dataSource.query(
      `INSERT INTO ${tableName(this.dataSource, 'rate_limit_windows')} AS w (token_id, started_ms, hits)
       SELECT token_id, (extract(epoch FROM clock_timestamp()) * 1000)::bigint, hits
       FROM unnest($1::text[], $2::int[]) AS tick (token_id, hits)
       ORDER BY token_id -- the same order everywhere, or two replicas deadlock
       ON CONFLICT (token_id) DO UPDATE SET
         hits       = CASE WHEN excluded.started_ms < w.started_ms + ${WINDOW_MS} THEN w.hits + excluded.hits ELSE excluded.hits END,
         started_ms = CASE WHEN excluded.started_ms < w.started_ms + ${WINDOW_MS} THEN w.started_ms ELSE excluded.started_ms END
       RETURNING token_id, hits, started_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms`,
      [[...inTick.keys()], [...inTick.values()]],
    );
    // The row counts the hits of the whole tick; each hit of it gets its own number, in order.
    const windows = new Map(
      rows.map((row) => [row.token_id, { ...row, next: row.hits - inTick.get(row.token_id)! }]),
    );
    return tokenIds.map((id) => {
      const window = windows.get(id)!;
      const resetAt = Number(window.started_ms) + WINDOW_MS;
      return { hits: ++window.next, resetAt, remainingMs: resetAt - Number(window.now_ms) };
    });
  }
}
