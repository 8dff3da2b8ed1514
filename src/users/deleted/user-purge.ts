import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { EntityManager } from 'typeorm';
import { Database } from '../../database/database';
import { findLocked } from '../../database/find-locked';
import { isId } from '../../database/id';
import { query, type Sql } from '../../database/sql';
import { type EmptiedEvent, emptyEvents, hasLongHistory } from '../../events/log/empty-events';
import { recordEvents } from '../../events/record-events';
import type { FeatureModule } from '../../feature/feature';
import type { PersonalTable } from '../../feature/personal-data';
import type { Caller } from '../../http/caller';
import { userPurged } from '../user/user.events';
import { DeletedUser } from './deleted-user.entity';

/** Erases deleted users for good: afterwards no table has a name, an email or metadata of them. */
@Injectable()
export class UserPurge {
  constructor(
    private readonly database: Database,
    private readonly modules: ModulesContainer,
  ) {}

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
    if (!(await this.database.read(organizationId, (manager) => manager.existsBy(DeletedUser, where))))
      return false;
    // A long history takes many statements that each commit. The user goes last: an interrupted purge is repeated.
    const isDeleted = (manager: EntityManager) => findLocked(manager, DeletedUser, where);
    const commit = (statement: Sql) =>
      this.database.write(
        organizationId,
        async (manager) => ((await isDeleted(manager)) ? query<EmptiedEvent>(manager, statement) : []),
        'heavy',
      );
    const isLong = await this.database.read(organizationId, (manager) =>
      hasLongHistory(manager, organizationId, id),
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
}
