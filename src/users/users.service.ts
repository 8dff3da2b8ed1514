import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import DataLoader from 'dataloader';
import type { DataSource } from 'typeorm';
import { DATABASE } from '../database/data-source';
import { isReferenced, violates } from '../database/errors';
import { PER_TURN } from '../database/per-turn';
import { retryBroken } from '../database/retry';
import { tableName } from '../database/tables';
import { conflict } from '../http/fault';
import { type Order, type Page, paginate, type SortColumn } from '../pages/paginate';
import { type By, type Caller, callerOf } from '../http/caller';
import { judged } from '../http/input/judge';
import { isId, newId } from '../database/id';
import { columnsOf, TEXT_COLUMNS, USER_COLUMNS, type UserText, withDefaults } from './user-columns';
import type { User } from './user.entity';
import { emailKey, USER_FIELD_LIST, USER_FIELDS, USER_SORTS, type UserSort } from './user.fields';
import { UserWrites } from './user-writes';
import { CreateUserDto, ListUsersDto, UpdateUserDto } from './users.dto';

/** How each sort order walks its index. */
const SORTS = Object.fromEntries(
  USER_SORTS.map((sort) => {
    const { by, order } = USER_FIELDS[sort].sort;
    const columns = by.map((column): SortColumn => {
      const field = USER_FIELD_LIST.find((field) => field.column === column);
      return { column, property: field?.name ?? column, type: field?.kind === 'time' ? 'time' : 'text' };
    });
    const hidden = columns.filter(({ column, property }) => column === property && !(column in USER_FIELDS));
    return [sort, { columns, order, select: hidden.map(({ column }) => `, ${column}`).join('') }];
  }),
) as Record<UserSort, { columns: SortColumn[]; order: Order; select: string }>;

@Injectable()
export class UsersService {
  private readonly table: string;

  // The requests of one turn of the event loop ask together, and nothing is remembered.
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

  list(by: By, query: Partial<ListUsersDto> = {}): Promise<Page<User>> {
    return this.page(USER_COLUMNS, callerOf(by), query);
  }

  /** The same page, with what only a response needs. */
  listAsText(by: By, query: Partial<ListUsersDto> = {}): Promise<Page<UserText>> {
    return this.page(TEXT_COLUMNS, callerOf(by), query);
  }

  async create(by: By, user: CreateUserDto): Promise<User> {
    const { organizationId } = callerOf(by);
    const columns = columnsOf(withDefaults(judged(CreateUserDto, user)));
    const created = await this.writes.insert({ organizationId, id: newId('usr'), columns }).catch(refused);
    return created ?? taken();
  }

  async get(by: By, id: string): Promise<User> {
    const { organizationId } = callerOf(by);
    return found(isId('usr', id) ? await this.byId.load([organizationId, id]) : null);
  }

  async update(by: By, id: string, changes: UpdateUserDto): Promise<User> {
    const { organizationId } = callerOf(by);
    const columns = columnsOf(judged(UpdateUserDto, changes));
    if (!isId('usr', id) || Object.keys(columns).length === 0) return this.get(by, id);
    return found(await this.writes.change({ organizationId, id, columns }).catch(refused));
  }

  async delete(by: By, id: string): Promise<void> {
    const { organizationId } = callerOf(by);
    const isThere = isId('usr', id) && (await this.writes.delete({ organizationId, id }).catch(refused));
    if (!isThere) throw noSuchUser();
  }

  private async page<Row extends object>(
    shown: string,
    { organizationId }: Caller,
    query: Partial<ListUsersDto>,
  ): Promise<Page<Row>> {
    const { sort, limit, cursor, email, role, ...given } = judged(ListUsersDto, query);
    const { columns, select, order } = { ...SORTS[sort], ...given };
    const values: unknown[] = [organizationId];
    const conditions = ['organization_id = $1'];
    if (email) conditions.push(`email_key = $${values.push(emailKey(email))}`);
    if (role) conditions.push(`role = $${values.push(role)}`);
    return paginate(this.dataSource, {
      select: `SELECT ${shown}${select} FROM ${this.table} WHERE ${conditions.join(' AND ')}`,
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
       FROM unnest($1::text[], $2::text[]) AS wanted (of, called)
       JOIN ${this.table} ON organization_id = of AND id = called`,
        [keys.map(([organizationId]) => organizationId), keys.map(([, id]) => id)],
      ),
    );
    const byKey = new Map(rows.map((user) => [`${user.organizationId} ${user.id}`, user]));
    return keys.map((key) => byKey.get(key.join(' ')) ?? null);
  }
}

function found<Row>(row: Row | null | undefined): Row {
  if (row === null || row === undefined) throw noSuchUser();
  return row;
}

const noSuchUser = () => new NotFoundException('There is no such user.');

const taken = (): never => {
  throw conflict({
    field: 'email',
    code: 'taken',
    message: 'is already used by another user of the organization',
  });
};

function refused(error: unknown): never {
  if (violates(error, 'users_organization_id_email_key_key')) taken();
  // No request names one; a program that has the service may.
  if (violates(error, 'users_organization_id_fkey'))
    throw new NotFoundException('There is no such organization.');
  if (isReferenced(error)) throw new ConflictException('Another table refers to this user.');
  throw error;
}
