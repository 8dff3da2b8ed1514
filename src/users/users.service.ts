import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../platform/database/database';
import { rethrowReference, rethrowViolation } from '../platform/database/errors';
import { updateLocked } from '../platform/database/find-locked';
import { isId } from '../platform/database/id';
import { sql } from '../platform/database/sql';
import { GroupedLoader } from '../platform/database/per-turn';
import { Bulkhead } from '../platform/fairness/bulkhead';
import { LIMITS } from '../platform/fairness/limits';
import { recordEvents } from '../events/record-events';
import { type By, type Caller, callerOf } from '../platform/http/caller';
import { always, type Precondition } from '../platform/http/input/entity-tags';
import type { IdempotentRequest } from '../platform/http/input/idempotency-key';
import { validatedInput } from '../platform/http/input/validate';
import { IdempotencyKeys } from '../platform/idempotency/idempotency-keys';
import { type Page, pagesOf } from '../platform/pages/paginate';
import { rangeBetween } from '../platform/pages/range';
import { userReferenced } from './batch/batch-failures';
import type { BatchDeleteAnswerView } from './deleted/batch/batch-delete.view';
import { BatchDeleteDto, type BatchOf } from './deleted/batch/batch-delete.dto';
import { BatchDeleteService } from './deleted/batch/batch-delete.service';
import { keepDeleted } from './deleted/batch/deletion';
import { UserPurge } from './deleted/user-purge';
import { DirectoryAttributes } from './query/directory-attributes';
import { mergeMetadata } from './user/merge-metadata';
import { putSearchTexts } from './search/user-search.rows';
import {
  findUsersById,
  findUserWith,
  insertUser,
  lockUser,
  USER_VIOLATIONS,
  userNotFound,
} from './user-rows';
import { changesOf, withDefaults } from './user/user.changes';
import { type Metadata, User, USER_COLUMNS } from './user/user.entity';
import { type Decide, type NewUserExtras, UserLifecycle } from './user/user-lifecycle';
import { serializeUser, userOfText } from './user/user.serializer';
import { completePage } from './query/complete-page';
import { cursorAfterUser, Memberships, pageOfUsers } from './query/user-query';
import type { UserRecord, UserText } from './user/user.view';
import { emailKey, withKeys } from './user/user.keys';
import { userUpdated } from './user/user.events';
import { CreateUserDto, MergeUserDto, type PatchOf, UpdateUserDto, type WithMetadata } from './user/user.dto';
import { ListUsersDto, type UserKey, UserKeyDto, UserQuery } from './query/users-query.dto';

/** `Values` is the type of the metadata. It is the application's own; nothing checks the values. */
@Injectable()
export class UsersService<Values extends object = Metadata> {
  /** Runs one write of a user at a time, so a busy user does not hold all connections of its organization. */
  private readonly writes = new Bulkhead(LIMITS.oneAtATime);
  private readonly reads = new GroupedLoader<string, User | null>((ids, organizationId) =>
    this.database.read(organizationId, (manager) => findUsersById(manager, organizationId, ids)),
  );

  /** @internal Nest constructs it. */
  constructor(
    private readonly database: Database,
    private readonly idempotencyKeys: IdempotencyKeys,
    private readonly purges: UserPurge,
    private readonly lifecycle: UserLifecycle,
    private readonly memberships: Memberships,
    private readonly directory: DirectoryAttributes,
    private readonly batchDeletes: BatchDeleteService,
  ) {}

  /**
   * The same service in an open transaction of the application: what it writes is committed or rolled back with the
   * application's own rows, and it sees them. A call that throws leaves the transaction usable. Await each call before
   * the next statement, because a transaction has one connection. Throws if the manager is not in a transaction of the
   * data source.
   */
  within(manager: EntityManager): UsersService<Values> {
    return new UsersService(
      this.database.within(manager),
      this.idempotencyKeys,
      this.purges,
      this.lifecycle,
      this.memberships,
      this.directory,
      this.batchDeletes,
    );
  }

  async list(by: By, query: Partial<ListUsersDto> = {}): Promise<Page<UserRecord<Values>>> {
    const { data, nextCursor } = await this.listAsText(by, query);
    return { data: data.map((row) => userOfText<Values>(row)), nextCursor };
  }

  /** The same page with values as text, ready for a JSON response. */
  async listAsText(by: By, input: Partial<ListUsersDto> = {}): Promise<Page<UserText>> {
    const { organizationId } = callerOf(by);
    const { id, externalId, email, role, active, group, include, ...query } = validatedInput(
      ListUsersDto,
      input,
    );
    const filter = { externalId, email, role, active };
    const ids = id === undefined ? undefined : [...new Set([id].flat())].sort();
    const { createdSince, createdUntil, updatedSince, updatedUntil } = query;
    const range = rangeBetween(createdSince ?? updatedSince, createdUntil ?? updatedUntil);
    const request = { ...query, range, of: ids ? { group, ids } : group };
    const page = await this.database.read(organizationId, async (manager) => {
      const members = group ? await this.memberships.membersOf(manager, organizationId, group) : undefined;
      const among = ids && sql`SELECT unnest(${ids}::text[])`;
      const users = { organizationId, filter, members, among };
      return pageOfUsers<UserText>(manager, users, USER_COLUMNS.selectShortText, request);
    });
    const cursorAfter = (row: UserText) => cursorAfterUser(row, { organizationId, filter }, request);
    const directory = include && this.directory;
    return completePage(this.database, page, { organizationId, filter, directory, cursorAfter });
  }

  /** The users with these ids, of which there may be 200, each once and in their order, as far as they are there. */
  async byIds(by: By, ids: readonly string[], { include }: UserQuery = {}): Promise<UserRecord<Values>[]> {
    if (ids.length === 0) return [];
    const query = { ...validatedInput(ListUsersDto, { id: ids, include }), limit: ids.length };
    const byId = new Map<string, UserRecord<Values>>();
    for await (const page of pagesOf((cursor) => this.list(by, { ...query, cursor })))
      for (const user of page) byId.set(user.id, user);
    return [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
  }

  async create(
    by: By,
    input: WithMetadata<CreateUserDto, Values>,
    extras: NewUserExtras = {},
  ): Promise<UserRecord<Values>> {
    const caller = callerOf(by);
    const fields = withDefaults(validatedInput(CreateUserDto, input));
    const user = await this.database
      .write(caller.organizationId, async (manager) => {
        const user = await insertUser(manager, caller, fields, extras.userNameKey);
        await extras.write?.(manager, user);
        return user;
      })
      .catch(rethrowViolation(USER_VIOLATIONS));
    return serializeUser(user);
  }

  /** The same for a request with an Idempotency-Key. A repetition returns the user as it was created. */
  async createOnce(by: Caller, input: CreateUserDto, request: IdempotentRequest) {
    const fields = withDefaults(validatedInput(CreateUserDto, input));
    return this.idempotencyKeys
      .runOnce(by.organizationId, request, async (manager) => {
        const response = serializeUser(await insertUser(manager, by, fields));
        return { response, userId: response.id };
      })
      .catch(rethrowViolation(USER_VIOLATIONS));
  }

  async get(by: By, id: string, query: UserQuery = {}): Promise<UserRecord<Values>> {
    const { organizationId } = callerOf(by);
    const { include } = validatedInput(UserQuery, query);
    const user = isId('usr', id) ? await this.reads.load(organizationId, id) : null;
    if (!user) throw userNotFound();
    return this.shown(organizationId, user, include);
  }

  /** The user with this external id or email, compared as in a list; null if there is none. */
  async find(by: By, key: UserKey, query: UserQuery = {}): Promise<UserRecord<Values> | null> {
    const { organizationId } = callerOf(by);
    const { externalId, email } = validatedInput(UserKeyDto, key);
    const { include } = validatedInput(UserQuery, query);
    const user = await this.database.read(organizationId, (manager) =>
      findUserWith(manager, organizationId, { externalId, email }),
    );
    return user && this.shown(organizationId, user, include);
  }

  /** Changes the given fields. Throws a 412, and changes nothing, if the precondition refuses the user's version. */
  async update(
    by: By,
    id: string,
    input: WithMetadata<UpdateUserDto, Values>,
    precondition: Precondition = always,
  ): Promise<UserRecord<Values>> {
    const fields = validatedInput(UpdateUserDto, input);
    return this.change(by, id, (user) => {
      precondition(user.version);
      return { fields };
    });
  }

  /**
   * Changes the given fields as `update()` does, but merges `metadata` as a merge patch (RFC 7396): keys that are null
   * are removed, and keys that are not given stay as they are, even if somebody else changes them meanwhile.
   */
  async merge(
    by: By,
    id: string,
    input: WithMetadata<MergeUserDto, PatchOf<Values>>,
    precondition: Precondition = always,
  ): Promise<UserRecord<Values>> {
    const { metadata: patch, ...fields } = validatedInput(MergeUserDto, input);
    return this.change(by, id, (user) => {
      precondition(user.version);
      const metadata = patch && mergeMetadata(user.metadata, patch);
      return { fields: { ...fields, metadata } };
    });
  }

  /** Locks the user and applies the changes that `decide` returns. Writes nothing if it throws or nothing changes. */
  async change(by: By, id: string, decide: Decide): Promise<UserRecord<Values>> {
    const caller = callerOf(by);
    const user = await this.write(caller, id, async (manager, before) => {
      const decision = await decide(before, manager);
      const { fields, isTouched, userNameKey = before.userNameKey } = decision;
      const changes = changesOf(before, fields) ?? (isTouched ? {} : undefined);
      if (!changes) return before;
      const after = await updateLocked(manager, User, before, { ...withKeys(changes), userNameKey });
      const followed = await this.lifecycle.changed(manager, caller, [{ before, after }]);
      await putSearchTexts(manager, [{ before, after }]);
      const previous = { ...followed.get(id), ...decision.previous };
      await recordEvents(manager, userUpdated(caller, before, after, changes, previous));
      return after;
    }).catch(rethrowViolation(USER_VIOLATIONS));
    return serializeUser(user);
  }

  /**
   * Moves the user to the deleted users, or purges it if they are not kept at all. Throws a 412, and deletes nothing,
   * if the precondition refuses the user's version, and a 409 if a table of the host refers to the user.
   */
  async delete(by: By, id: string, precondition: Precondition = always): Promise<void> {
    const caller = callerOf(by);
    await this.write(caller, id, async (manager, user) => {
      precondition(user.version);
      await manager.delete(User, { organizationId: user.organizationId, id });
      const json = JSON.stringify(serializeUser(user));
      await keepDeleted(manager, caller, [{ ...user, emailKey: emailKey(user.email), json }], this.lifecycle);
    }).catch(rethrowReference(userReferenced));
    await this.purges.afterDelete(this.database, caller, id);
  }

  /**
   * Deletes up to 500 users in one transaction, and returns the outcome of each. If an atomic batch has a failure,
   * throws a 400, or a 409 if the only failures are references to users.
   */
  async batchDelete(by: By, input: BatchOf<BatchDeleteDto>): Promise<BatchDeleteAnswerView> {
    const batch = validatedInput(BatchDeleteDto, input);
    return (await this.batchDeletes.run(callerOf(by), batch, undefined, this.database)).answer;
  }

  private async shown(
    organizationId: string,
    user: User,
    include: UserQuery['include'],
  ): Promise<UserRecord<Values>> {
    const shown = serializeUser<Values>(user);
    if (!include) return shown;
    const [complete] = await this.database.read(organizationId, (manager) =>
      this.directory.parsedOf(manager, organizationId, [shown]),
    );
    return complete;
  }

  /** Runs a transaction with the user locked. */
  private write<Result>(
    { organizationId }: Caller,
    id: string,
    work: (manager: EntityManager, user: User) => Promise<Result>,
  ): Promise<Result> {
    return this.writes.run(`${organizationId} ${id}`, () =>
      this.database.write(organizationId, async (manager) => {
        return work(manager, await lockUser(manager, organizationId, id));
      }),
    );
  }
}
