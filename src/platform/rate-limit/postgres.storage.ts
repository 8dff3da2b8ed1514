import type { EntityManager } from 'typeorm';
import type { Database } from '../database/database';
import { GroupedLoader } from '../database/per-turn';
import { execute, join, query, raw, type Sql, sql } from '../database/sql';
import { ExpiringMap } from './expiring-map';
import { RateLimitWindow } from './rate-limit-window.entity';
import { splitKey, WINDOW_MS, windowKey, type WindowRecord, windowRecord, WindowStorage } from './window';

/** A window that starts this far in the future dates from before the server's clock was set back, and is over. */
const MAX_AHEAD_MS = 1_000;

const NOW_MS = raw('(extract(epoch FROM clock_timestamp()) * 1000)::bigint');

/** The group of all organizations, if they need not be counted apart. */
const TOGETHER = '';

interface Hits {
  key: string;
  hits: number;
}

interface Window {
  hits: number;
  resetAt: number;
  remainingMs: number;
}

interface ExhaustedWindow {
  /** A limit that is raised within the window leaves some of it. */
  limit: number;
  resetAt: number;
  until: number;
}

interface WindowRow {
  organization_id: string;
  token_id: string;
  hits: number;
  started_ms: string;
  counted_ms: string;
}

/**
 * Counts exactly across all processes, on the database's clock. The hits of one turn of the event loop go in one
 * statement, and a caller over its limit causes no further statement until its window ends.
 */
export class PostgresStorage extends WindowStorage {
  private readonly hits = new GroupedLoader<Hits, Window>((all, group) => this.count(all, group));
  private readonly exhausted: ExpiringMap<string, ExhaustedWindow>;

  /**
   * `countsPerOrganization` sends one statement for each organization, because the node of one may be down while others
   * answer, or because the callers have no token and get the share of one organization.
   */
  constructor(
    private readonly database: Database,
    private readonly countsPerOrganization: boolean,
    private readonly windowMs = WINDOW_MS,
  ) {
    super();
    this.exhausted = new ExpiringMap(windowMs);
  }

  async add(key: string, count: number, limit: number): Promise<WindowRecord> {
    const window = this.exhaustedWindow(key);
    if (window && window.limit >= limit)
      return windowRecord(limit + 1, limit, window.resetAt, window.until - performance.now());
    const group = this.countsPerOrganization ? splitKey(key)[0] : TOGETHER;
    const { hits, resetAt, remainingMs } = await this.hits.load(group, { key, hits: count });
    if (hits > limit) this.exhausted.set(key, { limit, resetAt, until: performance.now() + remainingMs });
    return windowRecord(hits, limit, resetAt, remainingMs);
  }

  /** The window if this process knows that it is used up. Causes no statement. */
  exhaustedWindow(key: string): ExhaustedWindow | undefined {
    const window = this.exhausted.get(key);
    return window && window.until > performance.now() ? window : undefined;
  }

  private async count(all: readonly Hits[], group: string): Promise<Window[]> {
    const batch = new Map<string, number>();
    for (const { key, hits } of all) batch.set(key, (batch.get(key) ?? 0) + hits);
    const rows = await this.write(batch, group);
    const windows = new Map(rows.map((row) => [windowKey(row.organization_id, row.token_id), row]));
    // A window includes the hits of the whole batch; each caller's hits get numbers of their own, in order.
    const numbered = new Map([...batch].map(([key, hits]) => [key, windows.get(key)!.hits - hits]));
    return all.map(({ key, hits }) => {
      const { started_ms, counted_ms } = windows.get(key)!;
      const last = numbered.get(key)! + hits;
      numbered.set(key, last);
      const resetAt = Number(started_ms) + this.windowMs;
      return { hits: last, resetAt, remainingMs: resetAt - Number(counted_ms) };
    });
  }

  /**
   * Adds hits to the windows, and returns these. Repeated on a broken connection like a read, so that the counted
   * requests succeed; at worst a hit counts again. A cluster refuses the clock in RETURNING, so that time is a column.
   */
  private write(hits: ReadonlyMap<string, number>, group: string): Promise<WindowRow[]> {
    const rows = [...hits]
      .map(([key, hits]) => [...splitKey(key), hits] as const)
      .sort(([, a], [, b]) => (a < b ? -1 : 1)); // by token, the same order everywhere, or two replicas deadlock
    const currentSql = raw(
      `excluded.counted_ms BETWEEN w.started_ms - ${MAX_AHEAD_MS} AND w.started_ms + ${this.windowMs - 1}`,
    );
    const statement = sql`
      INSERT INTO ${RateLimitWindow} AS w (organization_id, token_id, hits, started_ms, counted_ms)
      ${this.countsPerOrganization ? valuesOf(rows) : unnested(rows)}
      ON CONFLICT (organization_id, token_id) DO UPDATE SET
        hits       = CASE WHEN ${currentSql} THEN w.hits + excluded.hits ELSE excluded.hits END,
        started_ms = CASE WHEN ${currentSql} THEN w.started_ms ELSE excluded.started_ms END,
        counted_ms = excluded.counted_ms
      RETURNING organization_id, token_id, hits, started_ms, counted_ms`;
    return this.countsPerOrganization
      ? this.database.read(group, (manager) => query<WindowRow>(manager, statement))
      : this.database.readAll(statement);
  }
}

/** Takes back what has been counted beyond a limit that is about to be raised: a refused request does not count. */
export const forgetRefused = (
  manager: EntityManager,
  organizationId: string,
  windowId: string,
  limit: number,
): Promise<number> =>
  execute(
    manager,
    sql`UPDATE ${RateLimitWindow} SET hits = ${limit}
        WHERE organization_id = ${organizationId} AND token_id = ${windowId} AND hits > ${limit}`,
  );

type Row = readonly [organizationId: string, tokenId: string, hits: number];

/** A cluster inserts VALUES on one node, and the rows of a SELECT in a transaction over several nodes. */
const valuesOf = (rows: Row[]): Sql =>
  sql`VALUES ${join(
    rows.map(
      ([organizationId, tokenId, hits]) =>
        sql`(${organizationId}, ${tokenId}, ${hits}, ${NOW_MS}, ${NOW_MS})`,
    ),
  )}`;

/** Arrays take half as long as VALUES for many rows. */
function unnested(rows: Row[]): Sql {
  const [organizationIds, tokenIds, hits] = [0, 1, 2].map((i) => rows.map((row) => row[i]));
  return sql`
    SELECT organization_id, token_id, hits, ${NOW_MS}, ${NOW_MS}
    FROM unnest(${organizationIds}::text[], ${tokenIds}::text[], ${hits}::integer[])
      AS rows (organization_id, token_id, hits)`;
}
