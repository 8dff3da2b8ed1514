import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import DataLoader from 'dataloader';
import type { Repository } from 'typeorm';
import { violates } from '../database/errors';
import { PER_TURN } from '../database/per-turn';
import { retryBroken } from '../database/retry';
import { tableName } from '../database/tables';
import { conflict } from '../http/fault';
import { type Order, type Page, paginate, type SortColumn } from '../http/paginate';
import { validInput } from '../http/validation.pipe';
import { isId, newId } from '../id';
import { columnsOf } from './user-columns';
import { emailKey, TEXT_COLUMNS, User, USER_COLUMNS, type UserText } from './user.entity';
import { UserWrites } from './user-writes';
import { CreateUserDto, ListUsersDto, UpdateUserDto, type UserSort } from './users.dto';

const byTime = (column: string, property: string): SortColumn => ({ column, property, type: 'time' });
const byText = (column: string, property: string): SortColumn => ({ column, property, type: 'text' });
const BY_ID = byText('id', 'id');

/** Each is an index of the table, after the organization. */
const SORTS: Record<UserSort, { columns: SortColumn[]; order: Order; select?: string }> = {
  createdAt: { columns: [byTime('created_at', 'createdAt'), BY_ID], order: 'desc' },
  updatedAt: { columns: [byTime('updated_at', 'updatedAt'), BY_ID], order: 'desc' },
  name: {
    columns: [byText('name_key', 'nameKey'), byText('name', 'name'), BY_ID],
    order: 'asc',
    select: ', name_key AS "nameKey"',
  },
  email: { columns: [byText('email_key', 'emailKey')], order: 'asc', select: ', email_key AS "emailKey"' },
};

@Injectable()
export class UsersService {
  private readonly table: string;
  private readonly writes: UserWrites;

  // The requests of one turn of the event loop ask together, and nothing is remembered.
  private readonly byId = new DataLoader<[organizationId: string, id: string], User | null>(
    (keys) => this.findAll(keys),
    PER_TURN,
  );

  constructor(@InjectRepository(User) private readonly users: Repository<User>) {
    this.table = tableName(users.manager.dataSource, 'users');
    this.writes = new UserWrites(users.manager.dataSource);
  }

  list(organizationId: string, query: Partial<ListUsersDto> = {}): Promise<Page<User>> {
    return this.page(USER_COLUMNS, organizationId, query);
  }

  /** The same page, with what only a response needs. */
  listAsText(organizationId: string, query: Partial<ListUsersDto> = {}): Promise<Page<UserText>> {
    return this.page(TEXT_COLUMNS, organizationId, query);
  }

  async create(organizationId: string, user: CreateUserDto): Promise<User> {
    const { name, email, role = 'member', metadata = {} } = validInput(CreateUserDto, user);
    const columns = columnsOf({ name, email, role, metadata });
    const created = await this.writes.insert({ organizationId, id: newId('usr'), ...columns }).catch(refused);
    return created ?? taken();
  }

  async get(organizationId: string, id: string): Promise<User> {
    return found(isId('usr', id) ? await this.byId.load([organizationId, id]) : null);
  }

  async update(organizationId: string, id: string, changes: UpdateUserDto): Promise<User> {
    const columns = columnsOf(validInput(UpdateUserDto, changes));
    if (!isId('usr', id) || Object.keys(columns).length === 0) return this.get(organizationId, id);
    return found(await this.writes.change({ organizationId, id, ...columns }).catch(refused));
  }

  async delete(organizationId: string, id: string): Promise<void> {
    found((isId('usr', id) && (await this.writes.delete({ organizationId, id }))) || null);
  }

  private async page<Row extends object>(
    shown: string,
    organizationId: string,
    query: Partial<ListUsersDto>,
  ): Promise<Page<Row>> {
    const { sort, limit, cursor, email, role, ...given } = validInput(ListUsersDto, query);
    const { columns, select = '', order = SORTS[sort].order } = { ...SORTS[sort], ...given };
    const values: unknown[] = [organizationId];
    const conditions = ['organization_id = $1'];
    if (email) conditions.push(`email_key = $${values.push(emailKey(email))}`);
    if (role) conditions.push(`role = $${values.push(role)}`);
    return paginate(this.users.manager.dataSource, {
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
      this.users.manager.dataSource.query(
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
  if (row === null || row === undefined) throw new NotFoundException('There is no such user.');
  return row;
}

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
  throw error;
}
