import { ConflictException, NotFoundException } from '@nestjs/common';
import { OrganizationsService } from '../src/auth/organizations.service';
import { UserSearch } from '../src/users/search/user-search';
import { UsersService } from '../src/users/users.service';
import { describeOnServer, itOnPlainTables } from './support/database';
import { startService, type TestService } from './support/service';

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

/** Settles the promises of `run` and counts the statements that write users meanwhile. */
async function countStatements<Result>(run: () => Promise<Result>[]) {
  const query = jest.spyOn(service.dataSource, 'query');
  try {
    const results = await Promise.allSettled(run());
    // On a cluster, the text of such a statement is a parameter.
    const statements = query.mock.calls.filter(([sql, values]) =>
      /(INSERT INTO|UPDATE|DELETE FROM) \S*users\b/.test(`${sql} ${(values as unknown[] | undefined)?.[1]}`),
    ).length;
    return { results, statements };
  } finally {
    query.mockRestore();
  }
}

const valuesOf = <Result>(results: PromiseSettledResult<Result>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? result.value : undefined));
const statusesOf = (results: PromiseSettledResult<unknown>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? 'ok' : result.reason.getStatus?.()));

const createUsers = async (organizationId: string, count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => users.create(organizationId, person(n))));

describe('concurrent creates', () => {
  it('are one statement, and each returns its own user', async () => {
    const organizationId = await newOrganization();

    const { results, statements } = await countStatements(() =>
      Array.from({ length: 20 }, (_, n) => users.create(organizationId, person(n))),
    );

    expect(statements).toBe(1);
    expect(valuesOf(results)).toEqual(
      Array.from({ length: 20 }, (_, n) => expect.objectContaining(person(n))),
    );
    expect((await users.list(organizationId)).data).toHaveLength(20);
  });

  it('with one email create one user and refuse only the others', async () => {
    const organizationId = await newOrganization();
    await users.create(organizationId, person(1, 'there@example.com'));

    const { results, statements } = await countStatements(() => [
      users.create(organizationId, person(2)),
      users.create(organizationId, person(3, 'There@Example.com')),
      users.create(organizationId, person(4, 'twice@example.com')),
      users.create(organizationId, person(5, 'TWICE@example.com')),
    ]);

    expect(statusesOf(results)).toEqual(['ok', 409, 'ok', 409]);
    // One is rejected, and one writes those who are left. Alone, each would be another.
    expect(statements).toBe(2);
    const stored = (await users.list(organizationId, { sort: 'email' })).data;
    expect(stored.map(({ name }) => name)).toEqual(['Person 2', 'Person 1', 'Person 4']);
  });

  it('with taken emails alone write nothing', async () => {
    const organizationId = await newOrganization();
    await createUsers(organizationId, 20);

    const { results, statements } = await countStatements(() =>
      Array.from({ length: 20 }, (_, n) => users.create(organizationId, person(n))),
    );

    expect(statusesOf(results)).toEqual(Array(20).fill(409));
    expect(statements).toBe(1);
  });

  it('add the users and the words for typos to their own organizations only', async () => {
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

    const { results } = await countStatements(() => [
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

    const { statements } = await countStatements(() =>
      created.map(({ id }) => users.update(organizationId, id, { metadata })),
    );

    expect(statements).toBe(1);
    const rows: { text: string }[] = await service.dataSource.query(
      'SELECT metadata::text AS text FROM users WHERE organization_id = $1',
      [organizationId],
    );
    expect(rows.map(({ text }) => text)).toEqual(created.map(() => JSON.stringify(metadata)));
  });

  it('are one statement, and each changes only its own fields', async () => {
    const organizationId = await newOrganization();
    const created = await createUsers(organizationId, 3);

    const { results, statements } = await countStatements(() => [
      users.update(organizationId, created[0].id, { name: 'Grace' }),
      users.update(organizationId, created[1].id, { role: 'viewer' }),
      users.update(organizationId, created[2].id, {
        metadata: { constructor1: [1, { a: null }], '5e-324': 5e-324 },
      }),
    ]);

    expect(statements).toBe(1);
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

    const { results } = await countStatements(() => [
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

    const { results } = await countStatements(() => [
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

  itOnPlainTables('are a conflict if another table references the user', async () => {
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

describe('a statement of its own', () => {
  it('is used for each email change, because a batch could deadlock', async () => {
    const organizationId = await newOrganization();
    const created = await Promise.all([1, 2, 3].map((n) => users.create(organizationId, person(n))));

    const { results, statements } = await countStatements(() =>
      created.map(({ id }, n) => users.update(organizationId, id, { email: `new-${n}@example.com` })),
    );

    expect(statements).toBe(3);
    expect(statusesOf(results)).toEqual(['ok', 'ok', 'ok']);
  });

  it('is used for a user with large metadata, which would delay the others', async () => {
    const organizationId = await newOrganization();
    const metadata = { text: 'lorem ipsum '.repeat(100) };

    const { results, statements } = await countStatements(() => [
      users.create(organizationId, { ...person(1), metadata }),
      users.create(organizationId, person(2)),
      users.create(organizationId, person(3)),
    ]);

    expect(statements).toBe(2);
    expect(statusesOf(results)).toEqual(['ok', 'ok', 'ok']);
  });

  itOnPlainTables('is used for each row of a batch that the database rejected', async () => {
    const organizationId = await newOrganization();
    await service.dataSource.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF NEW.email = 'refused@example.com' THEN RAISE 'no'; END IF; RETURN NEW; END $$`);
    await service.dataSource.query(
      'CREATE TRIGGER refuse BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION refuse()',
    );
    try {
      const { results } = await countStatements(() => [
        users.create(organizationId, person(1)),
        users.create(organizationId, person(2, 'refused@example.com')),
        users.create(organizationId, person(3)),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    } finally {
      await service.dataSource.query('DROP FUNCTION refuse CASCADE');
    }
  });
});

describeOnServer('with a user that another transaction has locked', () => {
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
