import { matchKey } from '../../src/scim/users/match-keys';
import { nextMoment } from '../support/clock';
import { type Body, scimClient, useScim } from '../support/scim';

const { service, scim } = useScim();

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

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
      'USERNAME EQ "ada"',
      'urn:ietf:params:scim:schemas:core:2.0:User:userName eq "ada"',
      'externalId eq "EXT-1"',
      'displayName eq "ADA lovelace"',
      'name.givenName eq "ada"',
      'name.familyName eq "LOVELACE"',
      'name.formatted eq "Ada L."',
      'name.middleName eq "augusta"',
      'emails eq "ADA@work.example"',
      'emails.value eq "ADA@work.example"',
      'emails[type eq "work"].value eq "ada@work.example"',
      'emails[value eq "ada@home.example"]',
      'emails[type eq "HOME" and value eq "ada@home.example"]',
      'employeeNumber eq "E7"',
      `${ENTERPRISE}:employeeNumber eq "E7"`,
      'department eq "engines"',
      'manager eq "Boss"',
      'manager.value eq "Boss"',
      `${ENTERPRISE}:manager eq "Boss"`,
      `id eq "${ada.id}" and manager eq "Boss"`,
      'userName eq "ada" and externalId eq "EXT-1" and active eq true',
      'displayName eq "Ada Lovelace" and department eq "Engines"',
      'active eq "True"',
    ].filter((filter) => !/^emails eq/.test(filter)))
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

  it('that is not supported, or malformed, is a 400 invalidFilter', async () => {
    for (const filter of [
      'userName co "a"',
      'userName sw "a"',
      'userName pr',
      'not (userName eq "a")',
      'userName eq "a" or userName eq "b"',
      'title eq "x"',
      'nothing eq "x"',
      'userName eq',
      'userName eq "a',
      'userName eq a',
      'meta.created gt "yesterday"',
      'active eq "maybe"',
      '(',
      'x'.repeat(10_000),
    ])
      expect([filter, (await refusal({ filter })).scimType]).toEqual([filter, 'invalidFilter']);
  });

  it.each(['\0', '\\u0000', '\\ud800', '\u{1f600}', 'ﷺ'.repeat(500), '%00', '\\'])(
    'with a hostile value is never a 5xx: %.20j',
    async (value) => {
      for (const path of [
        'id',
        'userName',
        'externalId',
        'emails.value',
        'name.familyName',
        'displayName',
        'groups.value',
      ]) {
        const { status } = await scim.get(`/Users?filter=${encodeURIComponent(`${path} eq "${value}"`)}`);
        expect([200, 400]).toContain(status);
      }
      for (const name of ['cursor', 'startIndex', 'count', 'attributes', 'excludedAttributes']) {
        const { status } = await scim.get(`/Users?${name}=${encodeURIComponent(value)}`);
        expect([200, 400]).toContain(status);
      }
    },
  );
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

  it('shows the attributes that are asked for', async () => {
    const [shown] = (await list({ filter: 'userName eq "a"', attributes: 'userName,emails.value' }))
      .Resources;
    expect(shown).toEqual({
      schemas: expect.any(Array),
      id: expect.any(String),
      userName: 'a',
      emails: [{ value: 'a@example.com' }],
    });
    const [rest] = (await list({ filter: 'userName eq "a"', excludedAttributes: 'emails,meta' })).Resources;
    expect(Object.keys(rest).sort()).toEqual(['active', 'id', 'schemas', 'userName']);
  });

  it('ignores unknown query parameters and a slash at the end', async () => {
    const { body } = await scim.get('/Users/?sortBy=userName&nothing=1&count=1').expect(200);
    expect(body.totalResults).toBe(7);
  });
});

it.each([1, 200])(
  'a filter by an attribute of more than 10,000 users is refused for a count of %d',
  async (count) => {
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
    const filter = 'department eq "everybody"';
    expect(await refusal({ filter, count: String(count) })).toMatchObject({ scimType: 'tooMany' });
  },
);
