import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../platform/database/database';
import { describeError } from '../platform/database/errors';
import { query, raw, type Sql, sql } from '../platform/database/sql';
import { Token } from '../tokens/token/token.entity';

const FLUSH_EVERY_MS = 30_000;

/** Keeps `lastUsedAt`: recorded in memory on each request, and written for all tokens at once every 30 seconds. */
@Injectable()
export class LastUse implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('LastUse');
  private usedAt = new Map<string, number>();
  private timer?: NodeJS.Timeout;

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS).unref();
  }

  /** Nothing flushes later, so this waits for the rows that a flush skips. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    const { locked } = await this.flush();
    if (locked > 0) await this.write(raw(''));
  }

  record(tokenId: string): void {
    this.usedAt.set(tokenId, performance.now());
  }

  /**
   * Writes the recorded uses. If that fails, the next flush writes them. It skips tokens whose rows are locked, so that
   * the others do not wait for them, and leaves them to the next flush, too.
   */
  flush(): Promise<{ locked: number }> {
    return this.write(raw('SKIP LOCKED'));
  }

  private async write(ifLocked: Sql): Promise<{ locked: number }> {
    if (this.usedAt.size === 0) return { locked: 0 };
    const used = this.usedAt;
    this.usedAt = new Map();
    const keep = (ids: Iterable<string>) => {
      for (const id of ids) if (!this.usedAt.has(id)) this.usedAt.set(id, used.get(id)!);
    };
    try {
      const locked = await this.database.writeAll((manager) => update(manager, used, ifLocked));
      keep(locked);
      return { locked: locked.length };
    } catch (error) {
      this.logger.warn({ message: 'lastUsedAt could not be saved', error: describeError(error) });
      keep(used.keys());
      return { locked: 0 };
    }
  }
}

/** Writes when tokens were used. Returns the ids of those that it skipped because their rows are locked. */
async function update(
  manager: EntityManager,
  used: ReadonlyMap<string, number>,
  ifLocked: Sql,
): Promise<string[]> {
  const now = performance.now();
  const ids = [...used.keys()];
  const ages = [...used.values()].map((at) => now - at);
  // Sends ages rather than times, because `lastUsedAt` is on the database's clock; a cluster refuses now() beside a
  // column of the updated table. Rows are locked in the order of their ids, or two replicas could deadlock.
  const written = await query<{ id: string }>(
    manager,
    sql`
      UPDATE ${Token} AS tokens SET last_used_at = greatest(last_used_at, used.at)
      FROM (
        SELECT tokens.id, recent.at
        FROM ${Token} AS tokens JOIN (
          SELECT id, now() - age_ms * interval '1 millisecond' AS at
          FROM unnest(${ids}::text[], ${ages}::float8[]) AS ages (id, age_ms)
        ) AS recent USING (id)
        ORDER BY tokens.id
        FOR UPDATE OF tokens ${ifLocked}
      ) AS used
      WHERE tokens.id = used.id
      RETURNING tokens.id`,
  );
  const done = new Set(written.map(({ id }) => id));
  const others = ids.filter((id) => !done.has(id));
  if (others.length === 0) return [];
  // A token that is gone is not locked.
  const locked = await query<{ id: string }>(
    manager,
    sql`SELECT id FROM ${Token} WHERE id = ANY (${others})`,
  );
  return locked.map(({ id }) => id);
}
