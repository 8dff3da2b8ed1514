import fc from 'fast-check';
import { encodeCursor } from '../../src/platform/pages/cursor';
import type { Client, UserBody } from '../support/client';
import { startService, type TestService } from '../support/service';

let service: TestService;
beforeAll(async () => (service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' })));
afterAll(() => service.close());

const SORTS = ['createdAt', 'updatedAt', 'name', 'email'] as const;
type Sort = (typeof SORTS)[number];

const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b)); // by code point

/** The documented sort order, independent of the service's SQL. */
const keysOf: Record<Sort, (user: UserBody) => string[]> = {
  createdAt: ({ createdAt, id }) => [createdAt, id],
  updatedAt: ({ updatedAt, id }) => [updatedAt, id],
  name: ({ name, id }) => [name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(), name, id],
  email: ({ email, id }) => [email.normalize('NFKC').toLowerCase(), id],
};

function sorted(users: UserBody[], sort: Sort, order: 'asc' | 'desc'): UserBody[] {
  const ascending = [...users].sort((a, b) => {
    const [left, right] = [keysOf[sort](a), keysOf[sort](b)];
    return left.reduce((result, key, i) => result || compare(key, right[i]), 0);
  });
  return order === 'asc' ? ascending : ascending.reverse();
}

/** Reads all pages of a list and calls `between` after each page except the last. */
async function walk(
  api: Client,
  query: string,
  between: () => Promise<unknown> = async () => {},
): Promise<UserBody[]> {
  const users: UserBody[] = [];
  let path = `/api/v1/users?${query}`;
  for (let pages = 0; pages < 1000; pages++) {
    const { body, headers } = await api.get(path).expect(200);
    users.push(...body.data);
    if (body.nextCursor === null) {
      expect(headers.link).toBeUndefined();
      return users;
    }
    expect(body.data.length).toBeGreaterThan(0);
    path = /^<(.*)>; rel="next"$/.exec(headers.link)![1];
    expect(new URL(path, 'http://localhost').searchParams.get('cursor')).toBe(body.nextCursor);
    await between();
  }
  throw new Error('the list does not end');
}

const NAMES = [
  'ada',
  'Ada',
  'ADA',
  'Bob',
  'bob',
  'Émile',
  'emile',
  '李',
  '😀',
  'Ａ',
  'z',
  '_',
  'O\u2019Neill',
];

/** Creates users, many with the same names and times. */
async function populate(api: Client, count: number): Promise<UserBody[]> {
  const users = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      api.createUser({ name: NAMES[i % NAMES.length], email: `${i % 2 ? 'U' : 'u'}${i * 7919}@example.com` }),
    ),
  );
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  for (const [i, { id }] of users.entries()) {
    await service.dataSource.query(`UPDATE users SET created_at = $2, updated_at = $3 WHERE id = $1`, [
      id,
      at(i % 5),
      at(i % 3),
    ]);
  }
  return (await api.get('/api/v1/users?limit=200').expect(200)).body.data;
}

describe('GET /api/v1/users', () => {
  it.each(SORTS.flatMap((sort) => (['asc', 'desc'] as const).map((order) => ({ sort, order }))))(
    'sorts by $sort $order, with any page size',
    async ({ sort, order }) => {
      const api = await service.client();
      const users = await populate(api, 45);
      for (const limit of [1, 7, 200]) {
        expect(await walk(api, `sort=${sort}&order=${order}&limit=${limit}`)).toEqual(
          sorted(users, sort, order),
        );
      }
    },
  );

  it('returns every untouched user exactly once while others are created and deleted', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...SORTS),
        fc.constantFrom('asc', 'desc'),
        fc.constantFrom(1, 7, 200),
        fc.array(fc.record({ create: fc.boolean(), name: fc.constantFrom(...NAMES), victim: fc.nat() }), {
          maxLength: 25,
        }),
        async (sort, order, limit, interference) => {
          const api = await service.client();
          const users = await populate(api, 20);
          const [victims, untouched] = [users.slice(0, 6), users.slice(6)];
          const toDelete = [...victims];
          const seenUsers = await walk(api, `sort=${sort}&order=${order}&limit=${limit}`, async () => {
            for (const { create, name, victim } of interference.splice(0, 3)) {
              if (create) await api.createUser({ name });
              else if (toDelete.length > 0)
                await api
                  .delete(`/api/v1/users/${toDelete.splice(victim % toDelete.length, 1)[0].id}`)
                  .expect(204);
            }
          });
          const ids = seenUsers.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          const kept = new Set(untouched.map(({ id }) => id));
          expect(ids.filter((id) => kept.has(id))).toEqual(
            sorted(untouched, sort, order as 'asc' | 'desc').map(({ id }) => id),
          );
        },
      ),
      { numRuns: 30, endOnFailure: true },
    );
  });

  it('sorts by createdAt by default, and each sort has its default order', async () => {
    const api = await service.client();
    const users = await populate(api, 12);
    expect(await walk(api, 'limit=5')).toEqual(sorted(users, 'createdAt', 'desc'));
    expect(await walk(api, 'limit=5&order=asc')).toEqual(sorted(users, 'createdAt', 'asc'));
    expect(await walk(api, 'limit=5&sort=name')).toEqual(sorted(users, 'name', 'asc'));
    expect(await walk(api, 'limit=5&sort=updatedAt')).toEqual(sorted(users, 'updatedAt', 'desc'));
  });

  it('returns 50 users by default', async () => {
    const api = await service.client();
    await populate(api, 51);
    const { body } = await api.get('/api/v1/users').expect(200);
    expect(body.data).toHaveLength(50);
    expect(body.nextCursor).toEqual(expect.any(String));
  });

  it('filters all pages by role and by email in any letter case', async () => {
    const api = await service.client();
    for (let i = 0; i < 9; i++)
      await api.createUser({ role: ['member', 'admin', 'viewer'][i % 3], email: `Person${i}@example.com` });

    const admins = await walk(api, 'role=admin&limit=2&sort=email');
    expect(admins.map(({ email }) => email)).toEqual([
      'Person1@example.com',
      'Person4@example.com',
      'Person7@example.com',
    ]);
    expect(await walk(api, 'email=person4@EXAMPLE.com')).toEqual([admins[1]]);
    expect(await walk(api, 'email=person4@example.com&role=viewer')).toEqual([]);
  });

  it('filters all pages by role and state, in every order', async () => {
    const api = await service.client();
    const users: UserBody[] = [];
    for (let i = 0; i < 12; i++)
      users.push(
        await api.createUser({
          name: `Person ${(i * 5) % 12}`,
          role: ['member', 'admin', 'viewer'][i % 3],
          active: i % 4 !== 0,
        }),
      );
    for (const sort of ['createdAt', 'updatedAt', 'name', 'email'])
      for (const order of ['asc', 'desc']) {
        const all = await walk(api, `limit=5&sort=${sort}&order=${order}`);
        expect(all).toHaveLength(users.length);
        const filtered = async (query: string) => walk(api, `limit=2&sort=${sort}&order=${order}&${query}`);
        expect(await filtered('active=true')).toEqual(all.filter(({ active }) => active));
        expect(await filtered('active=false')).toEqual(all.filter(({ active }) => !active));
        expect(await filtered('role=admin')).toEqual(all.filter(({ role }) => role === 'admin'));
        expect(await filtered('role=admin&active=false')).toEqual(
          all.filter(({ role, active }) => role === 'admin' && !active),
        );
      }
    const [{ email }] = users;
    expect(await walk(api, `email=${email}&active=false`)).toEqual([users[0]]);
    expect(await walk(api, `email=${email}&active=true`)).toEqual([]);
  });

  it.each([
    ['limit=0', 'limit', 'out_of_range'],
    ['limit=201', 'limit', 'out_of_range'],
    ['limit=-1', 'limit', 'out_of_range'],
    ['limit=1.5', 'limit', 'invalid'],
    ['limit=', 'limit', 'invalid'],
    ['limit=1e2', 'limit', 'invalid'],
    ['limit=1&limit=2', 'limit', 'invalid'],
    ['sort=id', 'sort', 'invalid'],
    ['sort=constructor', 'sort', 'invalid'],
    ['order=up', 'order', 'invalid'],
    ['email=nobody', 'email', 'invalid'],
    ['role=owner', 'role', 'invalid'],
    ['active=1', 'active', 'invalid'],
    ['active=TRUE', 'active', 'invalid'],
    ['active=', 'active', 'invalid'],
    ['active=true&active=true', 'active', 'invalid'],
    ['page=2', 'page', 'unknown'],
    ['sort[a]=name', 'sort[a]', 'unknown'],
    ['__proto__=1', '__proto__', 'invalid'],
    ['cursor=', 'cursor', 'invalid'],
    ['cursor=abc', 'cursor', 'invalid'],
    ['cursor=a&cursor=b', 'cursor', 'invalid'],
    ['email=a%00@example.com', 'email', 'invalid'],
  ])('refuses ?%s', async (query, field, code) => {
    const api = await service.client();
    const { body } = await api.get(`/api/v1/users?${query}`).expect(400);
    expect(body.errors).toEqual([{ field, code, message: expect.any(String) }]);
  });

  it('refuses a truncated, altered or forged cursor and a cursor of another list', async () => {
    const [api, other] = [await service.client(), await service.client()];
    await populate(api, 4);
    const cursorOf = async (client: Client, query: string) =>
      (await client.get(`/api/v1/users?limit=1&${query}`).expect(200)).body.nextCursor;
    const cursor: string = await cursorOf(api, 'sort=name');

    await api.get(`/api/v1/users?limit=2&sort=name&cursor=${cursor}`).expect(200);
    await api.get(`/api/v1/users?sort=name&order=asc&cursor=${cursor}`).expect(200);
    const flipped = (at: number) =>
      cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
    for (const query of [
      `sort=email&cursor=${cursor}`,
      `cursor=${cursor}`,
      `sort=name&order=desc&cursor=${cursor}`,
      `sort=name&role=member&cursor=${cursor}`,
      `sort=name&active=true&cursor=${cursor}`,
      `sort=name&cursor=${cursor.slice(0, -1)}`,
      `sort=name&cursor=${cursor}A`,
      `sort=name&cursor=${flipped(3)}`,
      `sort=name&cursor=${flipped(cursor.length - 2)}`,
    ]) {
      const { body } = await api.get(`/api/v1/users?${query}`).expect(400);
      expect(body.errors).toMatchObject([{ field: 'cursor', code: 'invalid' }]);
    }
    await other.get(`/api/v1/users?sort=name&cursor=${cursor}`).expect(400);

    // A forged cursor with the right checksum must contain a valid time.
    const list = ['users', api.organizationId, 'createdAt', 'desc', {}];
    for (const time of ['2024-02-31T00:00:00.000Z', '0000-01-01T00:00:00.000Z', 'now', '2024-01-01']) {
      const forged = encodeCursor([time, 'usr_x'], list);
      const { body } = await api.get(`/api/v1/users?cursor=${forged}`).expect(400);
      expect(body.errors).toMatchObject([{ field: 'cursor' }]);
    }
    await api
      .get(`/api/v1/users?cursor=${encodeCursor(['2024-01-01T00:00:00.000Z', 'usr_x'], list)}`)
      .expect(200);
  });
});
