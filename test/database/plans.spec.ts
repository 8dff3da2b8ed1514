/**
 * @slow it fills organizations with thousands of users
 * @only embedded postgres: it reads the plans of plain tables
 */
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { EventsService } from '../../src/events/events.service';
import { EventNumbering } from '../../src/events/log/event-numbering';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { Database } from '../../src/platform/database/database';
import { newId } from '../../src/platform/database/id';
import { systemCaller } from '../../src/platform/http/caller';
import { encodeCursor } from '../../src/platform/pages/cursor';
import { matchKeys } from '../../src/scim/users/match-keys';
import { ScimUserList } from '../../src/scim/users/scim-user-list';
import { createdBetween, userCounts } from '../../src/statistics/statistics.service';
import { TokensService } from '../../src/tokens/tokens.service';
import { KEY_FIELDS } from '../../src/users/batch/batch-rules';
import { DirectoryAttributes } from '../../src/users/query/directory-attributes';
import { UserSearch } from '../../src/users/search/user-search.service';
import type { ListUsersDto } from '../../src/users/query/users-query.dto';
import { USER_COLUMNS } from '../../src/users/user/user.entity';
import type { UserFilter } from '../../src/users/query/user.filter';
import { USER_SORTS, type UserSort } from '../../src/users/query/user.sorts';
import { countUsers, usersFrom } from '../../src/users/query/user-query';
import { UsersService } from '../../src/users/users.service';
import { WebhookClaims } from '../../src/webhooks/deliveries/webhook-claims';
import { batchStatements } from '../support/batch-statements';
import type { Client } from '../support/client';
import { fillOrganization } from '../support/people';
import { accessPathsOf, pagesReadBy, rowsReadBy, selectsOf } from '../support/plans';
import { inTime } from '../support/searches';
import { startService, type TestService } from '../support/service';
import type { Statement } from '../support/statements';
import { createWebhook, WEBHOOK_ENV } from '../support/webhooks';

/** More than a search reads without an index, and few beside the others. */
const USERS = 3_000;
const OTHERS = 12_000;
/** Users of whom a range of times has many or few. */
const TIMED = 24_000;

let service: TestService;
let dataSource: DataSource;
let api: Client;
let organizationId: string;
let others: string;
/** An organization in which more emails begin alike, none of the first names, than are read before the names. */
let crowd: string;
/** An organization in which all but two members and a viewer are inactive. */
let gone: string;
/** A small organization. */
let small: string;
/** An organization whose users have different times, in seconds. */
let timed: string;
const newOrganization = async () => (await service.app.get(OrganizationsService).create('Test')).id;
const query = (sql: string, values: unknown[] = []) => dataSource.query(sql, values);
const selects = (run: () => Promise<unknown>) => selectsOf(dataSource, run);
const rowsRead = (statements: Statement[]) => rowsReadBy(dataSource, statements);

/** Gives every user of an organization what a directory would. */
async function fillDirectory(organization: string): Promise<void> {
  const users: { id: string; email: string; name: string }[] = await query(
    'SELECT id, email, name FROM users WHERE organization_id = $1',
    [organization],
  );
  const rows = users.map(({ id: user_id, email, name }, n) => {
    const emails = [{ value: email, type: 'work' }];
    const keys = matchKeys({ externalId: `ext-${n}`, displayName: name, emails });
    const given = { user_name: email, attributes: {}, email, name, derived: [], keys };
    return { organization_id: organization, user_id, ...given };
  });
  await query('INSERT INTO scim_users SELECT * FROM json_populate_recordset(NULL::scim_users, $1::json)', [
    JSON.stringify(rows),
  ]);
}

/** The second of a user's times: `created_at` in the order of the ids, `updated_at` in another. */
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

const fillTimed = (organization: string) =>
  query(
    `INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, active, metadata, created_at, updated_at)
     SELECT $1, id, id, id, id, id, CASE n % 3 WHEN 0 THEN 'viewer' ELSE 'member' END, n % 4 <> 0, '{}',
       '2026-01-01Z'::timestamptz + n * interval '1 s', '2026-01-01Z'::timestamptz + (n * 7919 % $2) * interval '1 s'
     FROM (SELECT n, 'usr_' || lpad(n::text, 26, '0') AS id FROM generate_series(0, $2 - 1) AS n) AS made`,
    [organization, TIMED],
  );

beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000', ...WEBHOOK_ENV });
  dataSource = service.dataSource;
  // Only this test decides what the statistics say.
  for (const table of ['users', 'user_search', 'scim_users', 'groups', 'group_members', 'events', 'tokens'])
    await query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  others = await newOrganization();
  await fillOrganization(dataSource, others, 0, OTHERS, () => ({ role: 'viewer' }));
  await fillDirectory(others);
  await query('ANALYZE');
  api = await service.client();
  organizationId = api.organizationId;
  await fillOrganization(dataSource, organizationId, OTHERS, USERS, (n) => ({
    externalId: n % 3 === 0 ? `E-${n}` : null,
    role: n % 1_000 === 0 ? 'viewer' : 'member',
    active: n % 1_000 !== 1,
  }));
  await fillDirectory(organizationId);
  gone = await newOrganization();
  await fillOrganization(dataSource, gone, OTHERS + 2 * USERS, USERS, (n) => ({
    role: n % 1_000 === 0 ? 'viewer' : 'member',
    active: n % 1_500 === 0,
  }));
  crowd = await newOrganization();
  await fillOrganization(dataSource, crowd, OTHERS + USERS, USERS, (n) =>
    n % 6 === 0 ? { name: `Aaron ${n}` } : { email: `user${n}@x.example` },
  );
  small = await newOrganization();
  await fillOrganization(dataSource, small, OTHERS + 3 * USERS, 1_000);
  timed = await newOrganization();
  await fillTimed(timed);
  // The planner takes a long list of pending entries for expensive.
  for (const index of ['user_search_organization_id_text_idx', 'scim_users_organization_id_keys_idx'])
    await query(`SELECT gin_clean_pending_list('${index}')`);
});
afterAll(() => service.close());

const search = (q: string, more = {}, by = organizationId) =>
  inTime(() => selects(() => service.app.get(UserSearch).search(by, { q, limit: 20, ...more })));
const list = (dto: object, by = organizationId) => selects(() => service.app.get(UsersService).list(by, dto));
const scimList = (filter: string) =>
  selects(() =>
    service.app.get(ScimUserList, { strict: false }).list(
      systemCaller(organizationId, 'service', 'test'),
      { filter, count: 10, excludedAttributes: 'groups' }, // whose empty tables have plans of their own
      'https://users.example.com/scim/v2',
    ),
  );

const FILTERS: UserFilter[] = [
  {},
  { role: 'viewer' },
  { role: 'member' },
  { active: true },
  { active: false },
  { role: 'member', active: false },
];
const nameOf = (filter: UserFilter) => Object.values(filter).join(' ') || 'all';
const SORTS = Object.keys(USER_SORTS) as UserSort[];

const SCIM_FILTERS = [
  'externalId eq "ext-7"',
  'externalId eq "ext-7" and active eq true',
  'emails.value eq "nobody@example.com"',
  'userName eq "nobody@example.com"',
  'userName eq "nobody@example.com" and externalId eq "ext-7"',
  'id eq "usr_00000000000000000000000000" and manager eq "x"',
  'meta.lastModified gt "2999-01-01T00:00:00Z"',
  'meta.created lt "2000-01-01T00:00:00Z"',
];

/** The statements of every kind of search and list. */
async function requests(): Promise<Record<string, Statement[]>> {
  const people = (await service.app.get(UsersService).list(organizationId, { limit: 100 })).data;
  const [someone] = people;
  const externalId = people.find((user) => user.externalId !== null)!.externalId!;
  const statements: Record<string, Statement[]> = {};
  for (const q of [
    'smith',
    'anna',
    'sm',
    'com',
    'B184',
    'lberlinq',
    'smith berlin',
    'anna com',
    'smiht',
    'jonh smtih',
    'e.sm',
    '? !',
    '龘 齉',
    someone.email,
    someone.id,
    someone.id.slice(0, 14),
    externalId,
  ])
    for (const filter of FILTERS)
      statements[`search ${q === someone.id ? 'id' : q} ${nameOf(filter)}`] = await search(q, filter);
  for (const q of ['anna', 'smiht', 'zq 7x 3k'])
    statements[`search others ${q}`] = await search(q, {}, others);
  for (const q of ['anna', 'smith berlin', 'an', 'com']) {
    // It counts the users the first time.
    const users = new UserSearch(service.app.get(Database), service.app.get(DirectoryAttributes));
    for (const time of ['first', 'again'])
      statements[`search small ${q} ${time}`] = await selects(() => users.search(small, { q }));
  }
  for (const filter of [{}, { role: 'member' }, { active: true }] as const)
    statements[`search crowd ${nameOf(filter)}`] = await search('user', filter, crowd);
  for (const sort of SORTS)
    for (const order of ['asc', 'desc'])
      for (const filter of FILTERS)
        statements[`list ${sort} ${order} ${nameOf(filter)}`] = await list({ sort, order, ...filter });
  for (const filter of [{}, { role: 'viewer' }, { active: false }] as const)
    statements[`list email ${nameOf(filter)}`] = await list({ email: someone.email, ...filter });
  for (const filter of [{}, { role: 'member' }, { email: someone.email }] as const)
    statements[`list externalId ${nameOf(filter)}`] = await list({ externalId: externalId, ...filter });
  statements['list ids, with directories'] = await list({
    id: people.map(({ id }) => id),
    include: 'directory',
  });
  statements['list two roles'] = await list({ role: ['member', 'viewer'], sort: 'name' });
  for (const filter of FILTERS) {
    const users = { organizationId, filter };
    statements[`range ${nameOf(filter)}`] = await selects(() =>
      usersFrom(dataSource.manager, users, USER_COLUMNS.select, { offset: 10, limit: 50 }),
    );
    statements[`count ${nameOf(filter)}`] = await selects(() => countUsers(dataSource.manager, users, 100));
  }
  statements.statistics = await selects(async () => {
    await userCounts(dataSource.manager, organizationId, 100);
    await createdBetween(dataSource.manager, organizationId, [new Date(0), new Date(), new Date()], 100);
  });
  statements['read one'] = await selects(() => service.app.get(UsersService).get(organizationId, someone.id));
  for (const key of [{ email: someone.email.toUpperCase() }, { externalId }])
    statements[`find one by ${Object.keys(key)[0]}`] = await selects(() =>
      service.app.get(UsersService).find(organizationId, key),
    );
  Object.assign(statements, await batchStatements(dataSource, organizationId, people));
  for (const filter of SCIM_FILTERS) statements[`scim ${filter}`] = await scimList(filter);
  return statements;
}

const KEYS = {
  email: 'users_organization_id_email_key_key',
  externalId: 'users_organization_id_external_id_key',
};
const SMALL_SEARCH = {
  first: ['user_search_organization_id_text_idx', 'users_organization_id_created_at_id_idx', 'users_pkey'],
  again: ['user_search_organization_id_text_idx', 'users_pkey'],
};
const KEYS_OF_USERS = [KEYS.email, KEYS.externalId, 'users_organization_id_user_name_key', 'users_pkey'];

/** The indexes that the statements of requests go by. */
const PLANS: Record<string, string[][]> = {
  'read one': [['users_pkey']],
  'find one by email': [[KEYS.email]],
  'find one by externalId': [[KEYS.externalId]],
  'search small smith berlin first': [[KEYS.externalId], SMALL_SEARCH.first],
  'search small smith berlin again': [[KEYS.externalId], SMALL_SEARCH.again],
  'list email all': [[KEYS.email]],
  'list email viewer': [[KEYS.email]],
  'list externalId all': [[KEYS.externalId]],
  'list externalId member': [[KEYS.externalId]],
  'list ids, with directories': [['users_pkey'], ['scim_users_pkey']],
  'list two roles': [['users_organization_id_role_active_name_key_name_id_idx']],
  'list name asc viewer': [['users_organization_id_role_active_name_key_name_id_idx']],
  'list updatedAt desc viewer': [['users_organization_id_role_active_updated_at_id_idx']],
  'list email asc viewer': [['users_organization_id_role_active_email_key_idx']],
  'list createdAt desc false': [['users_organization_id_role_active_created_at_id_idx']],
  statistics: [
    ['users_organization_id_created_at_id_idx', 'users_organization_id_role_active_created_at_id_idx'],
    ['users_organization_id_created_at_id_idx'],
  ],
  ...Object.fromEntries(
    KEY_FIELDS.flatMap((by) => [
      [`find users by ${by}`, [KEYS_OF_USERS]],
      [`find users by ${by}, locked`, [KEYS_OF_USERS]],
    ]),
  ),
};

/** The pages that a search may read among 12,000 users: half more than in any state. */
const MOST_PAGES = {
  anna: 4_000,
  com: 7_500,
  'zq 7x 3k': 7_000,
  xqzzjw: 12_000,
  smiht: 14_000,
  'smith berlin': 17_000,
  '㑀㑁㑂㑃㑄㑅㑆㑇㑈㑉 smiht jonh': 20_000,
};
const MOST_PAGES_OF_FEW = 100;

const STATES: [string, () => Promise<unknown>][] = [
  ['statistics of others, before any VACUUM', async () => {}],
  [
    'no statistics, before any VACUUM',
    async () => {
      const tables = ['users', 'user_search', 'scim_users'];
      await query('DELETE FROM pg_statistic WHERE starelid = ANY ($1::regclass[])', [tables]);
      await query('UPDATE pg_class SET reltuples = -1 WHERE oid = ANY ($1::regclass[])', [tables]);
    },
  ],
  ['fresh statistics, before any VACUUM', () => query('ANALYZE')],
  [
    'fresh statistics, after VACUUM',
    async () => {
      for (const table of ['users', 'user_search']) await query(`VACUUM ANALYZE ${table}`);
    },
  ],
  [
    'a change of half of the users',
    async () => {
      const isTimed = `organization_id = '${timed}'`; // their times stay as they are
      await query(`UPDATE users SET name = name || ' ' WHERE ${isTimed} AND right(id, 1) < '5'`);
      await query(`UPDATE users SET updated_at = now() WHERE NOT ${isTimed} AND right(id, 1) < 'g'`);
    },
  ],
];

/** Orders by times, with their bounds. */
const TIMES = {
  createdAt: { since: 'createdSince', until: 'createdUntil' },
  updatedAt: { since: 'updatedSince', until: 'updatedUntil' },
} as const;
type TimeQuery = Partial<ListUsersDto> & { sort: keyof typeof TIMES };
const LIMIT = 20;
const TIME_FILTERS = [{}, { role: 'viewer' }, { active: false }, { role: 'member', active: true }] as const;

/** Every order with the bounds, for `since` and `until` as seconds. */
const listsWithin = (from: number | undefined, to: number | undefined): TimeQuery[] =>
  Object.entries(TIMES).flatMap(([sort, { since, until }]) =>
    (['asc', 'desc'] as const).map((order) => ({
      sort: sort as keyof typeof TIMES,
      order,
      limit: LIMIT,
      ...(from !== undefined && { [since]: at(from) }),
      ...(to !== undefined && { [until]: at(to) }),
    })),
  );

/** From second 2,000 on, or up to 22,000, or both: 20,000 of the 24,000 users. */
const [FROM, TO] = [2_000, 22_000];
const WIDE = [listsWithin(FROM, undefined), listsWithin(undefined, TO), listsWithin(FROM, TO)].flat();

/** The cursors of pages that begin after nearly all users of the wide ranges. */
const farCursors = new Map<TimeQuery, string>();
async function farCursor(list: TimeQuery): Promise<string> {
  let cursor = farCursors.get(list);
  for (let read = 0; !farCursors.has(list) && read < TO - FROM - 400; read += 200)
    cursor = (await service.app.get(UsersService).list(timed, { ...list, limit: 200, cursor })).nextCursor!;
  farCursors.set(list, cursor!);
  return cursor!;
}

/** Half of an index of all users of the organization is as many pages, and more. */
const MOST_PAGES_OF_RANGE = 90;

/** What a list of users by their times reads at most. */
async function expectToRead(dto: Partial<ListUsersDto>, most: number): Promise<void> {
  const statements = await list(dto, timed);
  const [rows, pages] = [await rowsRead(statements), await pagesReadBy(dataSource, statements)];
  expect([dto, rows <= most || rows, pages < MOST_PAGES_OF_RANGE || pages]).toEqual([dto, true, true]);
}

/** The first state's, which those of the others have to be. */
let pathsBefore: Record<string, string[][]> | undefined;

describe.each(STATES)('with %s', (_state, bring) => {
  beforeAll(bring);

  it('each statement of a search or list goes by its indexes, and none reads a whole table', async () => {
    const paths: Record<string, string[][]> = {};
    for (const [name, statements] of Object.entries(await requests()))
      paths[name] = await accessPathsOf(dataSource, statements);
    expect(paths).toMatchObject(PLANS);
    const whole = Object.entries(paths).filter(([, path]) => path.flat().join().includes('all of'));
    expect(whole).toEqual([]);
    expect(paths['search crowd all']).toHaveLength(6); // an external id, the size, few emails, the walk, all emails, the users
    expect(paths['search lberlinq all'].flat()).toContain('user_search_organization_id_text_idx');
    delete paths['count all']; // by any index of an organization
    expect(paths).toEqual((pathsBefore ??= paths));
  });

  it('a search reads few pages, and a filter of SCIM few rows', async () => {
    const seen: [string, number, number][] = [];
    for (const [q, most] of Object.entries(MOST_PAGES))
      seen.push([q, most, await pagesReadBy(dataSource, await search(q, {}, others))]);
    for (const q of ['com', 'zq 7x 3k', 'jonh'])
      seen.push([q, MOST_PAGES_OF_FEW, await pagesReadBy(dataSource, await search(q, { role: 'viewer' }))]);
    for (const filter of SCIM_FILTERS) seen.push([filter, 50, await rowsRead(await scimList(filter))]);
    expect(seen.filter(([, most, read]) => read >= most)).toEqual([]);
  });

  it('a page of a range of times reads what it shows alone, from its bound or its cursor on', async () => {
    for (const dto of WIDE) {
      for (const filter of TIME_FILTERS) {
        const parts = { 0: 1, 1: 'role' in filter ? 2 : 3, 2: 1 }[Object.keys(filter).length]!;
        await expectToRead({ ...dto, ...filter }, (LIMIT + 1) * parts);
      }
      await expectToRead({ ...dto, cursor: await farCursor(dto) }, LIMIT + 1);
      await expectToRead({ ...dto, email: 'nobody@example.com' }, 0);
    }
    // A cursor that is not in the range.
    for (const dto of listsWithin(22_000, 23_000).concat(listsWithin(1_000, 2_000))) {
      const { since, until } = TIMES[dto.sort];
      const range = {
        since: { operator: '>=', time: dto[since] },
        until: { operator: '<', time: dto[until] },
      };
      const start = at(dto.order === 'asc' ? 0 : TIMED);
      const cursor = encodeCursor([start, 'usr_'], ['users', timed, dto.sort, dto.order, range]);
      await expectToRead({ ...dto, cursor }, LIMIT + 1);
    }
    for (const dto of listsWithin(12_000, 12_012))
      for (const filter of TIME_FILTERS) {
        const { data } = await service.app.get(UsersService).list(timed, { ...dto, ...filter });
        await expectToRead({ ...dto, ...filter }, data.length);
      }
  });
});

describe('a search or list reads few rows', () => {
  async function expectFewRows(what: unknown, statements: Parameters<typeof rowsRead>[0], below: number) {
    const read = await rowsRead(statements);
    expect([what, read < below || `${read}, not below ${below}`]).toEqual([what, true]);
  }

  it('for what nobody has', async () => {
    for (const q of ['? !', '龘 齉', 'zq 7x 3k', '!!', '..', '@@', 'xqzzjw', 'qj zx', '%_', 'aaaa example']) {
      const path = `/api/v1/users/search?q=${encodeURIComponent(q)}`;
      expect((await api.get(path).expect(200)).body.data).toEqual([]);
      // 2,001 entries of an index, and samples of users with their texts: 400, as many for a typo, 200 for two words.
      const most = q === 'aaaa example' ? 4_100 : 3_700;
      await expectFewRows(q, await search(q), most);
    }
  });

  it('for what many have', async () => {
    const [{ id }] = (await service.app.get(UsersService).list(others, { limit: 1 })).data;
    const uniform = await newOrganization();
    await fillOrganization(dataSource, uniform, 0, 2_500, (n) => ({ email: `user${n}@x.example` }));
    for (const [q, by, most, filter] of [
      ...FILTERS.map((filter) => [id.slice(0, 20), others, 4_500, filter] as const),
      ['com', organizationId, 2_900, {}], // a word of half of the users
      ['ampl', others, 4_000, {}], // letters inside the words of all
      ['user', uniform, 2_900, {}], // every email begins with it
    ] as const)
      await expectFewRows({ q, filter, by }, await search(q, filter, by), most);
    const found = await api.get(`/api/v1/users/search?limit=5&q=${encodeURIComponent('. @')}`).expect(200);
    expect(found.body.data).toHaveLength(5);
  });

  /** In one organization nearly everybody passes the filter that nearly nobody passes in the other. */
  const few = (): [string, UserFilter][] => [
    [organizationId, { role: 'viewer' }],
    [organizationId, { active: false }],
    [organizationId, { role: 'member', active: false }],
    [gone, { active: true }],
    [gone, { role: 'member', active: true }],
    [gone, { role: 'viewer', active: true }],
  ];

  it('for a list of the users who pass a filter, in every order, and for a search among few', async () => {
    const many = [
      [organizationId, { active: true }],
      [organizationId, { role: 'member' }],
      [gone, { active: false }],
    ] as const;
    for (const sort of SORTS) {
      for (const [by, filter] of few())
        await expectFewRows({ sort, filter, by }, await list({ sort, ...filter }, by), 20);
      for (const [by, filter] of many)
        await expectFewRows({ sort, filter, by }, await list({ sort, ...filter, limit: 20 }, by), 150);
    }
    for (const [by, filter] of few())
      for (const q of ['com', 'smith', 'zq 7x 3k', 'jonh'])
        await expectFewRows({ q, filter, by }, await search(q, filter, by), 100);
  });

  it('for a count and for the statistics, which end at their bound', async () => {
    for (const [by, filter] of [
      [organizationId, {}],
      [organizationId, { active: true }],
      ...few(),
    ] as const) {
      let count: number | undefined;
      const statements = await selects(async () => {
        count = await countUsers(dataSource.manager, { organizationId: by, filter }, 100);
      });
      expect(count).toBeLessThanOrEqual(101);
      await expectFewRows({ filter, by }, statements, 500);
    }
    for (const [by, counted, bound] of [
      [organizationId, { total: 100, active: 100 }, 201],
      [gone, { total: 100, active: 2 }, 104], // before version 18, PostgreSQL rounds the rows of each role
    ] as const) {
      let counts;
      const statements = await selects(async () => {
        counts = await userCounts(dataSource.manager, by, 100);
      });
      expect(counts).toEqual({ ...counted, exact: false });
      await expectFewRows(counted, statements, bound);
    }
  });

  it('whatever is searched', async () => {
    // What it reads is judged, not how long a busy machine takes for it.
    jest.replaceProperty(service.app.get(UserSearch), 'maxMs', 60_000);
    const word = fc.oneof(
      fc.string({ minLength: 1, maxLength: 8 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
      fc.constantFrom(...'smith com a an smtih example . @ usr_ - % jonh i ii'.split(' ')),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 10 }), async (words) => {
        const q = words.join(' ');
        const path = `/api/v1/users/search?q=${encodeURIComponent(q)}`;
        const { status } = await api.get(path);
        expect([200, 400]).toContain(status);
        if (status !== 200) return;
        const statements = await search(q);
        expect(statements.length).toBeLessThan(15);
        // The organization has 3,000 users, of whom a walk or an index may show each twice or three times.
        await expectFewRows(q, statements, 30_000);
      }),
      { numRuns: 100, endOnFailure: true }, // a search for a shorter query would outlast the test
    );
  });
});

it('a filter of SCIM by several groups looks each up, and reads only the members of the smallest', async () => {
  const numbers = Array.from({ length: 20 }, (_, i) => i + 1);
  const groupId = (n: number) => `grp_${String(n).padStart(26, '0')}`;
  await query(
    `INSERT INTO groups (organization_id, id, display_name, display_name_key, member_count)
     SELECT $1, 'grp_' || lpad(n::text, 26, '0'), n, n, CASE n WHEN 1 THEN $2::int WHEN 2 THEN 10 ELSE 20 END
     FROM generate_series(1, 2000) AS n`,
    [organizationId, USERS],
  );
  await query(
    `INSERT INTO group_members (organization_id, group_id, user_id)
     SELECT organization_id, id, user_id FROM groups,
       LATERAL (SELECT id AS user_id FROM users WHERE organization_id = $1 ORDER BY id LIMIT member_count) AS members
     WHERE organization_id = $1 AND id <= $2`,
    [organizationId, groupId(20)],
  );
  const read: Record<string, number> = {};
  for (const statistics of ['old', 'new']) {
    if (statistics === 'new') await query('ANALYZE');
    for (const [order, ns] of Object.entries({ rising: numbers, falling: numbers.toReversed() })) {
      const filter = ns.map((n) => `groups.value eq "${groupId(n)}"`).join(' and ');
      read[`${statistics} ${order}`] = await rowsRead(await scimList(filter));
    }
  }
  expect(Object.entries(read).filter(([, rows]) => rows >= 400)).toEqual([]);
});

it('the numbering of events compares none with all others, whatever the statistics say', async () => {
  const insert = (count: number, organizationId: string) =>
    query(
      `INSERT INTO events (organization_id, id, type, source, actor_name, target_id)
       SELECT $1, gen_random_uuid()::text, 'user.created', 'cli', 'burst', 'usr_' FROM generate_series(1, $2)`,
      [organizationId, count],
    );
  const numbering = service.app.get(EventNumbering, { strict: false });
  await query('DELETE FROM events');
  await insert(1, await newOrganization());
  await query('VACUUM ANALYZE events');
  const unknown = await newOrganization();
  await insert(2_500, unknown);
  const statements = await selects(() => numbering.number(unknown));
  expect(await rowsRead(statements)).toBeLessThan(20_000);
  while ((await numbering.number(unknown)) > 0);
  const [{ last }] = await query('SELECT max(sequence)::int AS last FROM events WHERE organization_id = $1', [
    unknown,
  ]);
  expect(last).toBe(2_500);
});

describe('among 20,000 tokens of exchanges', () => {
  const CHILDREN = 20_000;
  const LIVING = 500;
  let parent: Client;
  beforeAll(async () => {
    parent = await service.client();
    // Where the statistics know several organizations but no children, PostgreSQL 18 may count by another index.
    await query('DELETE FROM tokens WHERE id <> $1', [parent.tokenId]);
    await query('ANALYZE tokens');
    // Made in the order of their ids; the last of them still live.
    await query(
      `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes, parent_id, window_id, warned_days, created_at, expires_at)
       SELECT 'tok_' || lpad(n::text, 26, '0'), $1, 'Test', decode(md5(n::text), 'hex'), 'umt_', '{admin}', $2, $2, 0,
         now() + (n - $3) * interval '1 second', now() + (n - $3 + $4) * interval '1 second'
       FROM generate_series(1, $3::integer) AS n`,
      [parent.organizationId, parent.tokenId, CHILDREN, LIVING],
    );
  });

  it('lists and exchanges read few, with old statistics and with new ones', async () => {
    const { organizationId: id, tokenId } = parent;
    const tokens = service.app.get(TokensService);
    const page = { parent: tokenId, limit: 20 };
    const living = { ...page, state: 'active' } as const;
    const READS: [string, () => Promise<unknown>, number][] = [
      ['a page of the standing tokens reads these alone', () => tokens.list(id, { session: false }), 4],
      ['a page of children reads no more than it shows', () => tokens.list(id, page), 24],
      ['a page of those who live reads none that have ended', () => tokens.list(id, living), LIVING + 9],
      ['a token without children has none', () => tokens.list(id, { parent: newId('tok') }), 0],
      ['an exchange counts only the children that live', () => tokens.exchange(id, tokenId), LIVING + 9],
    ];
    for (const statistics of ['old', 'new']) {
      if (statistics === 'new') await query('ANALYZE tokens');
      for (const [what, run, most] of READS) {
        const read = await rowsRead(await selects(run));
        expect([statistics, what, read <= most || read]).toEqual([statistics, what, true]);
      }
    }
  });
});

it('who looks for unnumbered events reads none of an organization that has many', async () => {
  const [ORGANIZATIONS, ROWS] = [20, 20_000];
  for (let i = 0; i < ORGANIZATIONS; i++) {
    const api = await service.client();
    await createWebhook(api);
    await createWebhook(api, { enabled: false });
  }
  const api = await service.client();
  const { id } = await createWebhook(api);
  await query(
    `INSERT INTO events (organization_id, id, type, occurred_at, source, actor_name, target_id)
     SELECT $1, 'evt_' || n, 'user.created', now(), 'cli', 'test', 'usr_' FROM generate_series(1, $2::integer) AS n`,
    [api.organizationId, ROWS],
  );
  await query(
    `INSERT INTO webhook_deliveries (organization_id, id, webhook_id, event_id, type, is_beside)
     SELECT $1, 'dlv_' || n, $2, 'evt_' || n, 'user.created', false FROM generate_series(1, $3::integer) AS n`,
    [api.organizationId, id, ROWS],
  );
  const claims = service.app.get(WebhookClaims, { strict: false });
  // Twice, because the planner knows nothing of the rows at first.
  for (const analyzed of [false, true]) {
    if (analyzed) await query('ANALYZE');
    expect(await rowsRead(await selects(() => claims.behind([])))).toBeLessThan(10 * ORGANIZATIONS);
  }
});

it('a page of the events about a user reads no others, whatever the statistics say', async () => {
  const [LIMIT, OF_FEW, OF_MANY, OF_OTHERS] = [50, 6, 2_000, 50_000];
  const [few, many, one] = [newId('usr'), newId('usr'), newId('usr')];
  /** Events, half of them of how a user came into a group. Without a user, each has one of its own. */
  const insert = (organization: string, first: number, count: number, user?: string) =>
    query(
      `INSERT INTO events (organization_id, id, sequence, type, source, actor_name, target_id, data)
       SELECT $1, 'evt_' || lpad(n::text, 26, '0'), n, type, 'scim', 'test',
         CASE type WHEN 'user.updated' THEN id ELSE 'grp_' END, json_build_object('user', json_build_object('id', id))
       FROM (SELECT n, CASE n % 2 WHEN 0 THEN 'user.updated' ELSE 'group.member_added' END AS type,
         coalesce($4, 'usr_' || lpad((n / 2)::text, 26, '0')) AS id
         FROM generate_series($2::integer, $2::integer + $3::integer - 1) AS n) AS made`,
      [organization, first, count, user],
    );
  // Statistics that know of one user alone.
  for (const table of ['events', 'event_heads']) await query(`DELETE FROM ${table}`);
  await insert(await newOrganization(), 1, OF_OTHERS / 10, one);
  await query('ANALYZE events');
  const by = await newOrganization();
  await insert(by, 1, OF_MANY, many);
  await insert(by, OF_MANY + 1, OF_OTHERS);
  await insert(by, OF_MANY + OF_OTHERS + 1, OF_FEW, few);
  const last = OF_MANY + OF_OTHERS + OF_FEW;
  await query('INSERT INTO event_heads (organization_id, sequence) VALUES ($1, $2)', [by, last]);
  const list = service.app.get(EventsService, { strict: false });
  for (const statistics of ['old', 'new']) {
    if (statistics === 'new') await query('ANALYZE events');
    for (const order of ['asc', 'desc'] as const)
      for (const more of [{}, { type: 'group.member_added' }, { since: '2020-01-01' }])
        for (const [target, count] of new Map([
          [few, OF_FEW],
          [many, OF_MANY],
        ])) {
          const page = { limit: LIMIT, order, target, ...more };
          const statements = await selects(() => list.list(by, page));
          const [rows, pages] = [await rowsRead(statements), await pagesReadBy(dataSource, statements)];
          // A filter first looks where its page ends at the latest, among the events about the user.
          const [mostRows, mostPages] = Object.keys(more).length > 0 ? [2 * count + 60, 300] : [60, 40];
          const isFew = [rows <= mostRows || rows, pages <= mostPages || pages];
          expect([statistics, page, ...isFew]).toEqual([statistics, page, true, true]);
        }
  }
});
