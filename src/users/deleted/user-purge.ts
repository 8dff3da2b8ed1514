import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../database/database';
import { findLocked } from '../../database/find-locked';
import { isId } from '../../database/id';
import { query, type Sql } from '../../database/sql';
import { type EmptiedEvent, emptyEvents, hasLongHistory } from '../../events/log/empty-events';
import { recordEvents } from '../../events/record-events';
import type { Caller } from '../../http/caller';
import { IdempotencyKeys } from '../../idempotency/idempotency-keys';
import { userPurged } from '../user/user.events';
import { UserLifecycle } from '../user/user-lifecycle';
import { DeletedUser } from './deleted-user.entity';

/** Erases deleted users for good: afterwards no table has a name, an email or metadata of them. */
@Injectable()
export class UserPurge {
  constructor(
    private readonly database: Database,
    private readonly idempotencyKeys: IdempotencyKeys,
    private readonly lifecycle: UserLifecycle,
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
      await this.erase(manager, by, id);
      return true;
    });
  }

  private async erase(manager: EntityManager, by: Caller, id: string): Promise<void> {
    const { organizationId } = by;
    await manager.delete(DeletedUser, { organizationId, id });
    await emptyEvents((statement) => query(manager, statement), organizationId, id);
    await this.idempotencyKeys.forgetUser(manager, organizationId, id);
    await this.lifecycle.purged(manager, organizationId, id);
    await recordEvents(manager, userPurged(by, id));
  }
}
