import { Injectable } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { EntityManager } from 'typeorm';
import { DATABASE } from '../../database/data-source';
import { isId } from '../../database/id';
import { NO_LANES } from '../../database/join-transaction';
import { Lanes } from '../../database/lanes';
import { GroupedLoader } from '../../database/per-turn';
import { retryBroken } from '../../database/retry';
import { tableName } from '../../database/tables';
import { USER_COLUMNS } from '../user-columns';
import type { User } from '../user.entity';

/** Reads users by their ids: those of an organization in one turn of the event loop by one statement; nothing is cached. */
@Injectable()
export class UserReads {
  private readonly users = new GroupedLoader<string, User | null>((ids, organizationId) =>
    this.findAll(organizationId, ids),
  );

  constructor(
    @InjectEntityManager(DATABASE) private readonly manager: EntityManager,
    private readonly lanes: Lanes,
  ) {}

  /** The same in a transaction of a host. */
  within(manager: EntityManager): UserReads {
    return new UserReads(manager, NO_LANES);
  }

  async find(organizationId: string, id: string): Promise<User | null> {
    return isId('usr', id) ? this.users.load(organizationId, id) : null;
  }

  private async findAll(organizationId: string, ids: readonly string[]): Promise<(User | null)[]> {
    const sql = `SELECT ${USER_COLUMNS} FROM ${tableName(this.manager.dataSource, 'users')} WHERE organization_id = $1 AND id = ANY ($2)`;
    const read = () => retryBroken(() => this.manager.query(sql, [organizationId, ids]));
    const rows: Omit<User, 'organizationId'>[] = await this.lanes.run('quick', organizationId, read);
    const byId = new Map(rows.map((row) => [row.id, { organizationId, ...row }]));
    return ids.map((id) => byId.get(id) ?? null);
  }
}
