import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { columnsOf } from '../../database/columns';
import { Database } from '../../database/database';
import { rethrowViolation } from '../../database/errors';
import { findLocked } from '../../database/find-locked';
import { isId } from '../../database/id';
import { join, query, sql } from '../../database/sql';
import { recordEvents } from '../../events/record-events';
import { type By, type Caller, callerOf } from '../../http/caller';
import { notFound } from '../../http/fault';
import { validatedInput } from '../../http/input/validate';
import { mapGivingWay } from '../../fairness/give-way';
import { wholeRows } from '../../pages/long-rows';
import { byTime, cursorAfter, type Page, paginate } from '../../pages/paginate';
import { putSearchTexts } from '../search/user-search.rows';
import { User, WRITABLE_FIELDS } from '../user/user.entity';
import { emailKey, withKeys } from '../user/user.keys';
import { serializeUser } from '../user/user.serializer';
import type { UserView } from '../user/user.view';
import { userRestored } from '../user/user.events';
import { UserLifecycle } from '../user/user-lifecycle';
import { UNIQUE_FIELDS } from '../user/unique-fields';
import { DeletedUser, userOf } from './deleted-user.entity';
import { SERVICE_OPTIONS } from '../../feature/options.module';
import type { DeletedUsersOptions } from './deleted-user-retention';
import type { DeletedUserView } from './deleted-user.view';
import { ListDeletedUsersDto, RestoreUserDto } from './deleted-users.dto';
import { UserPurge } from './user-purge';

const COLUMNS = columnsOf(DeletedUser);

/** What a restore writes, besides `updated_at`. */
const RESTORED = columnsOf(User, [
  ...(['organizationId', 'id', ...WRITABLE_FIELDS, 'nameKey', 'emailKey', 'userNameKey'] as const),
  ...(['version', 'createdAt'] as const),
]);

/** A row of a page, as text. A user that is not short is left out at first. */
type Row = Omit<DeletedUser, 'fields' | 'deletedAt'> & { fields: string | null; deletedAt: string };

const parsed = (row: Row): DeletedUser => ({
  ...row,
  fields: JSON.parse(row.fields!) as DeletedUser['fields'],
  deletedAt: new Date(row.deletedAt),
});

/** For what a response has besides the fields: two times, and defaults of what a user did not have yet. */
const ADDED_BYTES = 300;

const DAY_MS = 24 * 60 * 60_000;

/** Users who have been deleted but not purged. */
@Injectable()
export class DeletedUsersService {
  /** @internal Nest constructs it. */
  constructor(
    private readonly database: Database,
    private readonly purges: UserPurge,
    private readonly lifecycle: UserLifecycle,
    @Inject(SERVICE_OPTIONS) private readonly options: DeletedUsersOptions,
  ) {}

  /** Latest deletion first. */
  async list(by: By, query: Partial<ListDeletedUsersDto> = {}): Promise<Page<DeletedUserView>> {
    const { data, nextCursor } = await this.page(by, query);
    return { data: await mapGivingWay(data, (row) => this.serialize(parsed(row))), nextCursor };
  }

  /** The same page with users as JSON text, parsed one at a time: a parsed user takes up to 20 times the memory. */
  async listAsText(by: By, query: Partial<ListDeletedUsersDto> = {}): Promise<Page<string>> {
    const { data, nextCursor } = await this.page(by, query);
    const textOf = (row: Row) => JSON.stringify(this.serialize(parsed(row)));
    return { data: await mapGivingWay(data, textOf), nextCursor };
  }

  private async page(by: By, query: Partial<ListDeletedUsersDto>): Promise<Page<Row>> {
    const { organizationId } = callerOf(by);
    const { limit, cursor, email } = validatedInput(ListDeletedUsersDto, query);
    const key = email && emailKey(email);
    const columns = byTime('deleted_at', 'deletedAt');
    const list = ['deleted users', organizationId, { ...(key && { emailKey: key }) }];
    const select = sql`
      SELECT ${COLUMNS.selectShortText} FROM ${DeletedUser}
      WHERE organization_id = ${organizationId} ${key ? sql`AND email_key = ${key}` : sql``}`;
    const { data, nextCursor } = await this.database.read(organizationId, (manager) =>
      paginate<Row>(manager, { select, columns, order: 'desc', limit, cursor, list }),
    );
    const { items, endsAfter } = await wholeRows<Row, Row>(this.database, data, {
      organizationId,
      isLong: ({ fields }) => fields === null,
      select: (ids) => sql`
        SELECT ${COLUMNS.selectText} FROM ${DeletedUser}
        WHERE organization_id = ${organizationId} AND id = ANY (${ids})`,
      bytesOf: ({ fields }) => Buffer.byteLength(fields!) + ADDED_BYTES,
    });
    return { data: items, nextCursor: endsAfter ? cursorAfter(endsAfter, { columns, list }) : nextCursor };
  }

  async get(by: By, id: string): Promise<DeletedUserView> {
    const { organizationId } = callerOf(by);
    const user = isId('usr', id)
      ? await this.database.read(organizationId, (manager) =>
          manager.findOneBy(DeletedUser, { organizationId, id }),
        )
      : null;
    if (!user) throw deletedUserNotFound();
    return this.serialize(user);
  }

  /** Restores the user with its id and all other fields, or with another email. */
  async restore(by: By, id: string, input: RestoreUserDto = {}): Promise<UserView> {
    const caller = callerOf(by);
    const { organizationId } = caller;
    const { email } = validatedInput(RestoreUserDto, input);
    if (!isId('usr', id)) throw deletedUserNotFound();
    const user = await this.database
      .write(organizationId, (manager) => this.restoreUser(manager, caller, id, email))
      .catch(rethrowViolation(UNIQUE_FIELDS));
    return serializeUser(user);
  }

  /** Erases the user for good, from the events, too. */
  async purge(by: By, id: string): Promise<void> {
    if (!(await this.purges.run(callerOf(by), id))) throw deletedUserNotFound();
  }

  private async restoreUser(manager: EntityManager, by: Caller, id: string, email?: string): Promise<User> {
    const { organizationId } = by;
    const deleted = await findLocked(manager, DeletedUser, { organizationId, id });
    if (!deleted) throw deletedUserNotFound();
    await manager.delete(DeletedUser, { organizationId, id });
    const former = userOf(deleted);
    const user = {
      ...former,
      ...withKeys({ email: email ?? former.email }),
      version: former.version + 1,
    };
    const [{ updatedAt }] = await query<{ updatedAt: Date }>(
      manager,
      sql`INSERT INTO ${User} (${RESTORED.names}, updated_at)
          VALUES (${join(RESTORED.valuesOf(user).map((value) => sql`${value}`))}, greatest(${former.updatedAt}::timestamptz, now()))
          RETURNING updated_at AS "updatedAt"`,
    );
    user.updatedAt = updatedAt;
    await putSearchTexts(manager, [{ after: user }]);
    await this.lifecycle.restored(manager, by, user);
    await recordEvents(manager, userRestored(by, user));
    return user;
  }

  private serialize(user: DeletedUser): DeletedUserView {
    const { deletedAt } = user;
    return {
      ...serializeUser(userOf(user)),
      deletedAt,
      purgeAt: new Date(deletedAt.getTime() + this.options.deletedUsersRetentionDays * DAY_MS),
    };
  }
}

const deletedUserNotFound = () => notFound('There is no such deleted user.');
