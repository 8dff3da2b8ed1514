import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database';
import { OUTDATED, pendingMigrations } from '../database/migrate';
import { missingRight } from '../database/rights';
import { sql } from '../database/sql';

/** Shorter than the timeout of most probes, which is a few seconds. */
const ANSWER_TIMEOUT_MS = 2_000;

/** Anybody may ask, so the database is asked at most once in this time. */
const REUSED_MS = 1_000;

@Injectable()
export class HealthService {
  private starting = false;
  private draining = false;
  private answer?: Promise<string | null>;

  constructor(private readonly database: Database) {}

  /** Makes the service not ready until `started()`. */
  start(): void {
    this.starting = true;
  }

  started(): void {
    this.starting = false;
  }

  /** Makes the service not ready, so that it gets no new requests. */
  drain(): void {
    this.draining = true;
  }

  /** Why the service cannot take requests; null if it can. */
  async reasonNotReady(): Promise<string | null> {
    const shuttingDown = 'The service is shutting down.';
    if (this.draining) return shuttingDown;
    this.answer ??= this.askDatabase();
    const reason = await this.answer;
    if (this.draining) return shuttingDown;
    return reason ?? (this.starting ? 'The service is starting.' : null);
  }

  private askDatabase(): Promise<string | null> {
    const noAnswer = 'The database does not answer.';
    const answer = Promise.race([
      this.reasonOfDatabase().catch(() => noAnswer),
      sleep(ANSWER_TIMEOUT_MS, noAnswer, { ref: false }),
    ]);
    const askAgain = () => (this.answer = undefined);
    void answer.then(() => setTimeout(askAgain, REUSED_MS).unref());
    return answer;
  }

  private async reasonOfDatabase(): Promise<string | null> {
    const [{ readOnly }] = await this.database.readAll<{ readOnly: boolean }>(
      sql`SELECT current_setting('transaction_read_only')::boolean AS "readOnly"`,
    );
    if (readOnly) return 'The database is read-only.';
    const missing = await missingRight(this.database.dataSource);
    if (missing) {
      return `The database role lacks a right: ${missing}. Grant it, or run as the owner of the tables: ums migrate`;
    }
    const pending = await pendingMigrations(this.database.dataSource);
    return pending.length > 0 ? OUTDATED : null;
  }
}
