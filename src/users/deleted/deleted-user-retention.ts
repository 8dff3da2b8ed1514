import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Background, type Job } from '../../background/background';
import { Database } from '../../database/database';
import { query, sql } from '../../database/sql';
import { type Caller, systemCaller } from '../../http/caller';
import { SERVICE_OPTIONS } from '../../feature/options.module';
import { DeletedUser } from './deleted-user.entity';
import { UserPurge } from './user-purge';

export interface DeletedUsersOptions {
  deletedUsersRetentionDays: number;
}

const PURGE_EVERY_MS = 60 * 60_000;
const USERS_PER_ROUND = 100;

/** Purges deleted users whose retention period is over. */
@Injectable()
export class DeletedUserRetention implements OnModuleInit {
  private readonly job: Job = {
    name: 'purge deleted users',
    everyMs: PURGE_EVERY_MS,
    run: (signal) => this.purgeOld(signal),
  };

  constructor(
    private readonly database: Database,
    private readonly background: Background,
    private readonly purge: UserPurge,
    @Inject(SERVICE_OPTIONS) private readonly options: DeletedUsersOptions,
  ) {}

  onModuleInit(): void {
    this.background.add(this.job);
  }

  /** Purges a user who was deleted just now, if deleted users are not kept at all. */
  async afterDelete(database: Database, by: Caller, id: string): Promise<void> {
    if (this.options.deletedUsersRetentionDays > 0) return;
    if (database.isJoined)
      this.background.trigger(this.job); // the transaction of the host is probably over in a moment
    else await this.purge.run(by, id);
  }

  async purgeOld(signal?: AbortSignal): Promise<void> {
    await this.database.forEachOrganization(
      'purge deleted users',
      (after, limit) => sql`
        SELECT DISTINCT organization_id AS id FROM ${DeletedUser}
        WHERE organization_id > ${after} AND ${this.oldSql()} ORDER BY 1 LIMIT ${limit}`,
      (organizationId) => this.purgeOldOf(organizationId, signal),
      signal,
    );
  }

  /** A user who cannot be purged does not hold up others. */
  private async purgeOldOf(organizationId: string, signal?: AbortSignal): Promise<void> {
    const by = systemCaller(organizationId, 'service', 'retention');
    const skipped: string[] = [];
    let failure: unknown;
    for (;;) {
      const users = await this.database.read(organizationId, (manager) =>
        query<{ id: string; version: number }>(
          manager,
          sql`SELECT id, version FROM ${DeletedUser}
              WHERE organization_id = ${organizationId} AND ${this.oldSql()} AND id <> ALL (${skipped})
              ORDER BY deleted_at, id LIMIT ${USERS_PER_ROUND}`,
        ),
      );
      if (users.length === 0) break;
      for (const { id, version } of users) {
        if (signal?.aborted) return;
        // By version: a user who was restored and deleted again starts a new retention period.
        const isPurged = await this.purge.run(by, id, { version, signal }).catch((error: unknown) => {
          failure = error;
          return false;
        });
        if (!isPurged) skipped.push(id);
      }
    }
    if (failure !== undefined) throw failure;
  }

  private oldSql() {
    return sql`deleted_at <= now() - ${this.options.deletedUsersRetentionDays} * interval '24 hours'`;
  }
}
