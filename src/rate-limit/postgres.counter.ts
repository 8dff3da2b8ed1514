import type { Database } from '../database/database';
import { join, query, raw, type Sql, sql } from '../database/sql';
import { RateLimitWindow } from './rate-limit-window.entity';
import {
  type CountedWindow,
  idsOf,
  MAX_AHEAD_MS,
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

const NOW_MS = raw('(extract(epoch FROM clock_timestamp()) * 1000)::bigint');

/**
 * Counts in one statement, on the database's clock. On a cluster, whose nodes each count their organizations, it needs one statement
 * for each organization. A cluster refuses the clock in RETURNING, so the time of the last hit is a column.
 */
export class PostgresCounter implements WindowCounter {
  readonly storage = 'postgres';
  readonly fallbacks = 0;

  constructor(
    private readonly database: Database,
    readonly countsPerOrganization: boolean,
    readonly windowMs = WINDOW_MS,
  ) {}

  async count(
    hits: ReadonlyMap<string, number>,
    seen?: ReadonlyMap<string, SeenWindow>,
  ): Promise<Map<string, CountedWindow>> {
    if (seen && seen.size > 0) await this.raiseTo(seen);
    const rows = await this.write(
      [...hits].map(([key, hits]) => [key, hits, 0]),
      sql`hits       = CASE WHEN ${this.isCurrent} THEN w.hits + excluded.hits ELSE excluded.hits END,
          started_ms = CASE WHEN ${this.isCurrent} THEN w.started_ms ELSE excluded.started_ms END,
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

  /** A statement of its own, so that counting costs the same while no window comes from another storage. */
  private async raiseTo(seen: ReadonlyMap<string, SeenWindow>): Promise<void> {
    await this.write(
      [...seen].map(([key, { hits, remainingMs }]) => [key, hits, this.windowMs - remainingMs]),
      sql`hits       = CASE WHEN ${this.isCurrent} THEN greatest(w.hits, excluded.hits) ELSE excluded.hits END,
          started_ms = CASE WHEN ${this.isCurrent} THEN w.started_ms ELSE excluded.started_ms END
          WHERE excluded.started_ms > w.started_ms - ${raw(String(SAME_WINDOW_MS))}`,
    );
  }

  /**
   * Adds to the windows, or changes existing ones. Repeated on a broken connection like a read, so that the counted requests
   * succeed; at worst a hit counts twice.
   */
  private async write(additions: Addition[], change: Sql): Promise<WindowRow[]> {
    if (!this.countsPerOrganization) return this.database.readAll(this.statement(additions, change));
    const organizations = new Map<string, Addition[]>();
    for (const addition of additions) {
      const [organizationId] = idsOf(addition[0]);
      organizations.set(organizationId, [...(organizations.get(organizationId) ?? []), addition]);
    }
    const written = [...organizations].map(([organizationId, own]) => {
      const statement = this.statement(own, change);
      return this.database.read(organizationId, (manager) => query<WindowRow>(manager, statement));
    });
    return (await Promise.all(written)).flat();
  }

  private statement(additions: Addition[], change: Sql): Sql {
    const rows = additions
      .map(([key, hits, elapsedMs]) => [...idsOf(key), hits, elapsedMs] as const)
      .sort(([, a], [, b]) => (a < b ? -1 : 1)); // by token, the same order everywhere, or two replicas deadlock
    return sql`
      INSERT INTO ${RateLimitWindow} AS w (organization_id, token_id, hits, started_ms, counted_ms)
      ${this.countsPerOrganization ? valuesOf(rows) : unnested(rows)}
      ON CONFLICT (organization_id, token_id) DO UPDATE SET ${change}`;
  }

  private get isCurrent(): Sql {
    return raw(
      `excluded.counted_ms BETWEEN w.started_ms - ${MAX_AHEAD_MS} AND w.started_ms + ${this.windowMs - 1}`,
    );
  }
}

type Row = readonly [organizationId: string, tokenId: string, hits: number, elapsedMs: number];

/** A cluster inserts VALUES on one node, and the rows of a SELECT in a transaction over several nodes. */
const valuesOf = (rows: Row[]): Sql =>
  sql`VALUES ${join(
    rows.map(
      ([organizationId, tokenId, hits, elapsedMs]) =>
        sql`(${organizationId}, ${tokenId}, ${hits}, ${NOW_MS} - ${elapsedMs}::integer, ${NOW_MS})`,
    ),
  )}`;

/** Arrays take half as long as VALUES for many rows. */
function unnested(rows: Row[]): Sql {
  const [organizationIds, tokenIds, hits, elapsedMs] = [0, 1, 2, 3].map((i) => rows.map((row) => row[i]));
  return sql`
    SELECT organization_id, token_id, hits, ${NOW_MS} - elapsed_ms, ${NOW_MS}
    FROM unnest(${organizationIds}::text[], ${tokenIds}::text[], ${hits}::integer[], ${elapsedMs}::integer[])
      AS rows (organization_id, token_id, hits, elapsed_ms)`;
}
