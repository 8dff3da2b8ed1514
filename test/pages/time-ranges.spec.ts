import type { UserFilter } from '../../src/users/user/user.filter';
import { encodeCursor } from '../../src/platform/pages/cursor';
import { UsersService } from '../../src/users/users.service';
import { type Client, type UserBody } from '../support/client';
import { startService, type TestService } from '../support/service';

let service: TestService;
beforeAll(async () => (service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' })));
afterAll(() => service.close());

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

const pageOf = async (
  api: Client,
  query: Record<string, unknown>,
): Promise<{ data: UserBody[]; nextCursor: string | null }> =>
  (await api.get(`${users}?${new URLSearchParams(query as Record<string, string>)}`).expect(200)).body;

async function walk(api: Client, query: Record<string, unknown>): Promise<UserBody[]> {
  const found: UserBody[] = [];
  let cursor: string | null = null;
  do {
    const { data, nextCursor } = await pageOf(api, { ...query, limit: 5, ...(cursor && { cursor }) });
    found.push(...data);
    cursor = nextCursor;
  } while (cursor !== null);
  return found;
}

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

  it('begins at one bound, ends before the other, and is walked page by page, in both orders', async () => {
    for (const order of ORDERS)
      for (const [from, to] of RANGES)
        expect(idsOf(await walk(api, queryOf(from, to, { order })))).toEqual(
          within(all, time, order, from, to),
        );
  });

  it('has the other filters, too', async () => {
    const filters: UserFilter[] = [
      { role: 'viewer' },
      { active: false },
      { role: 'member', active: true },
      { email: all[10].email.toUpperCase() },
      { email: all[0].email },
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
          expect(idsOf(await walk(api, queryOf(from, to, { order, ...filter })))).toEqual(
            within(passing, time, order, from, to),
          );
        }
  });

  it('is not together with a group', async () => {
    const group = 'grp_01kacpb2w5r8y3h6j9m4n7p0qx';
    const parameters = queryOf(at(4), at(9), { group }) as Record<string, string>;
    const { body } = await api.get(`${users}?${new URLSearchParams(parameters)}`).expect(400);
    const fault = { code: 'invalid', message: 'is not allowed together with group' };
    expect(body.errors).toEqual([since, until].map((field) => ({ field, ...fault })));
  });

  it('takes a time in any zone, and one between two milliseconds', async () => {
    const exact = at(4).replace('.000Z', '');
    const whole = within(all, time, 'asc', at(4), at(9));
    const later = within(all, time, 'asc', at(5), at(9));
    for (const [from, expected] of [
      [`${exact}Z`, whole],
      [`${exact.replace('T09:', 'T11:')}+02:00`, whole],
      [`${exact}.0000000Z`, whole],
      [`${exact}.0000001Z`, later],
      [`${exact}.000999999Z`, later],
    ] as const)
      expect(idsOf(await walk(api, queryOf(from, at(9), { order: 'asc' })))).toEqual(expected);
    const including = within(all, time, 'asc', undefined, at(5));
    for (const [to, expected] of [
      [`${exact}.000Z`, within(all, time, 'asc', undefined, at(4))],
      [`${exact}.0001Z`, including],
      [`${exact}.000000001Z`, including],
    ] as const)
      expect(idsOf(await walk(api, queryOf(undefined, to, { order: 'asc' })))).toEqual(expected);
  });

  it('takes the first and the last time that there can be', async () => {
    const [first, last] = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999999999Z'];
    expect(await walk(api, queryOf(first, last))).toHaveLength(COUNT);
    expect(await walk(api, queryOf(last))).toEqual([]);
    expect(await walk(api, queryOf(undefined, first))).toEqual([]);
  });

  it('refuses a cursor of another range', async () => {
    const cursorOf = async (query: Record<string, string>) =>
      (await pageOf(api, { ...query, limit: 1 })).nextCursor as string;
    const query = queryOf(at(2), at(9));
    const cursor = await cursorOf(query);
    for (const other of [queryOf(at(3), at(9)), queryOf(at(2), at(8)), queryOf(at(2)), queryOf()]) {
      const { body } = await api
        .get(`${users}?${new URLSearchParams({ ...other, cursor } as Record<string, string>)}`)
        .expect(400);
      expect(body.errors).toMatchObject([{ field: 'cursor', code: 'invalid' }]);
    }
    const sameTime = { ...query, [since]: at(2).replace('Z', '+00:00') };
    await api.get(`${users}?${new URLSearchParams({ ...sameTime, cursor })}`).expect(200);
  });

  it('never leaves its range, whatever position a cursor has', async () => {
    const range = {
      since: { operator: '>=', time: at(4) },
      until: { operator: '<', time: at(9) },
    };
    for (const order of ORDERS) {
      const list = ['users', api.organizationId, sort, order, range];
      const expected = within(all, time, order, at(4), at(9));
      const [before, after] = order === 'asc' ? [at(0), at(30)] : [at(30), at(0)];
      for (const [position, found] of [
        [before, expected],
        [after, []],
      ] as const) {
        const cursor = encodeCursor([position, 'usr_'], list);
        const query = new URLSearchParams(queryOf(at(4), at(9), { order, cursor }));
        expect(idsOf((await api.get(`${users}?${query}`).expect(200)).body.data)).toEqual(found);
      }
    }
  });

  it('is the same for a host', async () => {
    const list = await service.app
      .get(UsersService)
      .list(api.organizationId, { sort, order: 'asc', [since]: at(4), [until]: at(9) });
    expect(idsOf(list.data)).toEqual(within(all, time, 'asc', at(4), at(9)));
  });

  it('does not show a page twice, or skip anybody unchanged, while others are changed', async () => {
    const own = await service.client();
    const made = await populate(own, 12);
    const untouched = made.filter((_, i) => i % 3 !== 0);
    const victims = made.filter((_, i) => i % 3 === 0);
    for (const order of ORDERS) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const query = queryOf(at(0), at(30), { order, limit: 2, ...(cursor && { cursor }) });
        const { data, nextCursor } = await pageOf(own, query);
        seen.push(...idsOf(data));
        cursor = nextCursor;
        const victim = victims.pop();
        if (victim) await own.patch(`${users}/${victim.id}`, { name: 'Changed' }).expect(200);
      } while (cursor !== null);
      const kept = new Set(idsOf(untouched));
      expect(seen.filter((id) => kept.has(id))).toEqual(within(untouched, time, order));
      expect(new Set(seen).size).toBe(seen.length);
    }
  });
});

describe('a time', () => {
  it.each([
    ['createdSince=2026-01-31', ['createdSince']],
    ['createdUntil=2026-01-31T09:30:00', ['createdUntil']],
    ['createdSince=2026-02-30T09:30:00Z', ['createdSince']],
    ['createdSince=0000-01-01T00:00:00Z', ['createdSince']],
    ['createdSince=', ['createdSince']],
    ['createdSince=now', ['createdSince']],
    ['createdSince=2026-01-31T09:30:00Z&createdSince=2026-01-31T09:30:00Z', ['createdSince']],
    ['updatedSince=2026-01-31T09:30:00Z', ['updatedSince']],
    ['updatedUntil=2026-01-31T09:30:00Z&sort=createdAt', ['updatedUntil']],
    ['createdSince=2026-01-31T09:30:00Z&sort=updatedAt', ['createdSince']],
    ['createdUntil=2026-01-31T09:30:00Z&sort=name', ['createdUntil']],
    [
      'sort=email&createdSince=2026-01-31T09:30:00Z&createdUntil=x&updatedSince=2026-01-31T09:30:00Z&limit=0',
      ['limit', 'createdSince', 'createdUntil', 'updatedSince'],
    ],
    [
      'sort=updatedAt&updatedSince=2026-01-31T09:30:00Z&createdSince=2026-01-31T09:30:00Z&order=up',
      ['order', 'createdSince'],
    ],
  ])('is refused in ?%s', async (query, fields) => {
    const api = await service.client();
    const { body } = await api.get(`${users}?${query}`).expect(400);
    expect(body.errors.map(({ field }: { field: string }) => field).sort()).toEqual([...fields].sort());
  });

  it('says which sort it requires', async () => {
    const api = await service.client();
    const { body } = await api.get(`${users}?updatedSince=2026-01-31T09:30:00Z`).expect(400);
    expect(body.errors).toEqual([
      { field: 'updatedSince', code: 'invalid', message: 'is allowed only if sort is updatedAt' },
    ]);
  });
});
