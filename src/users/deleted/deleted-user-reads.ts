import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../../database/data-source';
import { isId } from '../../database/id';
import { Lanes } from '../../database/lanes';
import { retryBroken } from '../../database/retry';
import { tableName } from '../../database/tables';
import { DELETED_COLUMNS, type DeletedRow, type DeletedUser, userOf } from './deleted-user';

/** Reads a deleted user by its id. */
@Injectable()
export class DeletedUserReads {
  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly lanes: Lanes,
  ) {}

  async find(organizationId: string, id: string): Promise<DeletedUser | null> {
    if (!isId('usr', id)) return null;
    const sql = `SELECT ${DELETED_COLUMNS} FROM ${tableName(this.dataSource, 'deleted_users')}
      WHERE organization_id = $1 AND id = $2`;
    const read = () => retryBroken(() => this.dataSource.query(sql, [organizationId, id]));
    const [row]: DeletedRow[] = await this.lanes.run('quick', organizationId, read);
    return row ? userOf(organizationId, row) : null;
  }
}
