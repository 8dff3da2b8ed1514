import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../database/data-source';
import { pendingMigrations } from '../database/migrate';
import { retryBroken } from '../database/retry';

/** A probe that waits longer is one that has given up. */
const PATIENCE_MS = 2_000;

@Injectable()
export class HealthService {
  private draining = false;

  constructor(@InjectDataSource(DATABASE) private readonly dataSource: DataSource) {}

  /** From now on no new requests should come here. */
  drain(): void {
    this.draining = true;
  }

  async reasonNotReady(): Promise<string | null> {
    if (this.draining) return 'The service is shutting down.';
    const noAnswer = 'The database does not answer.';
    return Promise.race([
      retryBroken(() => this.reasonOfDatabase()).catch(() => noAnswer),
      sleep(PATIENCE_MS, noAnswer, { ref: false }),
    ]);
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
