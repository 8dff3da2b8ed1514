import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { pendingMigrations } from '../database/migrate';

@Injectable()
export class HealthService {
  private draining = false;

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** From now on no new requests should come here. */
  drain(): void {
    this.draining = true;
  }

  async reasonNotReady(): Promise<string | null> {
    if (this.draining) return 'The service is shutting down.';
    const pending = await pendingMigrations(this.dataSource).catch(() => null);
    if (pending === null) return 'The database does not answer.';
    return pending.length > 0 ? 'The schema is older than this release. Run: ums migrate' : null;
  }
}
