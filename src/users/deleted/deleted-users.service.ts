import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../../database/data-source';
import { Lanes } from '../../database/lanes';
import { tableName } from '../../database/tables';
import { type By, callerOf } from '../../http/caller';
import { notFound, taken } from '../../http/fault';
import { judgeOrThrow } from '../../http/input/judge';
import { type Page, paginate, type SortColumn } from '../../pages/paginate';
import { emailKey } from '../user.fields';
import { recordOf, type UserRecord } from '../user.record';
import { EMAIL_TAKEN } from '../users.faults';
import { UserWrites } from '../writes/user-writes';
import { DELETED_COLUMNS, type DeletedRow, type DeletedUser, userOf } from './deleted-user';
import { DeletedUserReads } from './deleted-user-reads';
import { DELETED_USERS_RETENTION_DAYS } from './deleted-user-retention';
import type { DeletedUserView } from './deleted-user.view';
import { ListDeletedUsersDto, RestoreUserDto } from './deleted-users.dto';
import { UserPurge } from './user-purge';

/** A deleted user, as every method of the service returns it. */
export type DeletedUserRecord = DeletedUserView;

const COLUMNS: SortColumn[] = [
  { column: 'deleted_at', property: 'deletedAt', type: 'time' },
  { column: 'id', property: 'id', type: 'text' },
];

const DAY_MS = 24 * 60 * 60_000;

/** Users who have been deleted, and not purged yet. */
@Injectable()
export class DeletedUsersService {
  /** @internal Nest constructs it. */
  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly reads: DeletedUserReads,
    private readonly writes: UserWrites,
    private readonly purges: UserPurge,
    private readonly lanes: Lanes,
    @Inject(DELETED_USERS_RETENTION_DAYS) private readonly days: number,
  ) {}

  /** The latest first. */
  async list(by: By, query: Partial<ListDeletedUsersDto> = {}): Promise<Page<DeletedUserRecord>> {
    const { organizationId } = callerOf(by);
    const { limit, cursor, email } = judgeOrThrow(ListDeletedUsersDto, query);
    const values: unknown[] = [organizationId];
    const key = email && emailKey(email);
    const filter = key ? `AND email_key = $${values.push(key)}` : '';
    const page = {
      select: `SELECT ${DELETED_COLUMNS} FROM ${tableName(this.dataSource, 'deleted_users')} WHERE organization_id = $1 ${filter}`,
      values,
      columns: COLUMNS,
      order: 'desc' as const,
      limit,
      cursor,
      list: ['deleted users', organizationId, { ...(key && { emailKey: key }) }],
    };
    const { data, nextCursor } = await this.lanes.run('quick', organizationId, () =>
      paginate<DeletedRow>(this.dataSource, page),
    );
    return { data: data.map((row) => this.recordOf(userOf(organizationId, row))), nextCursor };
  }

  async get(by: By, id: string): Promise<DeletedUserRecord> {
    const user = await this.reads.find(callerOf(by).organizationId, id);
    if (!user) throw deletedUserNotFound();
    return this.recordOf(user);
  }

  /** Makes it a user again, with its id and everything else, or with another email. */
  async restore(by: By, id: string, input: RestoreUserDto = {}): Promise<UserRecord> {
    const { email } = judgeOrThrow(RestoreUserDto, input);
    const { outcome, user } = await this.writes.restore(
      callerOf(by),
      id,
      email === undefined ? {} : { email },
    );
    if (outcome === 'taken') throw taken(EMAIL_TAKEN);
    if (!user) throw deletedUserNotFound();
    return recordOf(user);
  }

  /** Erases it for good, from the events and the search, too. */
  async purge(by: By, id: string): Promise<void> {
    if (!(await this.purges.purge(callerOf(by), id))) throw deletedUserNotFound();
  }

  private recordOf(user: DeletedUser): DeletedUserRecord {
    const { deletedAt } = user;
    return { ...recordOf(user), deletedAt, purgeAt: new Date(deletedAt.getTime() + this.days * DAY_MS) };
  }
}

const deletedUserNotFound = () => notFound('There is no such deleted user.');
