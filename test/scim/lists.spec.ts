import { matchKey } from '../../src/scim/users/match-keys';
import { nextMoment } from '../support/clock';
import { type Body, ENTERPRISE, scimClient, type ScimClient, useScim } from '../support/scim';
import { startService, type TestService } from '../support/service';

const { service, scim } = useScim();

const create = async (fields: object): Promise<Body> => (await scim.post('/Users', fields).expect(201)).body;
const list = async (query: Record<string, string | number>): Promise<Body> =>
  (await scim.get(`/Users?${new URLSearchParams(query as Record<string, string>)}`).expect(200)).body;
const find = async (filter: string): Promise<string[]> =>
  (await list({ filter })).Resources.map(({ userName }: Body) => userName);
const refusal = async (query: Record<string, string>): Promise<Body> =>
  (await scim.get(`/Users?${new URLSearchParams(query)}`).expect(400)).body;

const address = (value: string, type = 'work') => ({ emails: [{ value, type }] });

describe('a filter', () => {
  it('finds by every attribute of the contract', async () => {
    const ada = await create({
      userName: 'Ada',
      externalId: 'EXT-1',
      displayName: 'Ada Lovelace',
      name: { givenName: 'Ada', familyName: 'Lovelace', formatted: 'Ada L.', middleName: 'Augusta' },
      emails: [
        { value: 'ada@work.example', type: 'work' },
        { value: 'ada@home.example', type: 'home' },
      ],
      [ENTERPRISE]: { employeeNumber: 'E7', department: 'Engines', manager: { value: 'Boss' } },
    });
    await create({ userName: 'Grace', externalId: 'ext-1', active: false, ...address('grace@example.com') });
    for (const filter of [
      `id eq "${ada.id}"`,
      'userName eq "aDA"',
      'externalId eq "EXT-1"',
      'displayName eq "ADA lovelace"',
      'name.givenName eq "ada"',
      'name.familyName eq "LOVELACE"',
      'name.formatted eq "Ada L."',
      'name.middleName eq "augusta"',
      'emails.value eq "ADA@work.example"',
      'emails[type eq "work"].value eq "ada@work.example"',
      'emails[type eq "HOME" and value eq "ada@home.example"]',
      'employeeNumber eq "E7"',
      'department eq "engines"',
      'manager eq "Boss"',
      `id eq "${ada.id}" and manager eq "Boss"`,
      'userName eq "ada" and externalId eq "EXT-1" and active eq true',
      'displayName eq "Ada Lovelace" and department eq "Engines"',
      'active eq "True"',
    ])
      expect([filter, await find(filter)]).toEqual([filter, ['Ada']]);
    for (const filter of [
      'externalId eq "Ext-1"',
      'emails[type eq "home"].value eq "ada@work.example"',
      'userName eq "ada" and active eq false',
      'active eq true and active eq false',
      'id eq "nobody"',
      'manager eq "boss"',
      'groups.value eq "grp_00000000000000000000000000"',
      `id eq "${ada.id}" and manager eq "x"`,
    ])
      expect([filter, await find(filter)]).toEqual([filter, []]);
    expect(await find('active eq false')).toEqual(['Grace']);
  });

  it('finds users that no directory has written by their email, and not by names derived from their own', async () => {
    const { id, email } = await scim.api.createUser({ name: 'Grace Brewster Hopper' });
    const directed = await create({ userName: 'ada', ...address('ada@example.com', 'home') });
    for (const filter of [
      `userName eq "${email.toUpperCase()}"`,
      `emails.value eq "${email.toUpperCase()} "`,
      `emails[type eq "Work"].value eq "${email}"`,
      `emails.value eq "${email}" and emails[value eq "${email}"]`,
      `id eq "${id}" and emails.value eq "${email}"`,
    ])
      expect([filter, await find(filter)]).toEqual([filter, [email]]);
    for (const filter of [
      `emails[type eq "home"].value eq "${email}"`,
      `emails.value eq "${email}" and emails.value eq "ada@example.com"`,
      `emails.value eq "${email}" and name.familyName eq "Hopper"`,
      `id eq "${directed.id}" and emails[type eq "work"].value eq "ada@example.com"`,
      'emails[type eq "work"].value eq "ada@example.com"',
      'name.familyName eq "Hopper"',
      'name.givenName eq "x"',
      'displayName eq "Grace Brewster Hopper"',
    ])
      expect([filter, await find(filter)]).toEqual([filter, []]);
  });

  it('compares times at the millisecond that is shown', async () => {
    const users = [];
    for (const name of ['a', 'b', 'c']) {
      users.push(await create({ userName: name, ...address(`${name}@example.com`) }));
      await nextMoment();
    }
    const { created } = users[1].meta;
    const found: Record<string, string[]> = {};
    for (const op of ['eq', 'gt', 'ge', 'lt', 'le'])
      found[op] = await find(`meta.created ${op} "${created}"`);
    expect(found).toEqual({ eq: ['b'], gt: ['c'], ge: ['b', 'c'], lt: ['a'], le: ['a', 'b'] });
    await scim
      .patch(`/Users/${users[0].id}`, { Operations: [{ op: 'add', path: 'title', value: 'x' }] })
      .expect(200);
    expect(await find(`meta.lastModified gt "${users[2].meta.created}"`)).toEqual(['a']);
    expect(await find(`meta.lastModified ge "${created}" and meta.created ge "${created}"`)).toEqual([
      'b',
      'c',
    ]);
  });

  it('takes %, _, quotes, backslashes and operators in a value for plain text', async () => {
    const odd = `a%_\\"' or id pr`;
    await create({ userName: odd, externalId: odd, ...address('odd@example.com') });
    await create({ userName: 'axx', externalId: 'axx', ...address('axx@example.com') });
    for (const path of ['userName', 'externalId']) {
      expect(await find(`${path} eq ${JSON.stringify(odd)}`)).toEqual([odd]);
      for (const value of ['a%', 'a__', '%', "' OR '1'='1"])
        expect(await find(`${path} eq ${JSON.stringify(value)}`)).toEqual([]);
    }
  });
});

describe('a page', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  beforeEach(async () => {
    for (const name of names) await create({ userName: name, ...address(`${name}@example.com`) });
  });

  it('by position has totalResults, its startIndex, and at most count resources', async () => {
    const seen: string[] = [];
    for (let startIndex = 1; startIndex <= names.length; startIndex += 3) {
      const body = await list({ startIndex, count: 3 });
      expect(body).toMatchObject({ totalResults: 7, startIndex, itemsPerPage: body.Resources.length });
      seen.push(...body.Resources.map(({ userName }: Body) => userName));
    }
    expect(seen).toEqual(names);
    expect(await list({ startIndex: 100 })).toMatchObject({
      totalResults: 7,
      Resources: [],
      startIndex: 100,
    });
    expect(await list({ count: 0 })).toMatchObject({ totalResults: 7, Resources: [], itemsPerPage: 0 });
    expect(await list({ startIndex: -5, count: 1 })).toMatchObject({ startIndex: 1, totalResults: 7 });
    expect((await list({ count: 1000 })).Resources).toHaveLength(7);
    expect((await list({ count: -1 })).Resources).toHaveLength(0);
    expect((await list({ filter: 'active eq true', count: 2 })).totalResults).toBe(7);
    for (const startIndex of ['x', '1.5', '9'.repeat(30)])
      expect((await refusal({ startIndex })).scimType).toBe('invalidValue');
  });

  it('by cursor has a nextCursor as long as another follows, and no total', async () => {
    const seen: string[] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const body: Body = await list({ cursor, count: 3 });
      expect(body).not.toHaveProperty('totalResults');
      expect(body).not.toHaveProperty('startIndex');
      seen.push(...body.Resources.map(({ userName }: Body) => userName));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(names);
    expect((await refusal({ cursor: 'x' })).scimType).toBe('invalidCursor');
    const { nextCursor } = await list({ cursor: '', count: 3 });
    expect((await refusal({ cursor: nextCursor, filter: 'active eq true' })).scimType).toBe('invalidCursor');
    await refusal({ cursor: '', startIndex: '1' });
  });

  it('is the same for a .search, at the root too', async () => {
    const body = { filter: 'userName eq "B"', startIndex: 1, count: 10, attributes: ['userName'] };
    for (const path of ['/Users/.search', '/.search']) {
      const { body: found } = await scim.post(path, body).expect(200);
      expect(found).toMatchObject({ totalResults: 1, Resources: [{ userName: 'b' }] });
      expect(Object.keys(found.Resources[0]).sort()).toEqual(['id', 'schemas', 'userName']);
    }
    const reader = await scimClient(service(), {
      scopes: ['users:read'],
      organizationId: scim.api.organizationId,
    });
    expect((await reader.post('/.search', { cursor: '', count: 5 }).expect(200)).body.nextCursor).toEqual(
      expect.any(String),
    );
  });

  it('ignores unknown query parameters and a slash at the end', async () => {
    const { body } = await scim.get('/Users/?sortBy=userName&nothing=1&count=1').expect(200);
    expect(body.totalResults).toBe(7);
  });
});

it('a filter by an attribute of more than 10,000 users is refused, whatever the count', async () => {
  const { organizationId } = scim.api;
  const key = matchKey({ path: 'department', value: 'everybody' });
  await service().dataSource.query(
    `INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, metadata)
     SELECT $1, 'usr_' || lpad(n::text, 26, '0'), n::text, n::text, n::text, n::text, 'member', '{}'
     FROM generate_series(1, 10001) AS n`,
    [organizationId],
  );
  await service().dataSource.query(
    `INSERT INTO scim_users (organization_id, user_id, user_name, attributes, email, name, keys)
     SELECT organization_id, id, name, '{}', email, name, ARRAY[$2] FROM users WHERE organization_id = $1`,
    [organizationId, key],
  );
  for (const count of ['1', '200'])
    expect(await refusal({ filter: 'department eq "everybody"', count })).toMatchObject({
      scimType: 'tooMany',
    });
});

describe('lists of long resources', () => {
  // A service of its own, because each test of the others has a new organization.
  let service: TestService;
  let scim: ScimClient;

  const MB = 1024 * 1024;
  const USERS = 30;
  const GROUPS = 100;
  /** Names of four bytes for each character, as long as they may be. */
  const userName = (i: number) => `${i} ${'😀'.repeat(190)}`;
  const groupName = (i: number) => `${i} ${'😀'.repeat(250)}`;

  beforeAll(async () => {
    service = await startService({ RATE_LIMIT_PER_MINUTE: '100000' });
    scim = await scimClient(service);
    const members: object[] = [];
    for (let i = 0; i < USERS; i++) {
      const user = { userName: `u${i}@example.com`, displayName: userName(i) };
      members.push({ value: (await scim.post('/Users', user).expect(201)).body.id });
    }
    for (let i = 0; i < GROUPS; i++)
      await scim.post('/Groups', { displayName: groupName(i), members }).expect(201);
  });
  afterAll(() => service.close());

  const pageOf = async (path: string): Promise<Body> => {
    const { body, text } = await scim.get(path).expect(200);
    const bytes = Buffer.byteLength(text);
    expect(bytes).toBeLessThan(2 * MB + 1000); // the envelope
    expect(body.itemsPerPage).toBe(body.Resources.length);
    return { ...body, bytes };
  };

  /** All pages of the list; `next` gives the parameter of the page after one. */
  async function read(path: string, first: string, next: (page: Body) => string | undefined) {
    const pages: Body[] = [];
    for (let parameter: string | undefined = first; parameter !== undefined; parameter = next(pages.at(-1)!))
      pages.push(await pageOf(`${path}&${parameter}`));
    return { pages, ids: pages.flatMap(({ Resources }) => Resources.map(({ id }: Body) => id)) };
  }

  const byCursor = (path: string) =>
    read(path, 'cursor=', ({ nextCursor }) => nextCursor && `cursor=${encodeURIComponent(nextCursor)}`);

  const byPosition = (path: string) =>
    read(path, 'startIndex=1', ({ startIndex, itemsPerPage, totalResults }) => {
      const following = startIndex + itemsPerPage;
      return following > totalResults ? undefined : `startIndex=${following}`;
    });

  describe.each([
    ['Users', USERS, 'groups', GROUPS],
    ['Groups', GROUPS, 'members', USERS],
  ])('a page of %s', (type, count, lists, listed) => {
    it('ends before it would pass 2 MB, and the next one goes on there, by position and by cursor', async () => {
      for (const readAll of [byPosition, byCursor]) {
        const { pages, ids } = await readAll(`/${type}?count=200`);
        expect(pages.length).toBeGreaterThan(1);
        for (const { bytes, Resources, totalResults } of pages.slice(0, -1)) {
          expect(bytes + (1.5 * bytes) / Resources.length).toBeGreaterThan(2 * MB);
          if (totalResults !== undefined) expect(totalResults).toBe(count);
        }
        for (const resource of pages.flatMap(({ Resources }) => Resources))
          expect(resource[lists]).toHaveLength(listed);
        const { ids: whole } = await readAll(`/${type}?count=200&excludedAttributes=${lists}`);
        expect(whole).toHaveLength(count);
        expect(ids).toEqual(whole);
      }
    });

    it('is whole without them, and shows at least one resource', async () => {
      const { Resources } = await pageOf(`/${type}?count=200&excludedAttributes=${lists}`);
      expect(Resources).toHaveLength(count);
      expect((await pageOf(`/${type}?count=1`)).Resources).toHaveLength(1);
    });
  });
});
