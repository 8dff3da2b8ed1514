import { Injectable, NotFoundException } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { isUniqueViolation } from '../database/errors';
import { retryRolledBack } from '../database/retry';
import { tableName } from '../database/tables';
import { conflict } from '../http/fault';
import { type Order, type Page, paginate, type SortColumn } from '../http/paginate';
import { validInput } from '../http/validation.pipe';
import { isId, newId } from '../id';
import { spellingsOf } from './spelling';
import { columnsOf, wordsOf } from './user-columns';
import { emailKey, User, USER_COLUMNS } from './user.entity';
import { CreateUserDto, ListUsersDto, UpdateUserDto, type UserSort } from './users.dto';

const BY_ID: SortColumn = { property: 'id', type: 'text' };

/** Each is an index of the table, after the organization. */
const SORTS: Record<UserSort, { columns: SortColumn[]; order: Order }> = {
  createdAt: { columns: [{ property: 'createdAt', type: 'time' }, BY_ID], order: 'desc' },
  updatedAt: { columns: [{ property: 'updatedAt', type: 'time' }, BY_ID], order: 'desc' },
  name: {
    columns: [{ property: 'nameKey', type: 'text' }, { property: 'name', type: 'text' }, BY_ID],
    order: 'asc',
  },
  email: { columns: [{ property: 'emailKey', type: 'text' }], order: 'asc' },
};

@Injectable()
export class UsersService {
  constructor(@InjectRepository(User) private readonly users: Repository<User>) {}

  async list(organizationId: string, query: Partial<ListUsersDto> = {}): Promise<Page<User>> {
    const { sort, limit, cursor, email, role, ...given } = validInput(ListUsersDto, query);
    const order = given.order ?? SORTS[sort].order;
    const filters = { ...(email && { emailKey: emailKey(email) }), ...(role && { role }) };
    return paginate(this.users.createQueryBuilder('user').where({ organizationId, ...filters }), {
      columns: SORTS[sort].columns,
      order,
      limit,
      cursor,
      list: ['users', organizationId, sort, order, filters],
    });
  }

  async create(organizationId: string, user: CreateUserDto): Promise<User> {
    const { name, email, role = 'member', metadata = {} } = validInput(CreateUserDto, user);
    const columns = columnsOf({ name, email, role, metadata });
    const insert = this.learning(organizationId, columns)
      .insert()
      .values({ organizationId, id: newId('usr'), ...columns })
      .returning(USER_COLUMNS);
    const { raw } = await retryRolledBack(() => insert.execute()).catch(emailTaken);
    return raw[0];
  }

  async get(organizationId: string, id: string): Promise<User> {
    return found(isId('usr', id) ? await this.users.findOneBy({ organizationId, id }) : null);
  }

  async update(organizationId: string, id: string, changes: UpdateUserDto): Promise<User> {
    const columns = columnsOf(validInput(UpdateUserDto, changes));
    if (!isId('usr', id) || Object.keys(columns).length === 0) return this.get(organizationId, id);
    // One UPDATE: loading, assigning and saving would write back what somebody else just changed. It may have waited
    // for a later one, and its now() is older then: `updatedAt` never goes back.
    const update = this.learning(organizationId, columns)
      .update({ ...columns, updatedAt: () => 'greatest(updated_at, now())' })
      .where({ organizationId, id })
      .returning(USER_COLUMNS);
    const { raw } = await retryRolledBack(() => update.execute()).catch(emailTaken);
    return found(raw[0]);
  }

  async delete(organizationId: string, id: string): Promise<void> {
    const { affected } = isId('usr', id) ? await this.users.delete({ organizationId, id }) : { affected: 0 };
    found(affected || null);
  }

  /** A statement that also adds the words of these columns to those that a misspelt query is compared with. */
  private learning(organizationId: string, columns: ReturnType<typeof columnsOf>) {
    const words = wordsOf(columns);
    const query = this.users.createQueryBuilder();
    if (words.length === 0) return query;
    // In the order of the words, or two statements that learn the same ones deadlock.
    return query
      .addCommonTableExpression(
        `INSERT INTO ${tableName(this.users.manager.dataSource, 'search_words')} (organization_id, word, spellings)
         SELECT :learner, word, spellings FROM jsonb_to_recordset(CAST(:learned AS jsonb)) AS learned (word text, spellings text[])
         ORDER BY word COLLATE "C" ON CONFLICT DO NOTHING`,
        'learned',
      )
      .setParameters({
        learner: organizationId,
        learned: JSON.stringify(words.map((word) => ({ word, spellings: spellingsOf(word) }))),
      });
  }
}

function found<Row>(row: Row | null | undefined): Row {
  if (row === null || row === undefined) throw new NotFoundException('There is no such user.');
  return row;
}

function emailTaken(error: unknown): never {
  if (isUniqueViolation(error, 'users_organization_id_email_key_key')) {
    throw conflict({
      field: 'email',
      code: 'taken',
      message: 'is already used by another user of the organization',
    });
  }
  throw error;
}
