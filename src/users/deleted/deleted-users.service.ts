import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { columnsOf } from '../../platform/database/columns';
import { Database } from '../../platform/database/database';
import { rethrowViolation } from '../../platform/database/errors';
import { findLocked } from '../../platform/database/find-locked';
import { isId } from '../../platform/database/id';
import { query, sql } from '../../platform/database/sql';
import { recordEvents } from '../../events/record-events';
import { type By, callerOf } from '../../platform/http/caller';
import { notFound } from '../../platform/http/fault';
import { validatedInput } from '../../platform/http/input/validate';
import { mapGivingWay } from '../../platform/fairness/give-way';
import { wholeRows } from '../../platform/pages/long-rows';
import { byTime, cursorAfter, type Page, paginate } from '../../platform/pages/paginate';
import { DirectoryAttributes, SHORT_DIRECTORY_BYTES } from '../query/directory-attributes';
import { emailKey, withKeys } from '../user/user.keys';
import { serializeUser } from '../user/user.serializer';
import type { Metadata } from '../user/user.entity';
import type { UserRecord } from '../user/user.view';
import { UserQuery } from '../query/users-query.dto';
import { userEvent } from '../user/user.events';
import { UserLifecycle } from '../user/user-lifecycle';
import { UNIQUE_FIELDS } from '../user/unique-fields';
import { BatchRestoreDto, type BatchOf } from './batch/batch-delete.dto';
import { BatchRestoreService } from './batch/batch-restore.service';
import type { BatchRestoreAnswerView } from './batch/batch-delete.view';
import { DeletedUser, userOf } from './deleted-user.entity';
import { insertRestored } from './insert-restored';
import { SERVICE_OPTIONS } from '../../platform/feature/options.module';
import type { DeletedUserRecord } from './deleted-user.view';
import { ListDeletedUsersDto, RestoreUserDto } from './deleted-users.dto';
import { type DeletedUsersOptions, UserPurge } from './user-purge';

const COLUMNS = columnsOf(DeletedUser);

/** A row of a page, as text. What is not short is left out at first. */
type Row = Omit<DeletedUser, 'fields' | 'deletedAt'> & {
  fields: string | null;
  deletedAt: string;
  directory?: string | null;
};

const parsed = (row: Row): DeletedUser => ({
  ...row,
  fields: JSON.parse(row.fields!) as DeletedUser['fields'],
  deletedAt: new Date(row.deletedAt),
});

/** For what a response has besides the fields: two times, and defaults of what a user did not have yet. */
const ADDED_BYTES = 300;

const DAY_MS = 24 * 60 * 60_000;

/** Users who have been deleted but not purged. `Values` is the type of their metadata, as in `UsersService`. */
@Injectable()
export class DeletedUsersService<Values extends object = Metadata> {
  /** @internal Nest constructs it. */
  constructor(
    private readonly database: Database,
    private readonly purges: UserPurge,
    private readonly lifecycle: UserLifecycle,
    private readonly directory: DirectoryAttributes,
    private readonly batchRestores: BatchRestoreService,
    @Inject(SERVICE_OPTIONS) private readonly options: DeletedUsersOptions,
  ) {}

  /** Latest deletion first. */
  list(by: By, query: Partial<ListDeletedUsersDto> = {}): Promise<Page<DeletedUserRecord<Values>>> {
    return this.page(by, query, (user) => user);
  }

  /** The same page with users as JSON text, parsed one at a time: a parsed user takes up to 20 times the memory. */
  listAsText(by: By, query: Partial<ListDeletedUsersDto> = {}): Promise<Page<string>> {
    return this.page(by, query, (user) => JSON.stringify(user));
  }

  private async page<Item>(
    by: By,
    input: Partial<ListDeletedUsersDto>,
    itemOf: (user: DeletedUserRecord<Values>) => Item,
  ): Promise<Page<Item>> {
    const { organizationId } = callerOf(by);
    const { limit, cursor, email, include } = validatedInput(ListDeletedUsersDto, input);
    const key = email && emailKey(email);
    const columns = byTime('deleted_at', 'deletedAt');
    const list = ['deleted users', organizationId, { ...(key && { emailKey: key }) }];
    const select = sql`
      SELECT ${COLUMNS.selectShortText} FROM ${DeletedUser}
      WHERE organization_id = ${organizationId} ${key ? sql`AND email_key = ${key}` : sql``}`;
    const withDirectory = (manager: EntityManager, rows: Row[], maxBytes?: number) =>
      include ? this.directory.addTo(manager, organizationId, rows, maxBytes) : rows;
    const { data, nextCursor } = await this.database.read(organizationId, async (manager) => {
      const page = { select, columns, order: 'desc', limit, cursor, list } as const;
      const { data, nextCursor } = await paginate<Row>(manager, page);
      return { data: await withDirectory(manager, data, SHORT_DIRECTORY_BYTES), nextCursor };
    });
    const { items, endsAfter } = await wholeRows<Row, Row>(this.database, data, {
      organizationId,
      isLong: ({ fields, directory }) => fields === null || directory === null,
      read: async (manager, ids) => {
        const rows = await query<Row>(
          manager,
          sql`SELECT ${COLUMNS.selectText} FROM ${DeletedUser} WHERE organization_id = ${organizationId} AND id = ANY (${ids})`,
        );
        return withDirectory(manager, rows);
      },
      bytesOf: ({ fields, directory }) =>
        Buffer.byteLength(fields!) + ADDED_BYTES + Buffer.byteLength(directory ?? ''),
      isSmall: !include,
    });
    return {
      data: await mapGivingWay(items, (row) => itemOf(this.shown(row))),
      nextCursor: endsAfter ? cursorAfter(endsAfter, { columns, list }) : nextCursor,
    };
  }

  async get(by: By, id: string, query: UserQuery = {}): Promise<DeletedUserRecord<Values>> {
    const { organizationId } = callerOf(by);
    const { include } = validatedInput(UserQuery, query);
    if (!isId('usr', id)) throw deletedUserNotFound();
    return this.database.read(organizationId, async (manager) => {
      const user = await manager.findOneBy(DeletedUser, { organizationId, id });
      if (!user) throw deletedUserNotFound();
      const shown = this.serialize(user);
      return include ? (await this.directory.parsedOf(manager, organizationId, [shown]))[0] : shown;
    });
  }

  /** Restores the user with its id and all other fields, or with another email. */
  async restore(by: By, id: string, input: RestoreUserDto = {}): Promise<UserRecord<Values>> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    const { email } = validatedInput(RestoreUserDto, input);
    if (!isId('usr', id)) throw deletedUserNotFound();
    return this.database
      .write(organizationId, async (manager) => {
        const deleted = await findLocked(manager, DeletedUser, { organizationId, id });
        if (!deleted) throw deletedUserNotFound();
        await manager.delete(DeletedUser, { organizationId, id });
        const former = userOf(deleted);
        const user = { ...former, ...withKeys({ email: email ?? former.email }) };
        const [restored] = await insertRestored(manager, [user]);
        await this.lifecycle.restored(manager, caller, [restored]);
        await recordEvents(manager, userEvent(caller, 'user.restored', restored));
        return serializeUser<Values>(restored);
      })
      .catch(rethrowViolation(UNIQUE_FIELDS));
  }

  /**
   * Restores up to 500 users in one transaction, and returns the outcome of each. If an atomic batch has a failure,
   * throws a 400, or a 409 if the only failures are taken values.
   */
  async batchRestore(by: By, input: BatchOf<BatchRestoreDto>): Promise<BatchRestoreAnswerView> {
    return (await this.batchRestores.run(callerOf(by), validatedInput(BatchRestoreDto, input))).answer;
  }

  /** Erases the user for good, from the events, too. */
  async purge(by: By, id: string): Promise<void> {
    if (!(await this.purges.run(callerOf(by), id))) throw deletedUserNotFound();
  }

  private shown({ directory, ...row }: Row): DeletedUserRecord<Values> {
    const user = this.serialize(parsed(row));
    return directory ? { ...user, directory: JSON.parse(directory) as UserRecord['directory'] } : user;
  }

  private serialize(user: DeletedUser): DeletedUserRecord<Values> {
    const { deletedAt } = user;
    return {
      ...serializeUser<Values>(userOf(user)),
      deletedAt,
      purgeAt: new Date(deletedAt.getTime() + this.options.deletedUsersRetentionDays * DAY_MS),
    };
  }
}

const deletedUserNotFound = () => notFound('There is no such deleted user.');
