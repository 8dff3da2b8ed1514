import { newId } from '../../src/platform/database/id';
import { type Body, scimClient, useScim } from '../support/scim';
import { statementsOf } from '../support/statements';

const { service, scim } = useScim();

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

let serial = 0;

async function newUser(name = 'Ada Lovelace'): Promise<string> {
  const user = { userName: `user${serial++}@example.com`, displayName: name };
  const { body } = await scim.post('/Users', user).expect(201);
  return body.id;
}

const newUsers = (count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => newUser()));

async function newGroup(fields: object = {}): Promise<string> {
  const { body } = await scim.post('/Groups', { displayName: `Group ${serial++}`, ...fields }).expect(201);
  return body.id;
}

const membersIn = async (id: string): Promise<string[]> =>
  (await scim.get(`/Groups/${id}`).expect(200)).body.members.map(({ value }: Body) => value);

const patch = (id: string, ...Operations: object[]) =>
  scim.patch(`/Groups/${id}`, { schemas: [PATCH], Operations });

const find = async (path: string, filter: string): Promise<string[]> => {
  const { body } = await scim.get(`${path}?filter=${encodeURIComponent(filter)}`).expect(200);
  return body.Resources.map(({ id }: Body) => id);
};

const events = async (): Promise<Body[]> =>
  (
    await scim.api
      .get(
        '/api/v1/events?limit=200&type=group.created,group.updated,group.deleted,group.member_added,group.member_removed',
      )
      .expect(200)
  ).body.data;

describe('POST /Groups', () => {
  it('makes a group, with its location, its version and its members', async () => {
    const user = await newUser('Grace Hopper');
    const { body, headers } = await scim
      .post('/Groups', {
        schemas: [
          'urn:ietf:params:scim:schemas:core:2.0:Group',
          'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group',
        ],
        displayName: 'Engineering',
        externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
        members: [{ value: user, $ref: null, display: 'whoever' }],
        meta: { resourceType: 'Group' },
      })
      .expect(201);

    expect(headers['content-type']).toMatch('application/scim+json');
    expect(headers.location).toBe(body.meta.location);
    expect(headers.etag).toBe('W/"1"');
    expect(body).toMatchObject({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
      displayName: 'Engineering',
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      members: [{ value: user, display: 'Grace Hopper', type: 'User' }],
      meta: { resourceType: 'Group', version: 'W/"1"' },
    });
    expect(body.members[0].$ref).toMatch(`/scim/v2/Users/${user}`);
  });

  it.each([
    ['a name that another group has in another case', { displayName: 'ENGINEERING' }, 409, 'uniqueness'],
    ['no name', {}, 400, 'invalidValue'],
    [
      'a member that is no user',
      { displayName: 'A', members: [{ value: newId('usr') }] },
      400,
      'invalidValue',
    ],
    ['a group in a group', { displayName: 'A', members: [{ value: newId('grp') }] }, 400, 'invalidValue'],
    [
      'a type that is no user',
      { displayName: 'A', members: [{ value: newId('usr'), type: 'Group' }] },
      400,
      'invalidValue',
    ],
  ])('refuses %s', async (_what, fields, status, scimType) => {
    await newGroup({ displayName: 'Engineering' });
    const { body } = await scim.post('/Groups', fields).expect(status);
    expect(body).toMatchObject({ status: String(status), scimType });
  });
});

describe('PATCH /Groups/{id}', () => {
  it.each([
    ['Entra with its flag', (id: string) => ({ op: 'Remove', path: `members[value eq "${id}"]` })],
    [
      'Entra without its flag',
      (id: string) => ({ op: 'Remove', path: 'members', value: [{ $ref: null, value: id }] }),
    ],
    ['Okta', (id: string) => ({ op: 'remove', path: `members[value eq "${id}"]` })],
  ])('adds and removes a member as %s does', async (_who, removal) => {
    const id = await newGroup();
    const [one, other] = await newUsers(2);
    await patch(id, { op: 'Add', path: 'members', value: [{ $ref: null, value: one }] }).expect(204);
    await patch(id, { op: 'add', path: 'members', value: [{ value: other }, { value: one }] }).expect(204);
    expect(new Set(await membersIn(id))).toEqual(new Set([one, other]));

    await patch(id, removal(one)).expect(204);
    await patch(id, removal(one)).expect(204);

    expect(await membersIn(id)).toEqual([other]);
    const { body } = await scim.get(`/Groups/${id}`).expect(200);
    expect(body.meta.version).toBe('W/"4"');
  });

  it.each([
    ['remove members', { op: 'remove', path: 'members' }, []],
    ['replace members with []', { op: 'replace', path: 'members', value: [] }, []],
    ['replace members with null', { op: 'replace', path: 'members', value: null }, []],
    ['remove members with []', { op: 'remove', path: 'members', value: [] }, 'all'],
    ['no operation', undefined, 'all'],
  ])('%s', async (_name, operation, expected) => {
    const users = await newUsers(2);
    const id = await newGroup({ members: users.map((value) => ({ value })) });
    await patch(id, ...(operation ? [operation] : [])).expect(204);
    expect(new Set(await membersIn(id))).toEqual(new Set(expected === 'all' ? users : expected));
  });

  it('renames by a pathless value with an id in it, as Okta does', async () => {
    const id = await newGroup({ displayName: 'Old' });
    await patch(id, { op: 'replace', value: { id, displayName: 'New' } }).expect(204);
    expect((await scim.get(`/Groups/${id}`)).body.displayName).toBe('New');
    expect(await find('/Groups', 'displayName eq "new"')).toEqual([id]);
  });

  it('takes 60 operations, or none', async () => {
    const users = await newUsers(60);
    const id = await newGroup();
    const additions = users.map((value) => ({ op: 'add', path: 'members', value: [{ value }] }));
    const stranger = { op: 'add', path: 'members', value: [{ value: newId('usr') }] };
    await patch(id, ...additions.slice(1), stranger).expect(400);
    expect(await membersIn(id)).toEqual([]);

    await patch(id, ...additions).expect(204);

    expect(new Set(await membersIn(id))).toEqual(new Set(users));
    expect((await events()).filter(({ type }) => type === 'group.member_added')).toHaveLength(60);
  });

  it('shows the group only to who asks for a part of it', async () => {
    const id = await newGroup();
    const { body } = await scim
      .patch(`/Groups/${id}?excludedAttributes=members`, { schemas: [PATCH], Operations: [] })
      .expect(200);
    expect(body).toMatchObject({ id });
    expect(body).not.toHaveProperty('members');
  });

  it('honours If-Match', async () => {
    const id = await newGroup();
    await patch(id, { op: 'replace', path: 'displayName', value: 'Two' })
      .set('If-Match', 'W/"1"')
      .expect(204);
    const { body } = await patch(id, { op: 'replace', path: 'displayName', value: 'Three' })
      .set('If-Match', 'W/"1"')
      .expect(412);
    expect(body.detail).toBe('The group has another version.');
  });
});

it('makes no event and no version of a PUT of what was read', async () => {
  const users = await newUsers(2);
  const id = await newGroup({ externalId: 'x', members: users.map((value) => ({ value })) });
  const { body: read } = await scim.get(`/Groups/${id}`).expect(200);
  const before = await events();

  const { body } = await scim.put(`/Groups/${id}`, read).expect(200);
  await scim.put(`/Groups/${id}`, { ...read, members: undefined }).expect(200);

  expect(body).toEqual(read);
  expect(await events()).toEqual(before);
  await scim.put(`/Groups/${id}`, { ...read, members: [read.members[0]] }).expect(200);
  expect(await membersIn(id)).toEqual([read.members[0].value]);
});

it('finds groups by each filter, and none by what is not there', async () => {
  const [user, other] = await newUsers(2);
  const id = await newGroup({ displayName: 'Sales % _ "\\', externalId: 'ext', members: [{ value: user }] });
  await newGroup();
  for (const filter of [
    `id eq "${id}"`,
    `displayName eq ${JSON.stringify('SALES % _ "\\')}`,
    'externalId eq "ext"',
    `members eq "${user}"`,
    `members.value eq "${user}"`,
    `members[value eq "${user}"]`,
    `id eq "${id}" and members[value eq "${user}"] and displayName eq ${JSON.stringify('sales % _ "\\')}`,
    `id eq "${id}" and meta.created gt "2020-01-01T00:00:00Z"`,
  ])
    expect([filter, await find('/Groups', filter)]).toEqual([filter, [id]]);
  for (const filter of [
    `id eq "${newId('grp')}"`,
    'id eq "x"',
    'displayName eq "Sales %"',
    `members.value eq "${other}"`,
    `members.value eq "${user}" and members.value eq "${other}"`,
    `id eq "${id}" and meta.lastModified lt "2020-01-01T00:00:00Z"`,
  ])
    expect([filter, await find('/Groups', filter)]).toEqual([filter, []]);
  const { body } = await scim.get('/Groups?filter=displayName%20co%20%22S%22').expect(400);
  expect(body.scimType).toBe('invalidFilter');
});

it('lists by position and by cursor, without members if these are left out', async () => {
  const ids = [await newGroup(), await newGroup(), await newGroup()];
  const { body: page } = await scim
    .get('/Groups?startIndex=2&count=1&excludedAttributes=members')
    .expect(200);
  expect(page).toMatchObject({
    totalResults: 3,
    startIndex: 2,
    itemsPerPage: 1,
    Resources: [{ id: ids[1] }],
  });
  expect(page.Resources[0]).not.toHaveProperty('members');

  const { body: first } = await scim.get('/Groups?cursor&count=2').expect(200);
  const { body: second } = await scim.get(`/Groups?count=2&cursor=${first.nextCursor}`).expect(200);
  expect(second).not.toHaveProperty('nextCursor');
  expect(new Set([...first.Resources, ...second.Resources].map(({ id }: Body) => id))).toEqual(new Set(ids));

  const { body: found } = await scim.post('/Groups/.search', { filter: `id eq "${ids[0]}"` }).expect(200);
  expect(found.Resources.map(({ id }: Body) => id)).toEqual([ids[0]]);
});

it('shows all groups of a user who is asked for or in a short list, and the first 100 in a long one', async () => {
  const id = await newUser();
  for (let n = 0; n < 101; n++) await newGroup({ members: [{ value: id }] });
  const groupsIn = async (path: string): Promise<number> => {
    const { body } = await scim.get(path).expect(200);
    return (body.Resources?.[0] ?? body).groups.length;
  };
  expect(await groupsIn(`/Users/${id}`)).toBe(101);
  expect(await groupsIn(`/Users?filter=${encodeURIComponent(`id eq "${id}"`)}`)).toBe(101);
  expect(await groupsIn('/Users?count=20')).toBe(101);
  expect(await groupsIn('/Users?count=21')).toBe(100);
});

it('shows the groups of a user, and finds users by their group', async () => {
  const [user, other] = await newUsers(2);
  const id = await newGroup({ displayName: 'Support', members: [{ value: user }] });
  const { body } = await scim.get(`/Users/${user}`).expect(200);
  expect(body.groups).toEqual([
    { value: id, $ref: expect.stringMatching(`/scim/v2/Groups/${id}$`), display: 'Support' },
  ]);
  expect((await scim.get(`/Users/${other}`).expect(200)).body).not.toHaveProperty('groups');
  expect(await find('/Users', `groups.value eq "${id}"`)).toEqual([user]);
  expect(await find('/Users', `groups.value eq "${id}" and active eq true`)).toEqual([user]);
  expect(await find('/Users', `groups.value eq "${newId('grp')}"`)).toEqual([]);
  // Read-only: what a PUT of what was read brings along is ignored.
  await scim.put(`/Users/${other}`, { userName: 'o@example.com', groups: [{ value: id }] }).expect(200);
  expect(await membersIn(id)).toEqual([user]);
});

it('finds the members of all of 20 groups with as many statements as those of one', async () => {
  const [everywhere, nearly] = await newUsers(2);
  const ids: string[] = [];
  for (let n = 1; n <= 20; n++)
    ids.push(
      await newGroup({ members: [everywhere, ...(n < 20 ? [nearly] : [])].map((value) => ({ value })) }),
    );
  const filterOf = (groups: string[]) => groups.map((id) => `groups.value eq "${id}"`).join(' and ');
  const statementsFor = async (groups: string[], users: string[]): Promise<number> => {
    const sent = await statementsOf(service().dataSource, async () =>
      expect(new Set(await find('/Users', filterOf(groups)))).toEqual(new Set(users)),
    );
    return sent.filter(({ sql }) => /\bgroup(s|_members)\b/.test(sql)).length;
  };
  const ofOne = await statementsFor(ids.slice(0, 1), [everywhere, nearly]);
  expect(ofOne).toBeGreaterThan(0);
  expect(await statementsFor(ids, [everywhere])).toBe(ofOne);
  expect(await statementsFor(ids.toReversed(), [everywhere])).toBe(ofOne);
  const ofNobody = ofOne - 1; // whose groups are not read
  expect(await statementsFor([...ids.slice(1), newId('grp')], [])).toBe(ofNobody);
  expect(await statementsFor(Array<string>(20).fill(ids[0]), [everywhere, nearly])).toBe(ofOne);
});

it('takes a deleted user out of its groups, and puts it back after a restore', async () => {
  const [user, other] = await newUsers(2);
  const id = await newGroup({ members: [{ value: user }, { value: other }] });
  await scim.delete(`/Users/${user}`).expect(204);
  expect(await membersIn(id)).toEqual([other]);
  expect(await find('/Groups', `members.value eq "${user}"`)).toEqual([]);

  await scim.api.post(`/api/v1/deleted-users/${user}/restore`).expect(200);

  expect(new Set(await membersIn(id))).toEqual(new Set([user, other]));
  expect((await scim.get(`/Groups/${id}`)).body.meta.version).toBe('W/"1"');
});

it('keeps groups of other organizations apart, and asks for scopes', async () => {
  const id = await newGroup();
  const stranger = await scimClient(service());
  await stranger.get(`/Groups/${id}`).expect(404);
  await stranger.delete(`/Groups/${id}`).expect(404);
  await stranger.patch(`/Groups/${id}`, { schemas: [PATCH], Operations: [] }).expect(404);
  const reader = await scimClient(service(), { scopes: ['users:read'] });
  await reader.get('/Groups').expect(200);
  await reader.post('/Groups', { displayName: 'A' }).expect(403);
  await scim.delete(`/Groups/${id}`).expect(204);
  await scim.get(`/Groups/${id}`).expect(404);
});

it('serves the schema and the resource type of groups', async () => {
  const { body: types } = await scim.get('/ResourceTypes').expect(200);
  expect(types.Resources.map(({ id }: Body) => id)).toEqual(['User', 'Group']);
  const { body } = await scim.get('/Schemas/urn:ietf:params:scim:schemas:core:2.0:Group').expect(200);
  expect(body.attributes.map(({ name }: Body) => name)).toEqual(['displayName', 'externalId', 'members']);
});
