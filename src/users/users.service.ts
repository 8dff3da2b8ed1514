import { Injectable, PreconditionFailedException } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { EntityManager } from 'typeorm';
import { DATABASE } from '../database/data-source';
import { isReferenced, violates } from '../database/errors';
import { joinTransaction, NO_LANES } from '../database/join-transaction';
import { Lanes } from '../database/lanes';
import { tableName } from '../database/tables';
import { conflict, notFound, taken } from '../http/fault';
import { type Order, type Page, paginate, type SortColumn } from '../pages/paginate';
import { type By, type Caller, callerOf } from '../http/caller';
import type { Claim } from '../http/input/idempotency-key';
import { judgeOrThrow } from '../http/input/judge';
import { TEXT_COLUMNS, USER_COLUMNS, type UserText, withDefaults } from './user-columns';
import type { Precondition } from './writes/user-decisions';
import type { User } from './user.entity';
import { recordOf, type UserRecord } from './user.record';
import { EMAIL_TAKEN } from './users.faults';
import { emailKey, USER_FIELD_LIST, USER_FIELDS, USER_SORTS, type UserSort } from './user.fields';
import { DeletedUserRetention } from './deleted/deleted-user-retention';
import { UserPurge } from './deleted/user-purge';
import { UserReads } from './writes/user-reads';
import { type Outcome, UserWrites } from './writes/user-writes';
import { CreateUserDto, ListUsersDto, UpdateUserDto } from './users.dto';

/** The columns and the default direction of each sort order; `select` adds the columns that are not fields. */
const SORTS = Object.fromEntries(
  USER_SORTS.map((sort) => {
    const { by, order } = USER_FIELDS[sort].sort;
    const columns = by.map((column): SortColumn => {
      const field = USER_FIELD_LIST.find((field) => field.column === column);
      return { column, property: field?.name ?? column, type: field?.kind === 'time' ? 'time' : 'text' };
    });
    const extra = by.filter((column) => !USER_FIELD_LIST.some((field) => field.column === column));
    return [sort, { columns, order, select: extra.map((column) => `, ${column}`).join('') }];
  }),
) as Record<UserSort, { columns: SortColumn[]; order: Order; select: string }>;

@Injectable()
export class UsersService {
  private readonly table: string;

  /** @internal Nest constructs it. */
  constructor(
    @InjectEntityManager(DATABASE) private readonly manager: EntityManager,
    private readonly reads: UserReads,
    private readonly writes: UserWrites,
    private readonly purge: UserPurge,
    private readonly retention: DeletedUserRetention,
    private readonly lanes: Lanes,
  ) {
    this.table = tableName(manager.dataSource, 'users');
  }

  /**
   * The same service in an open transaction of the application: what it writes is committed or rolled back with the
   * application's own rows, and it sees them. A call that throws leaves the transaction usable. Await each call before the next
   * statement, because a transaction has one connection. Throws if the manager is not in a transaction of the data source.
   */
  within(manager: EntityManager): UsersService {
    const joined = joinTransaction(this.manager.dataSource, manager);
    const [reads, writes] = [this.reads.within(joined), this.writes.within(joined)];
    return new UsersService(joined, reads, writes, this.purge, this.retention, NO_LANES);
  }

  async list(by: By, query: Partial<ListUsersDto> = {}): Promise<Page<UserRecord>> {
    const { data, nextCursor } = await this.page<User>(USER_COLUMNS, callerOf(by), query);
    return { data: data.map(recordOf), nextCursor };
  }

  /** The same page with values as text, ready for a JSON response. */
  listAsText(by: By, query: Partial<ListUsersDto> = {}): Promise<Page<UserText>> {
    return this.page(TEXT_COLUMNS, callerOf(by), query);
  }

  async create(by: By, user: CreateUserDto): Promise<UserRecord> {
    return (await this.createOnce(by, user)).user;
  }

  /** With a claim, returns what the same request has created before, whatever has become of it. */
  async createOnce(
    by: By,
    user: CreateUserDto,
    claim?: Claim,
  ): Promise<{ user: UserRecord; isReplay: boolean }> {
    const fields = withDefaults(judgeOrThrow(CreateUserDto, user));
    const outcome = await this.writes.insert(callerOf(by), fields, claim).catch(rethrowViolation);
    return { user: writtenOrThrow(outcome), isReplay: outcome.outcome === 'replayed' };
  }

  async get(by: By, id: string): Promise<UserRecord> {
    const { organizationId } = callerOf(by);
    const user = await this.reads.find(organizationId, id);
    if (!user) throw userNotFound();
    return recordOf(user);
  }

  /** Throws a 412, and changes nothing, if the version of the user does not meet the precondition. */
  async update(
    by: By,
    id: string,
    changes: UpdateUserDto,
    precondition: Precondition = always,
  ): Promise<UserRecord> {
    const fields = judgeOrThrow(UpdateUserDto, changes);
    return writtenOrThrow(await this.writes.update(callerOf(by), id, fields, precondition));
  }

  /**
   * Moves the user to the deleted ones, or purges it if those are not kept at all. Throws a 412, and deletes nothing, if the version
   * of the user does not meet the precondition.
   */
  async delete(by: By, id: string, precondition: Precondition = always): Promise<void> {
    writtenOrThrow(await this.writes.delete(callerOf(by), id, precondition).catch(rethrowReference));
    if (this.retention.days > 0) return;
    if (this.manager.queryRunner) this.retention.soon();
    else await this.purge.purge(callerOf(by), id);
  }

  private async page<Row extends object>(
    fieldColumns: string,
    { organizationId }: Caller,
    query: Partial<ListUsersDto>,
  ): Promise<Page<Row>> {
    const { sort, order: requested, limit, cursor, email, role } = judgeOrThrow(ListUsersDto, query);
    const { columns, select, order: byDefault } = SORTS[sort];
    const order = requested ?? byDefault;
    const values: unknown[] = [organizationId];
    const conditions = ['organization_id = $1'];
    let rows = this.table;
    if (email) {
      // OFFSET 0 keeps the order of the list out of it: the user is looked up by its unique key.
      const key = `email_key = $${values.push(emailKey(email))}`;
      rows = `(SELECT * FROM ${this.table} WHERE organization_id = $1 AND ${key} OFFSET 0) AS users`;
    }
    if (role) conditions.push(`role = $${values.push(role)}`);
    const page = {
      select: `SELECT ${fieldColumns}${select} FROM ${rows} WHERE ${conditions.join(' AND ')}`,
      values,
      columns,
      order,
      limit,
      cursor,
      list: [
        'users',
        organizationId,
        sort,
        order,
        { ...(email && { emailKey: emailKey(email) }), ...(role && { role }) },
      ],
    };
    return this.lanes.run('quick', organizationId, () => paginate<Row>(this.manager, page));
  }
}

const always: Precondition = () => true;

function writtenOrThrow({ outcome, user }: Outcome): UserRecord {
  if (outcome === 'missing') throw userNotFound();
  if (outcome === 'stale') throw new PreconditionFailedException('The user has another version.');
  if (outcome === 'taken') throw taken(EMAIL_TAKEN);
  return recordOf(user!);
}

const userNotFound = () => notFound('There is no such user.');

function rethrowViolation(error: unknown): never {
  // A request cannot contain an unknown organization, but a host application can pass one.
  if (violates(error, 'users_organization_id_fkey')) throw notFound('There is no such organization.');
  throw error;
}

function rethrowReference(error: unknown): never {
  throw isReferenced(error)
    ? conflict('The user cannot be deleted, because a table of the application still refers to it.')
    : error;
}
