import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Database } from '../database/database';
import { describeError } from '../database/errors';
import { execute, sql } from '../database/sql';
import { Token } from '../tokens/token.entity';

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

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  record(tokenId: string): void {
    this.usedAt.set(tokenId, performance.now());
  }

  /** Writes the recorded uses. If that fails, the next flush writes them. */
  async flush(): Promise<void> {
    if (this.usedAt.size === 0) return;
    const used = [...this.usedAt];
    this.usedAt = new Map();
    const now = performance.now();
    // Sends ages rather than times, because `lastUsedAt` is on the database's clock; a cluster refuses now() beside a
    // column of the updated table. Rows are locked in the order of their ids, or two replicas could deadlock.
    const statement = sql`
      UPDATE ${Token} AS tokens SET last_used_at = greatest(last_used_at, used.at)
      FROM (
        SELECT tokens.id, recent.at
        FROM ${Token} AS tokens JOIN (
          SELECT id, now() - age_ms * interval '1 millisecond' AS at
          FROM unnest(${used.map(([id]) => id)}::text[], ${used.map(([, at]) => now - at)}::float8[]) AS ages (id, age_ms)
        ) AS recent USING (id)
        ORDER BY tokens.id
        FOR UPDATE OF tokens
      ) AS used
      WHERE tokens.id = used.id`;
    await this.database
      .writeAll((manager) => execute(manager, statement))
      .catch((error: unknown) => {
        this.logger.warn({ message: 'lastUsedAt could not be saved', error: describeError(error) });
        for (const [id, at] of used) if (!this.usedAt.has(id)) this.usedAt.set(id, at);
      });
  }
}
