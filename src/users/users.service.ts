import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import DataLoader from 'dataloader';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../database/data-source';
import { isReferenced, violates } from '../database/errors';
import { PER_TURN } from '../database/per-turn';
import { retryBroken } from '../database/retry';
import { tableName } from '../database/tables';
import { conflict, notFound, taken } from '../http/fault';
import { type Order, type Page, paginate, type SortColumn } from '../pages/paginate';
import { type By, type Caller, callerOf } from '../http/caller';
import { judgeOrThrow } from '../http/input/judge';
import { isId, newId } from '../database/id';
import { columnsOf, TEXT_COLUMNS, USER_COLUMNS, type UserText, withDefaults } from './user-columns';
import type { User } from './user.entity';
import { recordOf, type UserRecord } from './user.record';
import { EMAIL_TAKEN } from './users.faults';
import { emailKey, USER_FIELD_LIST, USER_FIELDS, USER_SORTS, type UserSort } from './user.fields';
import { UserWrites } from './user-writes';
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

  // Batches the reads of one turn of the event loop; nothing is cached.
  private readonly byId = new DataLoader<[organizationId: string, id: string], User | null>(
    (keys) => this.findAll(keys),
    PER_TURN,
  );

  constructor(
    @InjectDataSource(DATABASE) private readonly dataSource: DataSource,
    private readonly writes: UserWrites,
  ) {
    this.table = tableName(dataSource, 'users');
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
    const { organizationId } = callerOf(by);
    const columns = columnsOf(withDefaults(judgeOrThrow(CreateUserDto, user)));
    const created = await this.writes
      .insert({ organizationId, id: newId('usr'), columns })
      .catch(rethrowViolation);
    return recordOf(created ?? throwEmailTaken());
  }

  async get(by: By, id: string): Promise<UserRecord> {
    const { organizationId } = callerOf(by);
    return foundOrThrow(isId('usr', id) ? await this.byId.load([organizationId, id]) : null);
  }

  async update(by: By, id: string, changes: UpdateUserDto): Promise<UserRecord> {
    const { organizationId } = callerOf(by);
    const columns = columnsOf(judgeOrThrow(UpdateUserDto, changes));
    if (!isId('usr', id) || Object.keys(columns).length === 0) return this.get(by, id);
    return foundOrThrow(await this.writes.update({ organizationId, id, columns }).catch(rethrowViolation));
  }

  async delete(by: By, id: string): Promise<void> {
    const { organizationId } = callerOf(by);
    const existed =
      isId('usr', id) && (await this.writes.delete({ organizationId, id }).catch(rethrowReference));
    if (!existed) throw userNotFound();
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
    return paginate(this.dataSource, {
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
    });
  }

  private async findAll(keys: readonly [organizationId: string, id: string][]): Promise<(User | null)[]> {
    const rows: User[] = await retryBroken(() =>
      this.dataSource.query(
        `SELECT organization_id AS "organizationId", ${USER_COLUMNS}
       FROM unnest($1::text[], $2::text[]) AS wanted (wanted_organization_id, wanted_id)
       JOIN ${this.table} ON organization_id = wanted_organization_id AND id = wanted_id`,
        [keys.map(([organizationId]) => organizationId), keys.map(([, id]) => id)],
      ),
    );
    const byKey = new Map(rows.map((user) => [`${user.organizationId} ${user.id}`, user]));
    return keys.map((key) => byKey.get(key.join(' ')) ?? null);
  }
}

function foundOrThrow(user: User | null | undefined): UserRecord {
  if (!user) throw userNotFound();
  return recordOf(user);
}

const userNotFound = () => notFound('There is no such user.');

const throwEmailTaken = (): never => {
  throw taken(EMAIL_TAKEN);
};

function rethrowViolation(error: unknown): never {
  if (violates(error, 'users_organization_id_email_key_key')) throwEmailTaken();
  // A request cannot contain an unknown organization, but a host application can pass one.
  if (violates(error, 'users_organization_id_fkey')) throw notFound('There is no such organization.');
  throw error;
}

function rethrowReference(error: unknown): never {
  throw isReferenced(error)
    ? conflict('The user cannot be deleted, because a table of the application still refers to it.')
    : error;
}
