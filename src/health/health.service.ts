import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../database/data-source';
import { pendingMigrations } from '../database/migrate';
import { retryBroken } from '../database/retry';

/** Most probes give up after a few seconds, so the answer must not take longer. */
const ANSWER_TIMEOUT_MS = 2_000;

const REMEMBERED_MS = 1_000;

@Injectable()
export class HealthService {
  private draining = false;
  private answer?: Promise<string | null>;

  constructor(@InjectDataSource(DATABASE) private readonly dataSource: DataSource) {}

  /** Makes the service not ready, so that it gets no new requests. */
  drain(): void {
    this.draining = true;
  }

  /** Anybody may ask, so all who ask within a second get one answer of the database. */
  async reasonNotReady(): Promise<string | null> {
    const shuttingDown = 'The service is shutting down.';
    if (this.draining) return shuttingDown;
    this.answer ??= this.askDatabase();
    const reason = await this.answer;
    return this.draining ? shuttingDown : reason;
  }

  private askDatabase(): Promise<string | null> {
    const noAnswer = 'The database does not answer.';
    const answer = Promise.race([
      retryBroken(() => this.reasonOfDatabase()).catch(() => noAnswer),
      sleep(ANSWER_TIMEOUT_MS, noAnswer, { ref: false }),
    ]);
    const forget = () => (this.answer = undefined);
    void answer.then(() => setTimeout(forget, REMEMBERED_MS).unref());
    return answer;
  }

  private async reasonOfDatabase(): Promise<string | null> {
    const [{ readOnly }] = await this.dataSource.query(
      `SELECT current_setting('transaction_read_only')::boolean AS "readOnly"`,
    );
    if (readOnly) return 'The database is read-only.';
    const pending = await pendingMigrations(this.dataSource);
    return pending.length > 0 ? 'The schema is older than this release. Run: ums migrate' : null;
  }
}
