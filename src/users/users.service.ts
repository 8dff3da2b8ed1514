import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import DataLoader from 'dataloader';
import type { Repository } from 'typeorm';
import { violates } from '../database/errors';
import { PER_TURN } from '../database/per-turn';
import { retryBroken, retryRolledBack } from '../database/retry';
import { tableName } from '../database/tables';
import { conflict } from '../http/fault';
import { type Order, type Page, paginate, type SortColumn } from '../http/paginate';
import { validInput } from '../http/validation.pipe';
import { isId, newId } from '../id';
import { COLUMN_NAMES, columnsOf, wordsOf } from './user-columns';
import { emailKey, User, USER_COLUMNS, userOfJson, usersAsJson } from './user.entity';
import { CreateUserDto, ListUsersDto, UpdateUserDto, type UserSort } from './users.dto';
import { KnownWords, learn, lesson } from './vocabulary';

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
  private readonly knownWords = new KnownWords();

  // The requests of one turn of the event loop ask together, and nothing is remembered.
  private readonly byId = new DataLoader<[organizationId: string, id: string], User | null>(
    (keys) => this.findAll(keys),
    PER_TURN,
  );

  constructor(@InjectRepository(User) private readonly users: Repository<User>) {
    this.table = tableName(users.manager.dataSource, 'users');
  }

  async list(organizationId: string, query: Partial<ListUsersDto> = {}): Promise<Page<User>> {
    const { data, nextCursor } = await this.listAsJson(organizationId, query);
    return { data: data.map(userOfJson), nextCursor };
  }

  /** The same page, each user as the text that a response shows. */
  async listAsJson(organizationId: string, query: Partial<ListUsersDto> = {}): Promise<Page<string>> {
    const { sort, limit, cursor, email, role, ...given } = validInput(ListUsersDto, query);
    const { columns, select = '', order = SORTS[sort].order } = { ...SORTS[sort], ...given };
    const values: unknown[] = [organizationId];
    const conditions = ['organization_id = $1'];
    if (email) conditions.push(`email_key = $${values.push(emailKey(email))}`);
    if (role) conditions.push(`role = $${values.push(role)}`);
    const page = await paginate<{ json: string }>(this.users.manager.dataSource, {
      select: `SELECT * FROM ${this.table} WHERE ${conditions.join(' AND ')}`,
      shape: (page) => usersAsJson(page, select),
      read: ({ json, ...keys }) => ({ ...JSON.parse(json), ...keys }),
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
    return { ...page, data: page.data.map(({ json }) => json) };
  }

  async create(organizationId: string, user: CreateUserDto): Promise<User> {
    const { name, email, role = 'member', metadata = {} } = validInput(CreateUserDto, user);
    const columns = columnsOf({ name, email, role, metadata });
    const values: unknown[] = [organizationId, newId('usr')];
    const given = entriesOf(columns).map(([name, value]) => [name, `$${values.push(value)}`]);
    const [names, placeholders] = [0, 1].map((i) => given.map((one) => one[i]).join(', '));
    return found(
      await this.write(
        columns,
        values,
        `INSERT INTO ${this.table} (organization_id, id, ${names}) VALUES ($1, $2, ${placeholders})`,
      ),
    );
  }

  async get(organizationId: string, id: string): Promise<User> {
    return found(isId('usr', id) ? await this.byId.load([organizationId, id]) : null);
  }

  async update(organizationId: string, id: string, changes: UpdateUserDto): Promise<User> {
    const columns = columnsOf(validInput(UpdateUserDto, changes));
    if (!isId('usr', id) || Object.keys(columns).length === 0) return this.get(organizationId, id);
    // One UPDATE: loading, assigning and saving would write back what somebody else just changed. It may have waited
    // for a later one, and its now() is older then: `updatedAt` never goes back.
    const values: unknown[] = [organizationId, id];
    const changed = entriesOf(columns).map(([name, value]) => `${name} = $${values.push(value)}`);
    return found(
      await this.write(
        columns,
        values,
        `UPDATE ${this.table} SET ${changed.join(', ')}, updated_at = greatest(updated_at, now())
         WHERE organization_id = $1 AND id = $2`,
      ),
    );
  }

  async delete(organizationId: string, id: string): Promise<void> {
    const { affected } = isId('usr', id) ? await this.users.delete({ organizationId, id }) : { affected: 0 };
    found(affected || null);
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

  /** Runs a statement of one row, which also adds the words of its columns to those that a misspelt query is compared with. */
  private async write(columns: Columns, values: unknown[], statement: string): Promise<User | undefined> {
    const { dataSource } = this.users.manager;
    const organizationId = values[0] as string;
    const words = this.knownWords.newOf(organizationId, wordsOf(columns));
    const steps = [`written AS (${statement} RETURNING ${USER_COLUMNS})`];
    if (words.length > 0)
      steps.push(`learned AS (${learn(dataSource, '$1', `$${values.push(lesson(words))}`)})`);
    const sql = `WITH ${steps.join(', ')} SELECT * FROM written`;
    const rows: User[] = await retryRolledBack(() => dataSource.query(sql, values)).catch(refused);
    this.knownWords.remember(organizationId, words);
    return rows[0];
  }
}

type Columns = ReturnType<typeof columnsOf>;

const entriesOf = (columns: Columns) =>
  Object.entries(columns).map(([field, value]) => [COLUMN_NAMES[field as keyof Columns], value] as const);

function found<Row>(row: Row | null | undefined): Row {
  if (row === null || row === undefined) throw new NotFoundException('There is no such user.');
  return row;
}

function refused(error: unknown): never {
  if (violates(error, 'users_organization_id_email_key_key')) {
    throw conflict({
      field: 'email',
      code: 'taken',
      message: 'is already used by another user of the organization',
    });
  }
  // No request names one; a program that has the service may.
  if (violates(error, 'users_organization_id_fkey'))
    throw new NotFoundException('There is no such organization.');
  throw error;
}
