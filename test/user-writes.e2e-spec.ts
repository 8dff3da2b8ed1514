import { ConflictException, NotFoundException } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { OrganizationsService } from '../src/auth/organizations.service';
import { SearchIndexes } from '../src/users/search/search-indexes';
import { UserSearch } from '../src/users/search/user-search';
import type { User } from '../src/users/user.entity';
import { UsersService } from '../src/users/users.service';
import { describeOnServer } from './support/database';
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

/** How many statements write users while `run` does, and what became of its promises. */
async function watched<Result>(run: () => Promise<Result>[]) {
  const asked = jest.spyOn(service.dataSource, 'query');
  try {
    const results = await Promise.allSettled(run());
    const statements = asked.mock.calls.filter(([sql]) =>
      /(INSERT INTO|UPDATE|DELETE FROM) \S*users\b/.test(sql),
    ).length;
    return { results, statements };
  } finally {
    asked.mockRestore();
  }
}

const valuesOf = <Result>(results: PromiseSettledResult<Result>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? result.value : undefined));
const statusesOf = (results: PromiseSettledResult<unknown>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? 'ok' : result.reason.getStatus?.()));

const make = async (organizationId: string, count: number) =>
  Promise.all(Array.from({ length: count }, (_, n) => users.create(organizationId, person(n))));

describe('creates of one moment', () => {
  it('are one statement, and each answers its own user', async () => {
    const organizationId = await newOrganization();

    const { results, statements } = await watched(() =>
      Array.from({ length: 20 }, (_, n) => users.create(organizationId, person(n))),
    );

    expect(statements).toBe(1);
    expect(valuesOf(results)).toEqual(
      Array.from({ length: 20 }, (_, n) => expect.objectContaining(person(n))),
    );
    expect((await users.list(organizationId)).data).toHaveLength(20);
  });

  it('of one email make one user, and refuse the others alone', async () => {
    const organizationId = await newOrganization();
    await users.create(organizationId, person(1, 'there@example.com'));

    const { results } = await watched(() => [
      users.create(organizationId, person(2)),
      users.create(organizationId, person(3, 'There@Example.com')),
      users.create(organizationId, person(4, 'twice@example.com')),
      users.create(organizationId, person(5, 'TWICE@example.com')),
    ]);

    const [second, third, ...twins] = statusesOf(results);
    expect([second, third]).toEqual(['ok', 409]);
    expect(twins.sort()).toEqual([409, 'ok']);
  });

  it('belong to their organizations, and so do the words that typos are understood by', async () => {
    const [one, other] = [await newOrganization(), await newOrganization()];
    const search = service.app.get(UserSearch, { strict: false });

    await Promise.all([
      users.create(one, { name: 'Wilhelmina Quux', email: 'same@example.com' }),
      users.create(other, { name: 'Bartholomew Quux', email: 'same@example.com' }),
    ]);

    const found = async (organizationId: string, q: string) =>
      (await search.search(organizationId, { q })).data.map(({ name }: User) => name);
    expect(await found(one, 'wilhelmnia')).toEqual(['Wilhelmina Quux']);
    expect(await found(one, 'bartholomwe')).toEqual([]);
    expect(await found(other, 'bartholomwe')).toEqual(['Bartholomew Quux']);
  });

  it('do not fail because of one for an organization that is not there', async () => {
    const organizationId = await newOrganization();

    const { results } = await watched(() => [
      users.create(organizationId, person(1)),
      users.create('org_00000000000000000000000000', person(2)),
      users.create(organizationId, person(3)),
    ]);

    expect(statusesOf(results)).toEqual(['ok', 404, 'ok']);
  });
});

describe('changes of one moment', () => {
  it('are one statement, and each changes what it names', async () => {
    const organizationId = await newOrganization();
    const made = await make(organizationId, 3);

    const { results, statements } = await watched(() => [
      users.update(organizationId, made[0].id, { name: 'Grace' }),
      users.update(organizationId, made[1].id, { role: 'viewer' }),
      users.update(organizationId, made[2].id, {
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

  it('of one user all happen', async () => {
    const organizationId = await newOrganization();
    const [{ id }] = await make(organizationId, 1);

    const { results } = await watched(() => [
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

  it('do not fail because of one with an email that is taken, or of one of nobody', async () => {
    const organizationId = await newOrganization();
    const made = await make(organizationId, 3);
    const stranger = (await make(await newOrganization(), 1))[0].id;

    const { results } = await watched(() => [
      users.update(organizationId, made[0].id, { name: 'Grace' }),
      users.update(organizationId, made[1].id, { email: made[2].email.toUpperCase() }),
      users.update(organizationId, stranger, { name: 'Not yours' }),
      users.update(organizationId, made[2].id, { name: 'Joan' }),
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
  it('are each a statement of their own, and of two of one user one succeeds', async () => {
    const organizationId = await newOrganization();
    const elsewhere = await newOrganization();
    const [kept, ...made] = await make(organizationId, 3);

    const { results, statements } = await watched(() => [
      users.delete(organizationId, made[0].id),
      users.delete(organizationId, made[1].id),
      users.delete(elsewhere, kept.id),
    ]);

    expect([statusesOf(results), statements]).toEqual([['ok', 'ok', 404], 3]);
    await expect(users.delete(organizationId, made[1].id)).rejects.toThrow(NotFoundException);
    expect((await users.list(organizationId)).data.map(({ id }) => id)).toEqual([kept.id]);
  });

  it('are a conflict where another table refers to the user', async () => {
    const organizationId = await newOrganization();
    const [referred] = await make(organizationId, 1);
    await service.dataSource.query(
      `CREATE TABLE badges (of text, holder text, FOREIGN KEY (of, holder) REFERENCES users)`,
    );
    try {
      await service.dataSource.query('INSERT INTO badges VALUES ($1, $2)', [organizationId, referred.id]);
      await expect(users.delete(organizationId, referred.id)).rejects.toThrow(ConflictException);
      await service.dataSource.query('DELETE FROM badges');
      await users.delete(organizationId, referred.id);
    } finally {
      await service.dataSource.query('DROP TABLE badges');
    }
  });
});

describe('what gets a statement of its own', () => {
  it('are emails that change: several at once would deadlock', async () => {
    const organizationId = await newOrganization();
    const made = await Promise.all([1, 2, 3].map((n) => users.create(organizationId, person(n))));

    const { results, statements } = await watched(() =>
      made.map(({ id }, n) => users.update(organizationId, id, { email: `new-${n}@example.com` })),
    );

    expect(statements).toBe(3);
    expect(statusesOf(results)).toEqual(['ok', 'ok', 'ok']);
  });

  it('is a user with much metadata, who would hold up the others', async () => {
    const organizationId = await newOrganization();
    const metadata = { text: 'lorem ipsum '.repeat(100) };

    const { results, statements } = await watched(() => [
      users.create(organizationId, { ...person(1), metadata }),
      users.create(organizationId, person(2)),
      users.create(organizationId, person(3)),
    ]);

    expect(statements).toBe(2);
    expect(statusesOf(results)).toEqual(['ok', 'ok', 'ok']);
  });

  it('is each of those that the server has refused together, whatever for', async () => {
    const organizationId = await newOrganization();
    await service.dataSource.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF NEW.email = 'refused@example.com' THEN RAISE 'no'; END IF; RETURN NEW; END $$`);
    await service.dataSource.query(
      'CREATE TRIGGER refuse BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION refuse()',
    );
    try {
      const { results } = await watched(() => [
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

describe('what the indexes of the search gather', () => {
  const pendingPages = async () => {
    const pages = ['search_text', 'pairs'].map(
      (name) => `gin_clean_pending_list('users_organization_id_${name}_idx')`,
    );
    const [{ count }] = await service.dataSource.query(`SELECT ${pages.join(' + ')} AS count`);
    return Number(count);
  };
  const makeMany = async (count: number) => {
    const organizationId = await newOrganization();
    await Promise.all(Array.from({ length: count }, (_, n) => users.create(organizationId, person(n))));
  };
  /** The statements that sort it in while `run` does, ended. */
  const sortings = async (run: () => Promise<void>) => {
    const asked = jest.spyOn(service.dataSource, 'query');
    try {
      await run();
      const mine = asked.mock.calls.flatMap(([sql], n) => (/ums_sort_in/.test(sql) ? [n] : []));
      return await Promise.allSettled(mine.map((n) => asked.mock.results[n].value));
    } finally {
      asked.mockRestore();
    }
  };

  it('is sorted in aside, once many users were written', async () => {
    const [sorting] = await sortings(() => makeMany(300));

    expect(sorting.status).toBe('fulfilled');
  });

  it('is sorted in by any role, and wholly', async () => {
    await makeMany(20);

    const other = service.dataSource.createQueryRunner();
    await other.startTransaction();
    try {
      await other.query(`CREATE ROLE ums_sorting_${process.pid}`);
      await other.query(`SET LOCAL ROLE ums_sorting_${process.pid}`);
      await other.query('SELECT ums_sort_in()');
    } finally {
      await other.rollbackTransaction();
      await other.release();
    }
    expect(await pendingPages()).toBe(0);
  });

  it('stays with the requests where that function is not to be had, which the log says', async () => {
    const indexes = new SearchIndexes(service.dataSource);
    const logged = () => service.logs.filter((line) => line.includes('the requests that fill them up'));
    await service.dataSource.query('ALTER FUNCTION ums_sort_in() RENAME TO elsewhere');
    try {
      const tries = await sortings(async () => {
        indexes.gathered(250);
        for (let n = 0; n < 500 && logged().length === 0; n++) await sleep(10);
        indexes.gathered(250);
      });
      expect(tries.map(({ status }) => status)).toEqual(['rejected']);
      expect(logged()).toHaveLength(1);
    } finally {
      await service.dataSource.query('ALTER FUNCTION elsewhere() RENAME TO ums_sort_in');
    }
  });
});

describeOnServer('what is done to a user whom somebody else has locked', () => {
  const statusOf = (asked: Promise<unknown>) =>
    asked.then(
      () => 'ok',
      (error) => error.getStatus?.(),
    );
  it.each([
    [
      'change',
      (of: string, id: string): Promise<unknown> => users.update(of, id, { name: 'Late' }),
      async (of: string, id: string) => expect((await users.get(of, id)).name).toBe('Late'),
    ],
    [
      'delete',
      (of: string, id: string) => users.delete(of, id),
      async (of: string, id: string) => expect(await statusOf(users.get(of, id))).toBe(404),
    ],
  ])('waits if it is a %s, and nobody else with it', async (_kind, write, expectDone) => {
    const organizationId = await newOrganization();
    const [locked, free] = await Promise.all([
      users.create(organizationId, person(1)),
      users.create(organizationId, person(2)),
    ]);
    const other = service.dataSource.createQueryRunner();
    try {
      await other.startTransaction();
      await other.query('SELECT 1 FROM users WHERE id = $1 FOR UPDATE', [locked.id]);

      let isOver = false;
      const waiting = write(organizationId, locked.id).finally(() => (isOver = true));
      await write(organizationId, free.id);
      await users.create(organizationId, person(3));

      expect(isOver).toBe(false);
      await other.commitTransaction();
      await waiting;
      await expectDone(organizationId, locked.id);
    } finally {
      if (other.isTransactionActive) await other.rollbackTransaction();
      await other.release();
    }
  });
});
