/**
 * @slow it starts host applications
 * @only embedded postgres: a host migrates an empty database; test/citus/distribute.test.mjs distributes its tables
 */
import {
  BadRequestException,
  ConflictException,
  type HttpException,
  NotFoundException,
  PreconditionFailedException,
} from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import {
  type DeletedUserRecord,
  DeletedUsersService,
  OrganizationsService,
  TokensService,
  UserSearch,
  UsersService,
} from '../../src';
import { poolOf } from '../../src/platform/database/connections/pool';
import { Client } from '../support/client';
import { onHost, useHost, usePlainHost } from '../support/embedding';
import { describeOn, itNotOn } from '../support/engine';
import { User as HostUser } from '../support/host';
import { until } from '../support/until';

const { host } = useHost();
const other = usePlainHost();

let users: UsersService;
let tokens: TokensService;
let search: UserSearch;
beforeAll(async () => {
  users = host.app.get(UsersService);
  tokens = host.app.get(TokensService);
  search = host.app.get(UserSearch);
});

const newOrganization = async () => (await host.app.get(OrganizationsService).create('Test')).id;
const ada = { name: 'Ada', email: 'ada@example.com' };

describe('the services', () => {
  /** What a refusal would have as its body. */
  const bodyOf = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: HttpException) => error.getResponse() as { errors: { field: string; code: string }[] },
    );

  it('accept the same input as the API, with the same defaults', async () => {
    const { id } = await host.app.get(OrganizationsService).create(' Spaced ');
    const user = await users.create(id, { name: ' Ada ', email: 'ada@example.com' });
    expect(user).toMatchObject({ name: 'Ada', role: 'member', metadata: {} });
    expect((await users.list(id)).data).toMatchObject([{ id: user.id }]);
    expect((await users.list(id, { email: undefined, limit: undefined })).data).toHaveLength(1);
    expect((await search.search(id, { q: 'ada' })).data).toMatchObject([{ id: user.id }]);
  });

  it('return the same plain record from every method', async () => {
    const organizationId = await newOrganization();
    const created = await users.create(organizationId, { name: 'Boom', email: 'boom@example.com' });
    expect(Object.keys(created).join(' ')).toBe(
      'id externalId name email role active metadata version createdAt updatedAt',
    );
    expect(await users.get(organizationId, created.id)).toEqual(created);
    expect(await users.update(organizationId, created.id, {})).toEqual(created);
    expect((await users.list(organizationId)).data).toEqual([created]);
    expect((await search.search(organizationId, { q: 'boom' })).data).toEqual([created]);
    const changed = await users.update(organizationId, created.id, { role: 'admin' });
    expect(changed).toEqual({ ...created, role: 'admin', version: 2, updatedAt: changed.updatedAt });

    const { token } = await tokens.create(organizationId, { name: 'Test', scopes: ['admin'] });
    expect(token).toMatchObject({ state: 'active', lastUsedAt: null });
    expect(await tokens.get(organizationId, token.id)).toEqual(token);
    expect((await tokens.list(organizationId)).data).toEqual([token]);
  });

  it('let the application give a token more requests than the service allows, but no caller of the API', async () => {
    const id = await newOrganization();
    const wanted = { name: 'Busy', scopes: ['admin' as const], rateLimit: 100_000 };
    expect((await tokens.create(id, wanted)).token.rateLimit).toBe(100_000);
    const actor = { type: 'token' as const, id: 'tok_1', name: 'CI' };
    const by = { organizationId: id, actor, source: 'api' as const, requestId: null };
    await expect(tokens.create(by, wanted)).rejects.toMatchObject({ status: 400 });
  });

  it('find one user by its external id or its email, compared as in a list', async () => {
    const id = await newOrganization();
    const user = await users.create(id, { ...ada, externalId: 'E-4711' });
    for (const key of [{ externalId: ' E-4711 ' }, { email: 'ADA@Example.com' }])
      expect(await users.find(id, key)).toEqual(user);
    expect(await users.find(id, { email: ada.email }, { include: ['directory'] })).toEqual({
      ...user,
      directory: null,
    });
    expect(await users.find(id, { externalId: 'e-4711' })).toBeNull();
    expect(await users.find(await newOrganization(), { email: ada.email })).toBeNull();
    for (const [key, ...faults] of [
      [{}, 'externalId required', 'email required'],
      [{ email: undefined }, 'externalId required', 'email required'],
      [{ externalId: null }, 'externalId invalid'],
      [{ externalId: 'E-4711', email: ada.email }, 'externalId invalid', 'email invalid'],
      [{ email: 'nobody' }, 'email invalid'],
      [{ id: user.id }, 'id unknown', 'externalId required', 'email required'],
    ] as const) {
      const { errors } = (await bodyOf(users.find(id, key as never)))!;
      expect([key, ...errors.map(({ field, code }) => `${field} ${code}`)]).toEqual([key, ...faults]);
    }
  });

  it('give the metadata the type of the application, and check no value by it', async () => {
    const typed: UsersService<{ plan?: 'free' | 'pro'; seats?: { max: number } }> = users;
    const deleted: DeletedUsersService<{ plan?: 'free' | 'pro' }> = host.app.get(DeletedUsersService);
    const id = await newOrganization();
    const { id: userId } = await typed.create(id, { ...ada, metadata: { plan: 'free', seats: { max: 5 } } });
    const { metadata } = await typed.merge(id, userId, { metadata: { plan: 'pro', seats: null } });
    const plan: 'free' | 'pro' | undefined = metadata.plan;
    expect(plan).toBe('pro');
    // @ts-expect-error -- only the compiler knows that there is no such plan.
    await typed.update(id, userId, { metadata: { plan: 'gold' } });
    await typed.delete(id, userId);
    const [record]: DeletedUserRecord<{ plan?: 'free' | 'pro' }>[] = (await deleted.list(id)).data;
    expect(record.metadata).toEqual({ plan: 'gold' });
    const untyped = await users.create(id, { ...ada, metadata: { any: [1, { thing: true }] } });
    await users.merge(id, untyped.id, { metadata: { any: null, other: { deep: null } } });
    const { other }: { other?: object } = (await users.find(id, { email: ada.email }))!.metadata;
    expect(other).toEqual({});
  });

  it('throw exceptions whose bodies have one shape', async () => {
    const id = await newOrganization();
    await users.create(id, ada);
    expect(await bodyOf(users.get(id, 'usr_x'))).toEqual({
      statusCode: 404,
      code: 'not_found',
      message: 'There is no such user.',
    });
    expect(await bodyOf(users.create(id, ada))).toEqual({
      statusCode: 409,
      code: 'conflict',
      message: 'The email is already used by another user of the organization.',
      errors: [{ field: 'email', code: 'taken', message: expect.any(String) }],
    });
    expect(await bodyOf(users.create(id, { ...ada, name: '' }))).toEqual({
      statusCode: 400,
      code: 'validation_failed',
      message: '1 field is invalid.',
      errors: [{ field: 'name', code: 'too_short', message: expect.any(String) }],
    });
  });

  it('reject the same input as the API', async () => {
    const id = await newOrganization();
    for (const [call, ...faults] of [
      [() => users.create(id, { name: '', email: 'nobody' }), 'name too_short', 'email invalid'],
      [() => users.update(id, 'usr_x', { name: null } as never), 'name invalid'],
      [() => users.list(id, { limit: 1000, sort: 'age' as never }), 'sort invalid', 'limit out_of_range'],
      [() => search.search(id, { q: 'x' }), 'q too_short'],
      [() => tokens.create(id, { name: 'x', scopes: [] }), 'scopes too_short'],
      [() => tokens.list(id, { state: 'lost' as never }), 'state invalid'],
      [() => host.app.get(OrganizationsService).create(''), 'name too_short'],
    ] as const) {
      expect((await bodyOf(call()))?.errors.map(({ field, code }) => `${field} ${code}`)).toEqual(faults);
      await expect(call()).rejects.toBeInstanceOf(BadRequestException);
    }
  });

  it('report an unknown organization', async () => {
    const nowhere = 'org_00000000000000000000000000';
    for (const call of [tokens.create(nowhere, { name: 'x', scopes: ['admin'] }), users.create(nowhere, ada)])
      await expect(call).rejects.toThrow(new NotFoundException('There is no such organization.'));
    expect((await users.list(nowhere)).data).toEqual([]);
  });
});

class Undone extends Error {}

/** Runs a task in a transaction of the host that is rolled back, and returns its result. */
async function rolledBack<Result>(
  task: (manager: EntityManager) => Promise<Result>,
  dataSource: DataSource = host.dataSource,
): Promise<Result> {
  let result: Result;
  const undone = dataSource.transaction(async (manager) => {
    result = await task(manager);
    throw new Undone();
  });
  await expect(undone).rejects.toBeInstanceOf(Undone);
  return result!;
}

/** How many rows of the organization each table has. */
async function countsOf(organizationId: string): Promise<Record<string, number>> {
  const tables = ['users', 'deleted_users', 'user_search', 'tokens'];
  const counts = tables.map(
    (table) => `(SELECT count(*)::int FROM ums.${table} WHERE organization_id = $1) AS ${table}`,
  );
  return (await host.dataSource.query(`SELECT ${counts.join(', ')}`, [organizationId]))[0];
}

describe("the services in an application's transaction", () => {
  itNotOn('embedded', 'find an organization that it has created, and can delete it', async () => {
    const service = host.app.get(OrganizationsService);
    const externalId = `tenant-${process.hrtime.bigint()}`;
    await rolledBack(async (manager) => {
      const organizations = service.within(manager);
      const created = await organizations.create('Tenant', { externalId });
      expect(await organizations.find({ externalId })).toEqual(created);
      expect(await service.find({ externalId })).toBeNull(); // before the commit
      await organizations.suspend(created.id);
      await organizations.delete(created.id);
      expect(await organizations.find({ externalId })).toBeNull();
    });
  });

  it('write together with its rows, and read what it has written', async () => {
    const id = await newOrganization();
    const login = `together-${id}`;
    const { token: old } = await tokens.create(id, { name: 'Old', scopes: ['admin'] });

    const { user, token, value } = await host.dataSource.transaction(async (manager) => {
      const [usersWithin, tokensWithin] = [users.within(manager), tokens.within(manager)];
      await manager.insert(HostUser, { login });
      const user = await usersWithin.create(id, ada);
      expect(await usersWithin.get(id, user.id)).toEqual(user);
      expect((await usersWithin.list(id)).data).toEqual([user]);
      expect(await usersWithin.find(id, { email: ada.email })).toEqual(user);
      expect(await users.find(id, { email: ada.email })).toBeNull();
      await tokensWithin.revoke(id, old.id);
      const created = await tokensWithin.create(id, { name: 'New', scopes: ['admin'] });
      expect(await tokensWithin.get(id, created.token.id)).toEqual(created.token);
      expect((await tokensWithin.list(id, { state: 'active' })).data).toEqual([created.token]);
      return { user, ...created };
    });

    expect(await users.get(id, user.id)).toEqual(user);
    expect(user).toMatchObject({ ...ada, version: 1 });
    expect((await search.search(id, { q: 'ada' })).data).toEqual([user]);
    expect(await host.dataSource.manager.countBy(HostUser, { login })).toBe(1);
    expect((await tokens.list(id, { state: 'active' })).data).toEqual([token]);
    await new Client(host.url, { value }).get('/backend/internal/v1/tokens/current').expect(200);
  });

  it('leave nothing behind if it is rolled back', async () => {
    const id = await newOrganization();
    const login = `undone-${id}`;
    const kept = await users.create(id, { name: 'Grace', email: 'grace@example.com' });
    const { token } = await tokens.create(id, { name: 'Kept', scopes: ['admin'] });
    const before = await countsOf(id);

    const value = await rolledBack(async (manager) => {
      await manager.insert(HostUser, { login });
      const { id: gone } = await users.within(manager).create(id, ada);
      await users.within(manager).update(id, gone, { name: 'Adelaide' });
      await users.within(manager).delete(id, kept.id);
      await tokens.within(manager).revoke(id, token.id);
      return (await tokens.within(manager).create(id, { name: 'Undone', scopes: ['admin'] })).value;
    });

    expect(await countsOf(id)).toEqual(before);
    expect((await users.list(id)).data).toEqual([kept]);
    expect((await tokens.list(id)).data).toEqual([token]);
    expect((await search.search(id, { q: 'adelaide' })).data).toEqual([]);
    await new Client(host.url, { value }).get('/backend/internal/v1/tokens/current').expect(401);
    expect(await host.dataSource.manager.countBy(HostUser, { login })).toBe(0);
  });

  it('change a user several times, each under its version', async () => {
    const id = await newOrganization();
    const user = await users.create(id, ada);

    const versions = await host.dataSource.transaction(async (manager) => {
      const within = users.within(manager);
      const second = await within.update(id, user.id, { role: 'admin' });
      const stale = within.update(id, user.id, { role: 'viewer' }, (version) => {
        if (version !== 1) throw new PreconditionFailedException();
      });
      await expect(stale).rejects.toMatchObject({ status: 412 });
      const third = await within.update(id, user.id, { name: 'Ada Lovelace' });
      const unchanged = await within.update(id, user.id, { role: 'admin' });
      return [second, third, unchanged].map(({ version }) => version);
    });

    expect(versions).toEqual([2, 3, 3]);
    expect(await users.get(id, user.id)).toMatchObject({ role: 'admin', name: 'Ada Lovelace', version: 3 });
  });

  it('leave it usable when they refuse a call', async () => {
    const [id, login] = [await newOrganization(), `usable-${Date.now()}`];
    const first = await users.create(id, ada);

    const second = await host.dataSource.transaction(async (manager) => {
      const within = users.within(manager);
      const created = await within.create(id, { name: 'Grace', email: 'grace@example.com' });
      await expect(within.create(id, ada)).rejects.toBeInstanceOf(ConflictException);
      await expect(within.update(id, created.id, { email: ada.email })).rejects.toMatchObject({
        status: 409,
      });
      await expect(within.delete(id, `usr_${'0'.repeat(26)}`)).rejects.toBeInstanceOf(NotFoundException);
      await expect(within.create(`org_${'0'.repeat(26)}`, ada)).rejects.toBeInstanceOf(NotFoundException);
      await expect(within.create(id, { ...ada, name: '' })).rejects.toMatchObject({ status: 400 });
      const unknown = tokens
        .within(manager)
        .create(`org_${'0'.repeat(26)}`, { name: 'x', scopes: ['admin'] });
      await expect(unknown).rejects.toBeInstanceOf(NotFoundException);
      await manager.insert(HostUser, { login });
      return created;
    });

    expect((await users.list(id, { order: 'asc' })).data).toEqual([first, second]);
    expect(await host.dataSource.manager.countBy(HostUser, { login })).toBe(1);
  });

  it('keep each call to its own statements when several run at once', async () => {
    const id = await newOrganization();
    await users.create(id, ada);

    const results = await host.dataSource.transaction((manager) =>
      Promise.allSettled([
        users.within(manager).create(id, { name: 'Grace', email: 'grace@example.com' }),
        users.within(manager).create(id, ada),
        users.within(manager).create(id, { name: 'Eve', email: 'eve@example.com' }),
        tokens.within(manager).create(id, { name: 'Test', scopes: ['admin'] }),
      ]),
    );

    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    const { data } = await users.list(id, { sort: 'name' });
    expect(data.map(({ name }) => name)).toEqual(['Ada', 'Eve', 'Grace']);
    expect(await countsOf(id)).toMatchObject({ users: 3, user_search: 3, tokens: 1 });
  });

  it('satisfy a foreign key to users in the same transaction', async () => {
    const id = await newOrganization();
    await host.dataSource.query(
      `CREATE TABLE badges (organization_id text, user_id text, FOREIGN KEY (organization_id, user_id) REFERENCES ums.users)`,
    );
    try {
      const user = await host.dataSource.transaction(async (manager) => {
        const created = await users.within(manager).create(id, ada);
        await manager.query('INSERT INTO badges VALUES ($1, $2)', [id, created.id]);
        const forbidden = users.within(manager).delete(id, created.id);
        await expect(forbidden).rejects.toThrow('a table of the application still refers to it');
        return created;
      });
      await expect(users.delete(id, user.id)).rejects.toBeInstanceOf(ConflictException);
      await host.dataSource.transaction(async (manager) => {
        await manager.query('DELETE FROM badges WHERE user_id = $1', [user.id]);
        await users.within(manager).delete(id, user.id);
      });
      expect(await countsOf(id)).toMatchObject({ users: 0, user_search: 0 });
    } finally {
      await host.dataSource.query('DROP TABLE badges');
    }
  });

  it('refuse a manager that is in no transaction, or no longer', async () => {
    const id = await newOrganization();
    const message = /^within\(\) requires the manager of an open transaction/;
    for (const service of [users, tokens])
      expect(() => service.within(host.dataSource.manager)).toThrow(message);
    const runner = host.dataSource.createQueryRunner();
    expect(() => users.within(runner.manager)).toThrow(message);

    await runner.startTransaction();
    await runner.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
    const late = users.within(runner.manager);
    await runner.commitTransaction();
    await expect(late.create(id, ada)).rejects.toThrow(message);
    await runner.release();
    await expect(late.create(id, ada)).rejects.toThrow(message);

    expect(await countsOf(id)).toMatchObject({ users: 0 });
  });

  it('refuse a manager of another data source', () =>
    other.dataSource.transaction(async (manager) => {
      for (const service of [users, tokens])
        expect(() => service.within(manager)).toThrow(
          'within() requires a manager of the data source that the UserManagementModule uses.',
        );
    }));
});

describeOn('postgres', "the services in an application's transaction, while others write", () => {
  it('hold nobody up who creates another user', async () => {
    const id = await newOrganization();
    const runner = host.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
    try {
      await users.within(runner.manager).create(id, { name: 'Theodora', email: 'a@example.com' });
      await users.create(id, { name: 'Theodora', email: 'b@example.com' });
      const [{ waiting }] = await host.dataSource.query(
        `SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      expect(waiting).toBe(0);
      expect(await countsOf(id)).toMatchObject({ users: 1, user_search: 1 });
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  });

  it('go on when every connection of the pool is in a transaction', async () => {
    const { max } = poolOf(host.dataSource).options;
    const id = await newOrganization();
    const runners = Array.from({ length: max }, () => host.dataSource.createQueryRunner());
    try {
      await Promise.all(runners.map((runner) => runner.startTransaction()));
      const outside = Array.from({ length: max }, () => users.list(id));
      const created = runners.map(({ manager }, n) =>
        users.within(manager).create(id, { name: 'Ada', email: `ada-${n}@example.com` }),
      );
      expect(await Promise.all(created)).toHaveLength(max);
      await Promise.all(runners.map((runner) => runner.commitTransaction()));
      await Promise.all(runners.map((runner) => runner.release()));
      expect(await Promise.all(outside)).toHaveLength(max);
    } finally {
      await Promise.all(runners.map((runner) => runner.release()));
    }
    expect(await countsOf(id)).toMatchObject({ users: max });
  });
});

describe('users who are deleted by an application', () => {
  it('can be restored and purged by it', async () => {
    const id = await newOrganization();
    const deletedUsers = host.app.get(DeletedUsersService);
    const user = await users.create(id, ada);
    await host.dataSource.transaction((manager) => users.within(manager).delete(id, user.id));

    const { data } = await deletedUsers.list(id);
    expect(data).toEqual([{ ...user, deletedAt: expect.any(Date), purgeAt: expect.any(Date) }]);
    await users.create(id, ada);
    await expect(deletedUsers.restore(id, user.id)).rejects.toMatchObject({ status: 409 });
    const restored = await deletedUsers.restore(id, user.id, { email: 'second@example.com' });
    expect(restored).toMatchObject({ id: user.id, email: 'second@example.com', version: 2 });
    await users.delete(id, user.id);
    await deletedUsers.purge(id, user.id);
    await expect(deletedUsers.get(id, user.id)).rejects.toMatchObject({ status: 404 });
  });

  it('in a transaction, are purged after its commit if nothing is kept', () =>
    onHost({ schema: 'ums', deletedUsersRetentionDays: 0 }, async ({ app, dataSource }) => {
      const { id } = await app.get(OrganizationsService).create('Test');
      const service = app.get(UsersService);
      const [kept, user] = [
        await service.create(id, ada),
        await service.create(id, { name: 'Grace', email: 'grace@example.com' }),
      ];
      await rolledBack((manager) => service.within(manager).delete(id, kept.id), dataSource);
      await dataSource.transaction((manager) => service.within(manager).delete(id, user.id));

      const deletedUsers = app.get(DeletedUsersService);
      await until(async () => (await deletedUsers.list(id)).data.length === 0); // the background is at it

      expect((await service.list(id)).data).toEqual([kept]);
      const events = await dataSource.query(
        'SELECT type FROM ums.events WHERE target_id = $1 ORDER BY position',
        [user.id],
      );
      expect(events).toEqual(['user.created', 'user.deleted', 'user.purged'].map((type) => ({ type })));
    }));
});
