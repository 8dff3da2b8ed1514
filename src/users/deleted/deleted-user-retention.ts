import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Background, type Job } from '../../background/background';
import { Database } from '../../database/database';
import { describeError } from '../../database/errors';
import { query, sql } from '../../database/sql';
import { type Caller, systemCaller } from '../../http/caller';
import { SERVICE_OPTIONS } from '../../feature/options.module';
import { DeletedUser } from './deleted-user.entity';
import { UserPurge } from './user-purge';

export interface DeletedUsersOptions {
  deletedUsersRetentionDays: number;
}

const PURGE_EVERY_MS = 60 * 60_000;
const USERS_PER_PART = 10;

/** Purges deleted users whose retention period is over. */
@Injectable()
export class DeletedUserRetention implements OnModuleInit {
  private readonly logger = new Logger('DeletedUserRetention');
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

  private async purgeOld(signal: AbortSignal): Promise<void> {
    const skipped: string[] = [];
    const old = {
      name: this.job.name,
      organizations: (after: string, limit: number) => sql`
        SELECT DISTINCT organization_id AS id FROM ${DeletedUser}
        WHERE organization_id > ${after} AND ${this.oldSql()} ORDER BY 1 LIMIT ${limit}`,
      part: (organizationId: string) => this.purgeSome(organizationId, skipped, signal),
    };
    await this.background.forEachOrganization(old, signal);
  }

  /** A user who cannot be purged is skipped until the next run, and does not hold up others. */
  private async purgeSome(organizationId: string, skipped: string[], signal: AbortSignal): Promise<boolean> {
    const by = systemCaller(organizationId, 'service', 'retention');
    const users = await this.database.read(organizationId, (manager) =>
      query<{ id: string; version: number }>(
        manager,
        sql`SELECT id, version FROM ${DeletedUser}
            WHERE organization_id = ${organizationId} AND ${this.oldSql()} AND id <> ALL (${skipped})
            ORDER BY deleted_at, id LIMIT ${USERS_PER_PART}`,
      ),
    );
    for (const { id, version } of users) {
      if (signal.aborted) return false;
      // By version: a user who was restored and deleted again starts a new retention period.
      const isPurged = await this.purge.run(by, id, { version, signal }).catch((error: unknown) => {
        const message = 'cannot purge a deleted user; it will be tried again';
        this.logger.warn({ message, organizationId, userId: id, error: describeError(error) });
        return false;
      });
      if (!isPurged) skipped.push(id);
    }
    return users.length === USERS_PER_PART;
  }

  private oldSql() {
    return sql`deleted_at <= now() - ${this.options.deletedUsersRetentionDays} * interval '24 hours'`;
  }
}
