import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Background, type Job } from '../../background/background';
import { DATABASE } from '../../database/data-source';
import { describeError } from '../../database/errors';
import { tableName } from '../../database/tables';
import { systemCaller } from '../../http/caller';
import { UserPurge } from './user-purge';

/** The injection token of how many days deleted users are kept. */
export const DELETED_USERS_RETENTION_DAYS = Symbol('deleted users retention days');

const PURGE_EVERY_MS = 60 * 60_000;
const USERS_PER_BITE = 100;

/** Purges deleted users whose time is over. */
@Injectable()
export class DeletedUserRetention implements OnModuleInit {
  private readonly logger = new Logger('DeletedUserRetention');
  private readonly job: Job = {
    name: 'purge deleted users',
    everyMs: PURGE_EVERY_MS,
    run: (signal) => this.purgeOld(signal),
  };

  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly background: Background,
    private readonly purge: UserPurge,
    @Inject(DELETED_USERS_RETENTION_DAYS) readonly days: number,
  ) {}

  onModuleInit(): void {
    this.background.add(this.job);
  }

  /** Purges in a moment, when the transaction of a host is probably over. */
  soon(): void {
    this.background.soon(this.job);
  }

  /** Only the first statement asks every node of a cluster. */
  async purgeOld(signal?: AbortSignal): Promise<void> {
    const organizations: { id: string }[] = await this.dataSource.query(
      `SELECT DISTINCT organization_id AS id FROM ${this.table()} WHERE deleted_at <= now() - $1 * interval '24 hours'`,
      [this.days],
    );
    for (const { id } of organizations) {
      await this.purgeOldOf(id, signal).catch((error: unknown) => {
        const message = 'cannot purge deleted users of an organization; it will be tried again';
        this.logger.warn({ message, organizationId: id, error: describeError(error) });
      });
    }
  }

  private async purgeOldOf(organizationId: string, signal?: AbortSignal): Promise<void> {
    const by = systemCaller(organizationId, 'service', 'retention');
    const skipped: string[] = [];
    let failure: unknown;
    for (;;) {
      const users: { id: string; version: number }[] = await this.dataSource.query(
        `SELECT id, version FROM ${this.table()}
         WHERE organization_id = $1 AND deleted_at <= now() - $2 * interval '24 hours' AND id <> ALL ($3)
         ORDER BY deleted_at, id LIMIT ${USERS_PER_BITE}`,
        [organizationId, this.days, skipped],
      );
      if (users.length === 0) break;
      for (const { id, version } of users) {
        if (signal?.aborted) return;
        // The version, because a user who is restored and deleted again meanwhile has its whole time once more.
        const isPurged = await this.purge.purge(by, id, version).catch((error: unknown) => {
          failure = error;
          return false;
        });
        if (!isPurged) skipped.push(id);
      }
    }
    if (failure !== undefined) throw failure;
  }

  private table(): string {
    return tableName(this.dataSource, 'deleted_users');
  }
}
