import type { DataSource } from 'typeorm';
import type { Lanes } from '../database/lanes';
import { Parameters } from '../database/parameters';
import { retryBroken } from '../database/retry';
import { tableName } from '../database/tables';
import {
  type CountedWindow,
  idsOf,
  SAME_WINDOW_MS,
  type SeenWindow,
  WINDOW_MS,
  type WindowCounter,
  windowKey,
} from './window';

/** What a hit adds to the window of a key, or to one that began this long ago. */
type Addition = [key: string, hits: number, elapsedMs: number];

interface WindowRow {
  organization_id: string;
  token_id: string;
  hits: number;
  started_ms: string;
  counted_ms: string;
}

const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * Counts in one statement, on the database's clock; in one for each organization if they are `isApart`, on the nodes of a
 * cluster. A cluster refuses the clock in RETURNING, so the time of the last hit is a column.
 */
export class PostgresCounter implements WindowCounter {
  readonly storage = 'postgres';
  readonly fallbacks = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly lanes: Lanes,
    readonly isApart: boolean,
    readonly windowMs = WINDOW_MS,
  ) {}

  async count(
    hits: ReadonlyMap<string, number>,
    seen?: ReadonlyMap<string, SeenWindow>,
  ): Promise<Map<string, CountedWindow>> {
    if (seen && seen.size > 0) await this.goOnFrom(seen);
    const lives = `excluded.counted_ms < w.started_ms + ${this.windowMs}`;
    const rows = await this.write(
      [...hits].map(([key, hits]) => [key, hits, 0]),
      `hits       = CASE WHEN ${lives} THEN w.hits + excluded.hits ELSE excluded.hits END,
       started_ms = CASE WHEN ${lives} THEN w.started_ms ELSE excluded.started_ms END,
       counted_ms = excluded.counted_ms
       RETURNING organization_id, token_id, hits, started_ms, counted_ms`,
    );
    return new Map(
      rows.map((row) => [
        windowKey(row.organization_id, row.token_id),
        { hits: row.hits, startedAt: Number(row.started_ms), now: Number(row.counted_ms) },
      ]),
    );
  }

  /** A statement of its own, so that counting costs the same while no window comes from elsewhere. */
  private async goOnFrom(seen: ReadonlyMap<string, SeenWindow>): Promise<void> {
    const lives = `excluded.counted_ms < w.started_ms + ${this.windowMs}`;
    await this.write(
      [...seen].map(([key, { hits, remainingMs }]) => [key, hits, this.windowMs - remainingMs]),
      `hits       = CASE WHEN ${lives} THEN greatest(w.hits, excluded.hits) ELSE excluded.hits END,
       started_ms = CASE WHEN ${lives} THEN w.started_ms ELSE excluded.started_ms END
       WHERE excluded.started_ms > w.started_ms - ${SAME_WINDOW_MS}`,
    );
  }

  /** Adds to the windows, or changes those that exist. */
  private async write(additions: Addition[], change: string): Promise<WindowRow[]> {
    if (!this.isApart) return this.writeTogether(additions, change);
    const organizations = new Map<string, Addition[]>();
    for (const addition of additions) {
      const [organizationId] = idsOf(addition[0]);
      organizations.set(organizationId, [...(organizations.get(organizationId) ?? []), addition]);
    }
    const written = [...organizations].map(([organizationId, own]) =>
      this.lanes.run('quick', organizationId, () => this.writeTogether(own, change)),
    );
    return (await Promise.all(written)).flat();
  }

  private writeTogether(additions: Addition[], change: string): Promise<WindowRow[]> {
    const rows = additions
      .map(([key, hits, elapsedMs]) => [...idsOf(key), hits, elapsedMs] as const)
      .sort(([, a], [, b]) => (a < b ? -1 : 1)); // by token, the same order everywhere, or two replicas deadlock
    const parameters = new Parameters();
    const sql = `INSERT INTO ${tableName(this.dataSource, 'rate_limit_windows')} AS w (organization_id, token_id, hits, started_ms, counted_ms)
      ${this.isApart ? valuesOf(rows, parameters) : unnested(rows, parameters)}
      ON CONFLICT (organization_id, token_id) DO UPDATE SET ${change}`;
    // Retried on a broken connection although it writes, so that reads succeed; at worst a hit counts twice.
    return retryBroken(() => this.dataSource.query(sql, parameters.values));
  }
}

type Row = readonly [organizationId: string, tokenId: string, hits: number, elapsedMs: number];

/** A cluster inserts VALUES on one node, and what is selected with a transaction of several. */
function valuesOf(rows: Row[], parameters: Parameters): string {
  const values = rows.map((row) => {
    const [organizationId, tokenId, hits, elapsedMs] = row.map((cell) => parameters.bind(cell));
    return `(${organizationId}, ${tokenId}, ${hits}, ${NOW_MS} - ${elapsedMs}::integer, ${NOW_MS})`;
  });
  return `VALUES ${values.join(', ')}`;
}

/** Arrays take half as long as VALUES for many rows. */
function unnested(rows: Row[], parameters: Parameters): string {
  const columns = [0, 1, 2, 3].map((i) => parameters.bind(rows.map((row) => row[i])));
  const [organizationIds, tokenIds, hits, elapsedMs] = columns;
  return `SELECT organization_id, token_id, hits, ${NOW_MS} - elapsed_ms, ${NOW_MS}
    FROM unnest(${organizationIds}::text[], ${tokenIds}::text[], ${hits}::integer[], ${elapsedMs}::integer[]) AS rows (organization_id, token_id, hits, elapsed_ms)`;
}
