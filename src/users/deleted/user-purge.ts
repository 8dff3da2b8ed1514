import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import { type EmptiedEvent, emptyEvents, hasLongHistory } from '../../events/log/empty-events';
import { recordEvents } from '../../events/record-events';
import { Background, type Job } from '../../platform/background/background';
import { Database } from '../../platform/database/database';
import { describeError } from '../../platform/database/errors';
import { findLocked } from '../../platform/database/find-locked';
import { isId } from '../../platform/database/id';
import { query, type Sql, sql } from '../../platform/database/sql';
import type { FeatureModule } from '../../platform/feature/feature';
import { SERVICE_OPTIONS } from '../../platform/feature/options.module';
import type { PersonalTable } from '../../platform/feature/personal-data';
import { type Caller, systemCaller } from '../../platform/http/caller';
import { userPurged } from '../user/user.events';
import { DeletedUser } from './deleted-user.entity';

export interface DeletedUsersOptions {
  deletedUsersRetentionDays: number;
}

const PURGE_EVERY_MS = 60 * 60_000;
const USERS_PER_PART = 10;

/**
 * Erases deleted users for good, on request or when their retention period is over: afterwards no table has a name, an
 * email or metadata of them.
 */
@Injectable()
export class UserPurge implements OnModuleInit {
  private readonly logger = new Logger('UserPurge');
  private readonly job: Job = {
    name: 'purge deleted users',
    everyMs: PURGE_EVERY_MS,
    run: (signal) => this.purgeOld(signal),
  };

  constructor(
    private readonly database: Database,
    private readonly background: Background,
    private readonly modules: ModulesContainer,
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
    else await this.run(by, id);
  }

  /**
   * Returns whether there was such a deleted user, with this version if one is given. Throws if the signal is aborted
   * meanwhile; an interrupted purge is repeated.
   */
  async run(
    by: Caller,
    id: string,
    { version, signal }: { version?: number; signal?: AbortSignal } = {},
  ): Promise<boolean> {
    const { organizationId } = by;
    const where = { organizationId, id, ...(version !== undefined && { version }) };
    if (!isId('usr', id)) return false;
    // A long history takes many statements that each commit. The user goes last: an interrupted purge is repeated.
    const isDeleted = (manager: EntityManager) => findLocked(manager, DeletedUser, where);
    const commit = (statement: Sql) =>
      this.database.write(
        organizationId,
        async (manager) => ((await isDeleted(manager)) ? query<EmptiedEvent>(manager, statement) : []),
        'heavy',
      );
    const isLong = await this.database.read(
      organizationId,
      async (manager) =>
        (await manager.existsBy(DeletedUser, where)) && (await hasLongHistory(manager, organizationId, id)),
    );
    if (isLong) await emptyEvents(commit, organizationId, id, signal);
    return this.database.write(organizationId, async (manager) => {
      if (!(await isDeleted(manager))) return false;
      for (const { purge } of this.personalTables())
        if (typeof purge === 'function') await purge(manager, organizationId, id);
      await recordEvents(manager, userPurged(by, id));
      return true;
    });
  }

  /** The tables with data of users, of all features. */
  private personalTables(): readonly PersonalTable[] {
    const modules = [...this.modules.values()].map(({ metatype }) => metatype as Partial<FeatureModule>);
    return modules.flatMap(({ feature }) => feature?.personal ?? []);
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
      const isPurged = await this.run(by, id, { version, signal }).catch((error: unknown) => {
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
