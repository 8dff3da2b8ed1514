import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource, EntityManager } from 'typeorm';
import { DATABASE } from '../../database/data-source';
import { Lanes } from '../../database/lanes';
import { Parameters } from '../../database/parameters';
import { retryRolledBack } from '../../database/retry';
import { tableName } from '../../database/tables';
import { emptyEvents } from '../../events/empty-events';
import { recordEvents } from '../../events/record-events';
import type { Caller } from '../../http/caller';
import { IdempotencyKeys } from '../../idempotency/idempotency-keys';
import { PurgedWords } from '../search/purged-words';
import { purged } from '../writes/user-events';
import { DeletedUserReads } from './deleted-user-reads';
import type { DeletedUser } from './deleted-user';

/** Erases a deleted user for good: afterwards no table has a name, an email or metadata of it. */
@Injectable()
export class UserPurge {
  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly reads: DeletedUserReads,
    private readonly idempotencyKeys: IdempotencyKeys,
    private readonly words: PurgedWords,
    private readonly lanes: Lanes,
  ) {}

  /** Whether there was such a deleted user, of that version if one is given. */
  async purge(by: Caller, id: string, version?: number): Promise<boolean> {
    const { organizationId } = by;
    for (;;) {
      const user = await this.reads.find(organizationId, id);
      if (!user || (version !== undefined && user.version !== version)) return false;
      // Before the user, so that a purge that ends here is done again. Words of a user who is restored meanwhile come back.
      await this.words.forgetOf(organizationId, id);
      const isErased = await this.lanes.run('write', organizationId, () =>
        retryRolledBack(() => this.dataSource.transaction((manager) => this.erase(manager, by, user))),
      );
      if (isErased) return true;
    }
  }

  /** Whether the user was still deleted, and had not been restored and deleted again. */
  private async erase(manager: EntityManager, by: Caller, { id, version }: DeletedUser): Promise<boolean> {
    const { organizationId } = by;
    const table = (name: string) => tableName(manager.dataSource, name);
    const [, count] = await manager.query<[unknown, number]>(
      `DELETE FROM ${table('deleted_users')} WHERE organization_id = $1 AND id = $2 AND version = $3`,
      [organizationId, id, version],
    );
    if (count === 0) return false;
    await emptyEvents(manager, organizationId, id);
    await this.idempotencyKeys.forgetUser(manager, organizationId, id);
    await manager.query(
      `DELETE FROM ${table('replaced_texts')} WHERE organization_id = $1 AND user_id = $2`,
      [organizationId, id],
    );
    const parameters = new Parameters();
    const steps = recordEvents(this.dataSource, parameters, parameters.bind(organizationId), [
      purged(by, id),
    ]);
    await manager.query(`WITH ${steps.join(', ')} SELECT`, parameters.values);
    return true;
  }
}
