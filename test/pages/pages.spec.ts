import fc from 'fast-check';
import type { Response } from 'supertest';
import { Database } from '../../src/platform/database/database';
import { encodeCursor } from '../../src/platform/pages/cursor';
import type { UserFilter } from '../../src/users/query/user.filter';
import { aUser, type Client, type UserBody } from '../support/client';
import type { Body } from '../support/scim';
import { startService, type TestService } from '../support/service';
import { statementsOf } from '../support/statements';

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

interface Page {
  data: Body[];
  nextCursor: string | null;
  bytes: number;
}

/** The pages of a list, by its links. */
async function* pagesOf(api: Client, path: string): AsyncGenerator<Page> {
  let pages = 0;
  for (let next: string | undefined = path; next !== undefined;) {
    if (++pages > 1000) throw new Error('The list does not end.');
    const { body, text, headers }: Response = await api.get(next).expect(200);
    yield { ...body, bytes: Buffer.byteLength(text) };
    next = /^<(.*)>; rel="next"$/.exec(headers.link ?? '')?.[1];
    if (next === undefined) return;
    expect(new URL(next, 'http://localhost').searchParams.get('cursor')).toBe(body.nextCursor);
    expect(body.data.length).toBeGreaterThan(0);
  }
}

async function allPagesOf(api: Client, path: string): Promise<Page[]> {
  const pages: Page[] = [];
  for await (const page of pagesOf(api, path)) pages.push(page);
  return pages;
}

async function walk(api: Client, query: string): Promise<UserBody[]> {
  const pages = await allPagesOf(api, `/api/v1/users?${query}`);
  expect(pages.at(-1)!.nextCursor).toBeNull();
  return pages.flatMap(({ data }) => data);
}

const NAMES = [
  ...['ada', 'Ada', 'ADA', 'Bob', 'bob', 'Émile', 'emile', '李', '😀', 'Ａ', 'z', '_', 'O\u2019Neill'],
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
  it('sorts in every order, with any page size: by default 50, the latest first, names and emails ascending', async () => {
    const api = await service.client();
    const users = await populate(api, 51);
    for (const sort of SORTS)
      for (const order of ['asc', 'desc'] as const)
        for (const limit of [1, 7, 200])
          expect(await walk(api, `sort=${sort}&order=${order}&limit=${limit}`)).toEqual(
            sorted(users, sort, order),
          );
    const { body } = await api.get('/api/v1/users').expect(200);
    expect(body.data).toEqual(sorted(users, 'createdAt', 'desc').slice(0, 50));
    for (const [query, sort, order] of [
      ['', 'createdAt', 'desc'],
      ['&order=asc', 'createdAt', 'asc'],
      ['&sort=name', 'name', 'asc'],
      ['&sort=email', 'email', 'asc'],
      ['&sort=updatedAt', 'updatedAt', 'desc'],
    ] as const)
      expect(await walk(api, `limit=20${query}`)).toEqual(sorted(users, sort, order));
  });

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
          const ids: string[] = [];
          const list = `/api/v1/users?sort=${sort}&order=${order}&limit=${limit}`;
          for await (const { data } of pagesOf(api, list)) {
            ids.push(...data.map(({ id }) => id));
            for (const { create, name, victim } of interference.splice(0, 3)) {
              if (create) await api.createUser({ name });
              else if (toDelete.length > 0)
                await api
                  .delete(`/api/v1/users/${toDelete.splice(victim % toDelete.length, 1)[0].id}`)
                  .expect(204);
            }
          }
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

  it('filters all pages by role and state, in every order, and by an email in any letter case', async () => {
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
    expect(await walk(api, `email=${email.toUpperCase()}&active=false`)).toEqual([users[0]]);
    expect(await walk(api, `email=${email}&active=true`)).toEqual([]);
  });

  it('refuses parameters that are wrong, unknown or given twice', async () => {
    const api = await service.client();
    for (const [query, field, code] of [
      ['limit=1&limit=2', 'limit', 'invalid'],
      ['active=true&active=true', 'active', 'invalid'],
      ['sort[a]=name', 'sort[a]', 'unknown'],
      ['__proto__=1', '__proto__', 'invalid'],
      ['cursor=', 'cursor', 'invalid'],
      ['cursor=abc', 'cursor', 'invalid'],
      ['cursor=a&cursor=b', 'cursor', 'invalid'],
      ['email=a%00@example.com', 'email', 'invalid'],
    ]) {
      const { body } = await api.get(`/api/v1/users?${query}`).expect(400);
      expect([query, body.errors]).toEqual([query, [{ field, code, message: expect.any(String) }]]);
    }
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

it('cursors stay valid across releases', () => {
  const list = ['users', 'org_01kacp9k3m8x2f5q7v9wbz4n6t', 'createdAt', 'desc', {}];
  const position = ['2026-01-31T09:30:00.000Z', 'usr_01kacp9k3m8x2f5q7v9wbz4n6t'];
  expect(encodeCursor(position, list)).toBe(
    'bkX85MfJOF5LQ4XAWyIyMDI2LTAxLTMxVDA5OjMwOjAwLjAwMFoiLCJ1c3JfMDFrYWNwOWszbTh4MmY1cTd2OXdiejRuNnQiXQ',
  );
});

describe('a range of times', () => {
  /** The columns of the two times, in `users` and in parameters. */
  const TIMES = [
    { sort: 'createdAt', since: 'createdSince', until: 'createdUntil' },
    { sort: 'updatedAt', since: 'updatedSince', until: 'updatedUntil' },
  ] as const;
  type Time = (typeof TIMES)[number];

  const ORDERS = ['asc', 'desc'] as const;
  const at = (second: number) => new Date(Date.UTC(2026, 0, 31, 9, 30, second)).toISOString();
  const users = '/api/v1/users';

  /** Users whose two times are different seconds, several users to each. */
  async function populate(api: Client, count: number): Promise<UserBody[]> {
    const made: UserBody[] = [];
    for (let i = 0; i < count; i++) {
      const user = await api.createUser({ role: i % 3 ? 'member' : 'viewer', active: i % 4 !== 0 });
      const times = { createdAt: at(i >> 1), updatedAt: at((count - i) >> 1) };
      await service.dataSource.query('UPDATE users SET created_at = $2, updated_at = $3 WHERE id = $1', [
        user.id,
        times.createdAt,
        times.updatedAt,
      ]);
      made.push({ ...user, ...times });
    }
    return made;
  }

  const textOf = (query: object) => `${new URLSearchParams(query as Record<string, string>)}`;

  const within = (all: UserBody[], { sort }: Time, order: string, since?: string, until?: string) => {
    const found = all
      .filter((user) => (!since || user[sort] >= since) && (!until || user[sort] < until))
      .sort((a, b) => (`${a[sort]} ${a.id}` < `${b[sort]} ${b.id}` ? -1 : 1));
    return (order === 'asc' ? found : found.reverse()).map(({ id }) => id);
  };

  const idsOf = (found: { id: string }[]) => found.map(({ id }) => id);

  describe.each(TIMES)('a list by $sort', (time) => {
    const { sort, since, until } = time;
    const COUNT = 24;
    let api: Client;
    let all: UserBody[];
    beforeAll(async () => {
      api = await service.client();
      all = await populate(api, COUNT);
    });

    const RANGES = [
      [at(4), undefined],
      [undefined, at(9)],
      [at(4), at(9)],
      [at(4), at(4)],
      [at(9), at(4)],
      [at(50), undefined],
    ] as const;

    const queryOf = (from?: string, to?: string, more: object = {}) => ({
      sort,
      ...(from && { [since]: from }),
      ...(to && { [until]: to }),
      ...more,
    });

    const found = async (from?: string, to?: string, more: object = {}) =>
      idsOf(await walk(api, textOf(queryOf(from, to, { limit: 5, ...more }))));

    it('begins at one bound, ends before the other, and has the other filters, page by page in both orders', async () => {
      const filters: UserFilter[] = [
        ...[{}, { role: 'viewer' as const }, { active: false }, { role: 'member' as const, active: true }],
        ...[{ email: all[10].email.toUpperCase() }, { email: all[0].email }],
      ];
      for (const order of ORDERS)
        for (const [from, to] of RANGES)
          for (const filter of filters) {
            const { email, role, active } = filter;
            const passing = all.filter(
              (user) =>
                (!email || user.email.toUpperCase() === email.toUpperCase()) &&
                (!role || user.role === role) &&
                (active === undefined || user.active === active),
            );
            expect(await found(from, to, { order, ...filter })).toEqual(
              within(passing, time, order, from, to),
            );
          }
    });

    it('is not together with a group', async () => {
      const group = 'grp_01kacpb2w5r8y3h6j9m4n7p0qx';
      const { body } = await api.get(`${users}?${textOf(queryOf(at(4), at(9), { group }))}`).expect(400);
      const fault = { code: 'invalid', message: 'is not allowed together with group' };
      expect(body.errors).toEqual([since, until].map((field) => ({ field, ...fault })));
    });

    it('takes a time in any zone, one between two milliseconds, the first and the last that there can be', async () => {
      const exact = at(4).replace('.000Z', '');
      const [from4, from5] = [at(4), at(5)].map((from) => within(all, time, 'asc', from, at(9)));
      const [to4, to5] = [at(4), at(5)].map((to) => within(all, time, 'asc', undefined, to));
      const [first, last] = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999999999Z'];
      for (const [from, to, expected] of [
        [`${exact}Z`, at(9), from4],
        [`${exact.replace('T09:', 'T11:')}+02:00`, at(9), from4],
        [`${exact}.0000000Z`, at(9), from4],
        [`${exact}.0000001Z`, at(9), from5],
        [`${exact}.000999999Z`, at(9), from5],
        [undefined, `${exact}.000Z`, to4],
        [undefined, `${exact}.0001Z`, to5],
        [undefined, `${exact}.000000001Z`, to5],
        [first, last, within(all, time, 'asc')],
        [last, undefined, []],
        [undefined, first, []],
      ] as const)
        expect([from, to, await found(from, to, { order: 'asc' })]).toEqual([from, to, expected]);
    });

    it('takes a date as its midnight in UTC, also for a cursor of that time', async () => {
      const midnight = '2026-01-31T00:00:00.000Z';
      const { id } = await api.createUser();
      const setTimes = 'UPDATE users SET created_at = $2, updated_at = $2 WHERE id = $1';
      for (const [at, isWithin] of [
        ['2026-01-30T23:59:59.999Z', false],
        [midnight, true],
      ] as const) {
        await service.dataSource.query(setTimes, [id, at]);
        expect((await found('2026-01-31', undefined, { order: 'asc' }))[0] === id).toBe(isWithin);
        expect((await found(undefined, '2026-01-31')).includes(id)).toBe(!isWithin);
      }
      const listed = await api.get(`${users}?${textOf(queryOf('2026-01-31', '2026-02-01', { limit: 1 }))}`);
      const { nextCursor: cursor } = listed.body;
      for (const from of ['2026-01-31', midnight, '2026-01-31T01:00:00+01:00'])
        await api.get(`${users}?${textOf(queryOf(from, '2026-02-01', { cursor }))}`).expect(200);
      await api.delete(`${users}/${id}`).expect(204);
    });

    it('refuses a cursor of another range', async () => {
      const query = queryOf(at(2), at(9));
      const { nextCursor: cursor } = (await api.get(`${users}?${textOf({ ...query, limit: 1 })}`)).body;
      for (const other of [queryOf(at(3), at(9)), queryOf(at(2), at(8)), queryOf(at(2)), queryOf()]) {
        const { body } = await api.get(`${users}?${textOf({ ...other, cursor })}`).expect(400);
        expect(body.errors).toMatchObject([{ field: 'cursor', code: 'invalid' }]);
      }
      const sameTime = { ...query, [since]: at(2).replace('Z', '+00:00') };
      await api.get(`${users}?${textOf({ ...sameTime, cursor })}`).expect(200);
    });

    it('never leaves its range, whatever position a cursor has', async () => {
      const range = { since: { operator: '>=', time: at(4) }, until: { operator: '<', time: at(9) } };
      for (const order of ORDERS) {
        const list = ['users', api.organizationId, sort, order, range];
        const expected = within(all, time, order, at(4), at(9));
        const [before, after] = order === 'asc' ? [at(0), at(30)] : [at(30), at(0)];
        for (const [position, found] of [
          [before, expected],
          [after, []],
        ] as const) {
          const cursor = encodeCursor([position, 'usr_'], list);
          const query = textOf(queryOf(at(4), at(9), { order, cursor }));
          expect(idsOf((await api.get(`${users}?${query}`).expect(200)).body.data)).toEqual(found);
        }
      }
    });
  });

  it('is refused if a time is none, is given twice, or is not the one that the list is sorted by', async () => {
    const api = await service.client();
    const time = '2026-01-31T09:30:00Z';
    for (const [query, ...fields] of [
      ['createdSince=2026-02-30', 'createdSince'],
      ['createdUntil=0000-01-01', 'createdUntil'],
      ['createdUntil=2026-1-31', 'createdUntil'],
      ['createdSince=2026-01-31&createdSince=2026-01-31', 'createdSince'],
      ['createdUntil=2026-01-31T09:30:00', 'createdUntil'],
      ['createdSince=2026-02-30T09:30:00Z', 'createdSince'],
      ['createdSince=0000-01-01T00:00:00Z', 'createdSince'],
      ['createdSince=', 'createdSince'],
      ['createdSince=now', 'createdSince'],
      [`createdSince=${time}&createdSince=${time}`, 'createdSince'],
      [`updatedSince=${time}`, 'updatedSince'],
      [`updatedUntil=${time}&sort=createdAt`, 'updatedUntil'],
      [`createdSince=${time}&sort=updatedAt`, 'createdSince'],
      [`createdUntil=${time}&sort=name`, 'createdUntil'],
      [
        `sort=email&createdSince=${time}&createdUntil=x&updatedSince=${time}&limit=0`,
        ...['createdSince', 'createdUntil', 'limit', 'updatedSince'],
      ],
      [`sort=updatedAt&updatedSince=${time}&createdSince=${time}&order=up`, 'createdSince', 'order'],
    ]) {
      const { body } = await api.get(`${users}?${query}`).expect(400);
      const named = body.errors.map(({ field }: { field: string }) => field).sort();
      expect([query, ...named]).toEqual([query, ...fields]);
    }
    const messageOf = async (query: string) =>
      (await api.get(`${users}?${query}`).expect(400)).body.errors[0].message;
    expect(await messageOf(`updatedSince=${time}`)).toBe('is allowed only if sort is updatedAt');
    expect(await messageOf('createdSince=2026')).toBe(
      'must be a time such as 2026-01-31T09:30:00.000Z, or a date such as 2026-01-31',
    );
  });
});

describe('a page of long values', () => {
  const MB = 1024 * 1024;
  const USERS = 100;
  /** Fewer bytes as characters than as UTF-8, and some of them are short. */
  const metadataOf = (i: number) => ({ i, text: i % 10 === 0 ? '' : 'é'.repeat(7_500) });
  const nameOf = (i: number) => `Long ${String(i).padStart(3, '0')}`;

  let api: Client;
  let ids: string[];
  beforeAll(async () => {
    api = await service.client();
    ids = [];
    for (let n = 0; n < USERS; n += 50) {
      const users = Array.from({ length: 50 }, (_, i) =>
        aUser({ name: nameOf(n + i), metadata: metadataOf(n + i) }),
      );
      const { body } = await api.post('/api/v1/users/batch').send({ users }).expect(200);
      ids.push(...body.results.map(({ id }: { id: string }) => id));
    }
    for (const id of ids) await api.patch(`/api/v1/users/${id}`).send({ role: 'viewer' }).expect(200);
  });

  /** Reads a list of so many bytes in all: each page but the last is as long as it may be. */
  async function readLong(path: string, longest: number, client = api): Promise<Body[]> {
    const pages = await allPagesOf(client, path);
    expect(pages.length).toBeGreaterThan(1);
    for (const { bytes } of pages) expect(bytes).toBeLessThan(MB + 1_000); // the envelope
    for (const { bytes } of pages.slice(0, -1)) expect(bytes + longest).toBeGreaterThan(MB);
    return pages.flatMap(({ data }) => data);
  }

  const numbers = Array.from({ length: USERS }, (_, i) => i);

  describe('a page ends before it would pass 1 MB, and the next one goes on there', () => {
    it('of users', async () => {
      for (const sort of SORTS) {
        const users = await readLong(`/api/v1/users?limit=200&sort=${sort}&order=asc&role=viewer`, 16_000);
        expect(users.map(({ id }) => id).sort()).toEqual([...ids].sort());
        for (const { name, metadata } of users) expect(metadata).toEqual(metadataOf(Number(name.slice(-3))));
        if (sort === 'updatedAt' || sort === 'name') expect(users.map(({ id }) => id)).toEqual(ids);
      }
    });

    it('of a search', async () => {
      const users = await readLong('/api/v1/users/search?q=long&limit=200', 16_000);
      expect(users.map(({ name }) => name)).toEqual(numbers.map(nameOf));
      expect(users.map(({ metadata }) => metadata)).toEqual(numbers.map(metadataOf));
    });

    it('of deleted users', async () => {
      const other = await service.client();
      const created = [];
      for (const i of numbers) created.push(await other.createUser({ metadata: metadataOf(i) }));
      for (const { id } of created) await other.delete(`/api/v1/users/${id}`).expect(204);
      const users = await readLong('/api/v1/deleted-users?limit=200', 40_000, other);
      const byId = new Map(users.map(({ id, metadata }) => [id, metadata]));
      expect(users).toHaveLength(USERS);
      expect(created.map(({ id }) => byId.get(id))).toEqual(numbers.map(metadataOf));
      const times = users.map(({ deletedAt }) => deletedAt);
      expect(times).toEqual([...times].sort().reverse());
    });

    it('of events', async () => {
      for (const order of ['asc', 'desc']) {
        const events = await readLong(`/api/v1/events?type=user.created&limit=200&order=${order}`, 16_000);
        const sequences = events.map(({ sequence }) => sequence);
        expect(sequences).toEqual([...sequences].sort((a, b) => (order === 'asc' ? a - b : b - a)));
        const users = events.map(({ data }) => data.user);
        expect(users.map(({ id }) => id).sort()).toEqual([...ids].sort());
        for (const { name, metadata } of users) expect(metadata).toEqual(metadataOf(Number(name.slice(-3))));
      }
    });
  });

  it('the statement of a page reads no long values; these are heavy work in parts', async () => {
    for (const path of ['users?', 'users/search?q=long&', 'events?']) {
      const reads = jest.spyOn(service.app.get(Database), 'read');
      const statements = await statementsOf(service.dataSource, async () =>
        api.get(`/api/v1/${path}limit=200`).expect(200),
      );
      const parts = statements.filter(({ values }) =>
        values.some((value) => Array.isArray(value) && value.length > 1),
      );
      expect([path, parts.length > 2]).toEqual([path, true]);
      for (const { values } of parts) expect(values.flat().length).toBeLessThan(50);
      expect(reads.mock.calls.map(([, , cost]) => cost)).toContain('heavy');
      reads.mockRestore();
    }
  });

  describe('a user who changes while the long values of the page are read', () => {
    /** Runs `change` once, before the long values are read. */
    function beforeLongValues(change: () => Promise<unknown>) {
      const database = service.app.get(Database);
      const read = database.read.bind(database);
      const spy = jest.spyOn(database, 'read').mockImplementation(async (organizationId, work, cost) => {
        if (cost !== 'heavy') return read(organizationId, work, cost);
        spy.mockRestore();
        await change();
        return read(organizationId, work, cost);
      });
    }
    const aLongUser = (fields: object) => api.createUser({ metadata: metadataOf(1), ...fields });
    const names = async (query: string) => (await walk(api, query)).map(({ name }) => name);
    beforeEach(async () => (api = await service.client()));

    it('is left out if it is deleted, or no longer passes the filter', async () => {
      const [gone, changed] = [await aLongUser({ name: 'Gone' }), await aLongUser({ name: 'Changed' })];
      await aLongUser({ name: 'Here' });
      beforeLongValues(async () => {
        await api.delete(`/api/v1/users/${gone.id}`).expect(204);
        await api.patch(`/api/v1/users/${changed.id}`).send({ role: 'admin' }).expect(200);
      });
      expect(await names('role=member')).toEqual(['Here']);
    });

    it('keeps its place, so that the next page goes on behind it', async () => {
      const all = [];
      for (const i of numbers) all.push(await aLongUser({ name: nameOf(i) }));
      // The last user of the first page, if nothing changes.
      const { body } = await api.get('/api/v1/users?sort=name&limit=200').expect(200);
      const last = body.data.at(-1);
      beforeLongValues(() => api.patch(`/api/v1/users/${last.id}`).send({ name: 'Zed' }).expect(200));
      const expected = numbers.map((i) => (nameOf(i) === last.name ? 'Zed' : nameOf(i)));
      // It comes again at its new place.
      expect(await names('sort=name&limit=200')).toEqual([...expected, 'Zed']);
    });
  });
});
