import { ConflictException, NotFoundException } from '@nestjs/common';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { UserSearch } from '../../src/users/search/user-search.service';
import { UsersService } from '../../src/users/users.service';
import { describeOn, itNotOn } from '../support/engine';
import { startService, type TestService } from '../support/service';

let service: TestService;
let users: UsersService;
beforeAll(async () => {
  service = await startService();
  users = service.app.get(UsersService, { strict: false });
});
afterAll(() => service.close());

const newOrganization = async () =>
  (await service.app.get(OrganizationsService, { strict: false }).create('Test')).id;

const person = (n: number, email = `person-${n}@example.com`) => ({ name: `Person ${n}`, email });

const valuesOf = <Result>(results: PromiseSettledResult<Result>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? result.value : undefined));
const statusesOf = (results: PromiseSettledResult<unknown>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? 'ok' : result.reason.getStatus?.()));

const createUsers = async (organizationId: string, count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => users.create(organizationId, person(n))));

describe('concurrent creates', () => {
  it('each return their own user', async () => {
    const organizationId = await newOrganization();

    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => users.create(organizationId, person(n))),
    );
    expect(valuesOf(results)).toEqual(
      Array.from({ length: 20 }, (_, n) => expect.objectContaining(person(n))),
    );
    expect((await users.list(organizationId)).data).toHaveLength(20);
  });

  it('with one email create one user and refuse only the others', async () => {
    const organizationId = await newOrganization();
    await users.create(organizationId, person(1, 'there@example.com'));

    const results = await Promise.allSettled([
      users.create(organizationId, person(2)),
      users.create(organizationId, person(3, 'There@Example.com')),
      users.create(organizationId, person(4, 'twice@example.com')),
      users.create(organizationId, person(5, 'TWICE@example.com')),
    ]);

    const [second, third, ...twice] = statusesOf(results);
    expect([second, third, twice.sort()]).toEqual(['ok', 409, [409, 'ok']]);
    const stored = (await users.list(organizationId, { sort: 'email' })).data;
    expect(stored.map(({ name }) => name)).toEqual([
      'Person 2',
      'Person 1',
      expect.stringMatching(/^Person [45]$/),
    ]);
  });

  it('add the users to their own organizations only, also for a search with a typo', async () => {
    const [one, other] = [await newOrganization(), await newOrganization()];
    const search = service.app.get(UserSearch, { strict: false });

    await Promise.all([
      users.create(one, { name: 'Wilhelmina Quux', email: 'same@example.com' }),
      users.create(other, { name: 'Bartholomew Quux', email: 'same@example.com' }),
    ]);

    const found = async (organizationId: string, q: string) =>
      (await search.search(organizationId, { q })).data.map(({ name }) => name);
    expect(await found(one, 'wilhelmnia')).toEqual(['Wilhelmina Quux']);
    expect(await found(one, 'bartholomwe')).toEqual([]);
    expect(await found(other, 'bartholomwe')).toEqual(['Bartholomew Quux']);
  });

  it('do not fail because of a create for an unknown organization', async () => {
    const organizationId = await newOrganization();

    const results = await Promise.allSettled([
      users.create(organizationId, person(1)),
      users.create('org_00000000000000000000000000', person(2)),
      users.create(organizationId, person(3)),
    ]);

    expect(statusesOf(results)).toEqual(['ok', 404, 'ok']);
  });
});

describe('concurrent updates', () => {
  it('keep the text of metadata: the order of its keys and its numbers', async () => {
    const organizationId = await newOrganization();
    const created = await createUsers(organizationId, 3);
    const metadata = { zeta: 1, a: [5e-324, { y: 1, x: 2 }] };

    await Promise.all(created.map(({ id }) => users.update(organizationId, id, { metadata })));
    const rows: { text: string }[] = await service.dataSource.query(
      'SELECT metadata::text AS text FROM users WHERE organization_id = $1',
      [organizationId],
    );
    expect(rows.map(({ text }) => text)).toEqual(created.map(() => JSON.stringify(metadata)));
  });

  it('each change only their own fields', async () => {
    const organizationId = await newOrganization();
    const created = await createUsers(organizationId, 3);

    const results = await Promise.allSettled([
      users.update(organizationId, created[0].id, { name: 'Grace' }),
      users.update(organizationId, created[1].id, { role: 'viewer' }),
      users.update(organizationId, created[2].id, {
        metadata: { constructor1: [1, { a: null }], '5e-324': 5e-324 },
      }),
    ]);
    const [first, second, third] = valuesOf(results);
    expect(first).toMatchObject({ ...person(0), name: 'Grace', role: 'member', metadata: {} });
    expect(second).toMatchObject({ ...person(1), role: 'viewer' });
    expect(third).toMatchObject({
      ...person(2),
      metadata: { constructor1: [1, { a: null }], '5e-324': 5e-324 },
    });
  });

  it('of one user are all applied', async () => {
    const organizationId = await newOrganization();
    const [{ id }] = await createUsers(organizationId, 1);

    const results = await Promise.allSettled([
      users.update(organizationId, id, { name: 'Grace' }),
      users.update(organizationId, id, { role: 'admin' }),
      users.update(organizationId, id, { email: 'grace@example.com' }),
    ]);

    expect(statusesOf(results)).toEqual(['ok', 'ok', 'ok']);
    expect(await users.get(organizationId, id)).toMatchObject({
      name: 'Grace',
      role: 'admin',
      email: 'grace@example.com',
    });
  });

  it('do not fail because of an update with a taken email or of an unknown user', async () => {
    const organizationId = await newOrganization();
    const created = await createUsers(organizationId, 3);
    const stranger = (await createUsers(await newOrganization(), 1))[0].id;

    const results = await Promise.allSettled([
      users.update(organizationId, created[0].id, { name: 'Grace' }),
      users.update(organizationId, created[1].id, { email: created[2].email.toUpperCase() }),
      users.update(organizationId, stranger, { name: 'Not yours' }),
      users.update(organizationId, created[2].id, { name: 'Joan' }),
    ]);

    expect(statusesOf(results)).toEqual(['ok', 409, 404, 'ok']);
    expect((await users.list(organizationId, { sort: 'name' })).data.map(({ name }) => name)).toEqual([
      'Grace',
      'Joan',
      'Person 1',
    ]);
  });
});

describe('deletes', () => {
  it('remove the users of their organization, and a second delete of a user is a 404', async () => {
    const organizationId = await newOrganization();
    const elsewhere = await newOrganization();
    const [kept, ...created] = await createUsers(organizationId, 3);

    const results = await Promise.allSettled([
      users.delete(organizationId, created[0].id),
      users.delete(organizationId, created[1].id),
      users.delete(elsewhere, kept.id),
    ]);

    expect(statusesOf(results)).toEqual(['ok', 'ok', 404]);
    await expect(users.delete(organizationId, created[1].id)).rejects.toThrow(NotFoundException);
    expect((await users.list(organizationId)).data.map(({ id }) => id)).toEqual([kept.id]);
  });

  itNotOn('citus', 'are a conflict if another table references the user', async () => {
    const organizationId = await newOrganization();
    const [referenced] = await createUsers(organizationId, 1);
    await service.dataSource.query(
      `CREATE TABLE badges (organization_id text, user_id text, FOREIGN KEY (organization_id, user_id) REFERENCES users)`,
    );
    try {
      await service.dataSource.query('INSERT INTO badges VALUES ($1, $2)', [organizationId, referenced.id]);
      await expect(users.delete(organizationId, referenced.id)).rejects.toThrow(ConflictException);
      await service.dataSource.query('DELETE FROM badges');
      await users.delete(organizationId, referenced.id);
    } finally {
      await service.dataSource.query('DROP TABLE badges');
    }
  });
});

describeOn('postgres', 'with a user that another transaction has locked', () => {
  const statusOf = (result: Promise<unknown>) =>
    result.then(
      () => 'ok',
      (error) => error.getStatus?.(),
    );
  it.each([
    [
      'update',
      (organizationId: string, id: string): Promise<unknown> =>
        users.update(organizationId, id, { name: 'Late' }),
      async (organizationId: string, id: string) =>
        expect((await users.get(organizationId, id)).name).toBe('Late'),
    ],
    [
      'delete',
      (organizationId: string, id: string) => users.delete(organizationId, id),
      async (organizationId: string, id: string) =>
        expect(await statusOf(users.get(organizationId, id))).toBe(404),
    ],
  ])('%s waits, but writes of other users do not', async (_kind, write, expectDone) => {
    const organizationId = await newOrganization();
    const [locked, unlocked] = await Promise.all([
      users.create(organizationId, person(1)),
      users.create(organizationId, person(2)),
    ]);
    const other = service.dataSource.createQueryRunner();
    try {
      await other.startTransaction();
      await other.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
      await other.query('SELECT 1 FROM users WHERE organization_id = $1 AND id = $2 FOR UPDATE', [
        organizationId,
        locked.id,
      ]);

      let isSettled = false;
      const waiting = write(organizationId, locked.id).finally(() => (isSettled = true));
      await write(organizationId, unlocked.id);
      await users.create(organizationId, person(3));

      expect(isSettled).toBe(false);
      await other.commitTransaction();
      await waiting;
      await expectDone(organizationId, locked.id);
    } finally {
      if (other.isTransactionActive) await other.rollbackTransaction();
      await other.release();
    }
  });
});
