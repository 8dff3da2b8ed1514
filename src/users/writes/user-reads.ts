import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import DataLoader from 'dataloader';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../../database/data-source';
import { isId } from '../../database/id';
import { PER_TURN } from '../../database/per-turn';
import { retryBroken } from '../../database/retry';
import { tableName } from '../../database/tables';
import { USER_COLUMNS } from '../user-columns';
import type { User } from '../user.entity';

/** Reads users by their ids: those of one turn of the event loop in one statement; nothing is cached. */
@Injectable()
export class UserReads {
  private readonly byId = new DataLoader<[organizationId: string, id: string], User | null>(
    (keys) => this.findAll(keys),
    PER_TURN,
  );

  constructor(@InjectDataSource(DATABASE) private readonly dataSource: DataSource) {}

  async find(organizationId: string, id: string): Promise<User | null> {
    return isId('usr', id) ? this.byId.load([organizationId, id]) : null;
  }

  private async findAll(keys: readonly [organizationId: string, id: string][]): Promise<(User | null)[]> {
    const rows: User[] = await retryBroken(() =>
      this.dataSource.query(
        `SELECT organization_id AS "organizationId", ${USER_COLUMNS}
         FROM unnest($1::text[], $2::text[]) AS wanted (wanted_organization_id, wanted_id)
         JOIN ${tableName(this.dataSource, 'users')} ON organization_id = wanted_organization_id AND id = wanted_id`,
        [keys.map(([organizationId]) => organizationId), keys.map(([, id]) => id)],
      ),
    );
    const byKey = new Map(rows.map((user) => [`${user.organizationId} ${user.id}`, user]));
    return keys.map((key) => byKey.get(key.join(' ')) ?? null);
  }
}
