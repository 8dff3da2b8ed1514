/**
 * @slow it fills an organization with thousands of users
 * @only embedded postgres: it reads the plans of plain tables
 */
import type { DataSource } from 'typeorm';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { encodeCursor } from '../../src/platform/pages/cursor';
import type { ListUsersDto } from '../../src/users/user/user.dto';
import { UsersService } from '../../src/users/users.service';
import { indexConditionsOf, pagesReadBy, rowsReadBy, selectsOf } from '../support/plans';
import { startService, type TestService } from '../support/service';

const USERS = 24_000;
const OTHERS = 6_000;
const LIMIT = 20;

let service: TestService;
let dataSource: DataSource;
let users: UsersService;
let organizationId: string;

/** The times of the users are different seconds: `created_at` in the order of their ids, `updated_at` in another. */
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

const fill = (organization: string, count: number) =>
  dataSource.query(
    `INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, active, metadata, created_at, updated_at)
     SELECT $1, id, id, id, id, id, CASE n % 3 WHEN 0 THEN 'viewer' ELSE 'member' END, n % 4 <> 0, '{}',
       '2026-01-01Z'::timestamptz + n * interval '1 s', '2026-01-01Z'::timestamptz + (n * 7919 % $2) * interval '1 s'
     FROM (SELECT n, 'usr_' || lpad(n::text, 26, '0') AS id FROM generate_series(0, $2 - 1) AS n) AS made`,
    [organization, count],
  );

beforeAll(async () => {
  service = await startService();
  ({ dataSource } = service);
  users = service.app.get(UsersService);
  await dataSource.query('ALTER TABLE users SET (autovacuum_enabled = false)');
  await fill((await service.app.get(OrganizationsService).create('Others')).id, OTHERS);
  await dataSource.query('ANALYZE');
  organizationId = (await service.app.get(OrganizationsService).create('Own')).id;
  await fill(organizationId, USERS);
});
afterAll(() => service.close());

type Query = Partial<ListUsersDto>;

const SORTS = {
  createdAt: { since: 'createdSince', until: 'createdUntil', column: 'created_at' },
  updatedAt: { since: 'updatedSince', until: 'updatedUntil', column: 'updated_at' },
} as const;
const ORDERS = ['asc', 'desc'] as const;
const FILTERS = [{}, { role: 'viewer' }, { active: false }, { role: 'member', active: true }] as const;

/** Every order with the bounds, for `since` and `until` as seconds. */
const listsWithin = (from: number | undefined, to: number | undefined): Query[] =>
  Object.entries(SORTS).flatMap(([sort, { since, until }]) =>
    ORDERS.map((order) => ({
      sort: sort as keyof typeof SORTS,
      order,
      limit: LIMIT,
      ...(from !== undefined && { [since]: at(from) }),
      ...(to !== undefined && { [until]: at(to) }),
    })),
  );

const list = (query: Query) => users.list(organizationId, query);
const selects = (query: Query) => selectsOf(dataSource, () => list(query));

/** The cursor of the page that begins after so many users. */
async function cursorAfter(query: Query, count: number): Promise<string> {
  let cursor: string | undefined;
  for (let read = 0; read < count; read += 200)
    cursor = (await list({ ...query, limit: 200, cursor })).nextCursor!;
  return cursor!;
}

/** Half of an index of all users of the organization is as many pages, and more. */
const MOST_PAGES = 90;

const STATES: [string, () => Promise<unknown>][] = [
  ['statistics of others, before any VACUUM', async () => {}],
  [
    'no statistics, before any VACUUM',
    async () => {
      await dataSource.query(`DELETE FROM pg_statistic WHERE starelid = 'users'::regclass`);
      await dataSource.query(`UPDATE pg_class SET reltuples = -1 WHERE relname = 'users'`);
    },
  ],
  ['fresh statistics, before any VACUUM', () => dataSource.query('ANALYZE')],
  [
    'fresh statistics, after VACUUM',
    async () => {
      await dataSource.query('VACUUM ANALYZE users');
    },
  ],
  [
    'after a change of half of the users',
    () => dataSource.query(`UPDATE users SET name = name || ' ' WHERE right(id, 1) < '5'`),
  ],
];

/** From second 2,000 on, or up to 22,000, or both: 20,000 of the 24,000 users. */
const [FROM, TO] = [2_000, 22_000];
const WIDE = [listsWithin(FROM, undefined), listsWithin(undefined, TO), listsWithin(FROM, TO)].flat();
const cursors = new Map<Query, string>();

describe.each(STATES)('with %s', (_state, bring) => {
  beforeAll(bring);

  it('a page reads the users in it, and none before or after its bounds', async () => {
    for (const query of WIDE)
      for (const filter of FILTERS) {
        const statements = await selects({ ...query, ...filter });
        const parts = { 0: 1, 1: 'role' in filter ? 2 : 3, 2: 1 }[Object.keys(filter).length]!;
        const found = [query, filter, await rowsReadBy(dataSource, statements)];
        expect(found).toEqual([query, filter, expect.any(Number)]);
        expect(found[2]).toBeLessThanOrEqual((LIMIT + 1) * parts);
        expect(await pagesReadBy(dataSource, statements)).toBeLessThan(MOST_PAGES);
      }
  });

  it('a page at the far end reads no users before its cursor', async () => {
    for (const query of WIDE) {
      if (!cursors.has(query)) cursors.set(query, await cursorAfter(query, TO - FROM - 400));
      const statements = await selects({ ...query, cursor: cursors.get(query) });
      expect(await rowsReadBy(dataSource, statements)).toBeLessThanOrEqual(LIMIT + 1);
      expect(await pagesReadBy(dataSource, statements)).toBeLessThan(MOST_PAGES);
    }
  });

  it('a page whose cursor is not in the range begins at the bound', async () => {
    for (const query of listsWithin(22_000, 23_000).concat(listsWithin(1_000, 2_000))) {
      const { sort, order } = query;
      const { since, until } = SORTS[sort as keyof typeof SORTS];
      const range = {
        since: { operator: '>=', time: query[since] },
        until: { operator: '<', time: query[until] },
      };
      const list = ['users', organizationId, sort, order, range];
      const cursor = encodeCursor([at(order === 'asc' ? 0 : USERS), 'usr_'], list);
      const statements = await selects({ ...query, cursor });
      expect(await rowsReadBy(dataSource, statements)).toBe(LIMIT + 1);
      expect(await pagesReadBy(dataSource, statements)).toBeLessThan(MOST_PAGES);
    }
  });

  it('a short range is all that is read, whatever its order', async () => {
    for (const query of listsWithin(12_000, 12_012))
      for (const filter of FILTERS) {
        const statements = await selects({ ...query, ...filter });
        expect(await rowsReadBy(dataSource, statements)).toBe(
          (await list({ ...query, ...filter })).data.length,
        );
        expect(await pagesReadBy(dataSource, statements)).toBeLessThan(MOST_PAGES);
      }
  });

  it('an email is looked up', async () => {
    for (const query of WIDE) {
      const statements = await selects({ ...query, email: 'nobody@example.com' });
      expect(await rowsReadBy(dataSource, statements)).toBe(0);
    }
  });
});

it('each bound is a condition of the index, even where sorting all users would seem cheaper', async () => {
  for (const query of WIDE)
    for (const filter of FILTERS)
      for (const cursor of [undefined, cursors.get(query)]) {
        if (cursor && Object.keys(filter).length > 0) continue;
        const [statement] = await selects({ ...query, ...filter, cursor });
        const conditions = await indexConditionsOf(dataSource, statement);
        const { column } = SORTS[query.sort as keyof typeof SORTS];
        const isFiltered = Object.keys(filter).length > 0;
        const index = `users_organization_id_${isFiltered ? 'role_active_' : ''}${column}_id_idx`;
        expect(Object.keys(conditions)).toEqual([index]);
        const text = conditions[index];
        const { since, until } = SORTS[query.sort as keyof typeof SORTS];
        const start = query.order === 'asc' ? since : until;
        for (const [bound, operator] of [
          [since, '>='],
          [until, '<'],
        ] as const)
          if (query[bound] && !(cursor && bound === start)) expect(text).toContain(`(${column} ${operator} `);
        if (cursor) expect(text).toContain(`(ROW(${column}, id) `);
      }
});
