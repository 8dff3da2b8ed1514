import fc from 'fast-check';
import { GroupsService } from '../../src/groups/groups.service';
import { newId } from '../../src/platform/database/id';
import { groupOf, groupStepsOf } from '../../src/scim/groups/group-body';
import {
  type Body,
  directoryOf,
  GROUP,
  PATCH_OP,
  refusalOf,
  scimClient,
  type ScimClient,
  useScim,
} from '../support/scim';

const { service, scim } = useScim();

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

const patch = (id: string, ...Operations: object[]) => scim.change(`/Groups/${id}`, ...Operations);

const find = async (path: string, filter: string): Promise<string[]> =>
  (await scim.find(path, filter)).Resources.map(({ id }: Body) => id);

const events = async (): Promise<Body[]> =>
  (await scim.api.get('/api/v1/events?limit=200').expect(200)).body.data.filter(({ type }: Body) =>
    type.startsWith('group.'),
  );

describe('POST /Groups', () => {
  it('makes a group, with its location, its version and its members', async () => {
    const user = await newUser('Grace Hopper');
    const { body, headers } = await scim
      .post('/Groups', {
        schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
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
      schemas: [GROUP],
      displayName: 'Engineering',
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      members: [{ value: user, display: 'Grace Hopper', type: 'User' }],
      meta: { resourceType: 'Group', version: 'W/"1"' },
    });
    expect(body.members[0].$ref).toMatch(`/scim/v2/Users/${user}`);
  });

  it('refuses a name that is taken or missing, and members that are no users', async () => {
    await newGroup({ displayName: 'Engineering' });
    for (const [fields, status, scimType] of [
      [{ displayName: 'ENGINEERING' }, 409, 'uniqueness'],
      [{}, 400, 'invalidValue'],
      [{ displayName: 'A', members: [{ value: newId('usr') }] }, 400, 'invalidValue'],
      [{ displayName: 'A', members: [{ value: newId('grp') }] }, 400, 'invalidValue'],
      [{ displayName: 'A', members: [{ value: newId('usr'), type: 'Group' }] }, 400, 'invalidValue'],
    ] as [object, number, string][]) {
      const { body } = await scim.post('/Groups', fields).expect(status);
      expect({ fields, ...body }).toMatchObject({ fields, status: String(status), scimType });
    }
  });
});

describe('PATCH /Groups/{id}', () => {
  it('shows the group only to who asks for a part of it', async () => {
    const id = await newGroup();
    const { body } = await patch(`${id}?excludedAttributes=members`).expect(200);
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

it('asks for scopes, and knows a deleted group no more', async () => {
  const id = await newGroup();
  const reader = await scimClient(service(), { scopes: ['users:read'] });
  await reader.get('/Groups').expect(200);
  await reader.post('/Groups', { displayName: 'A' }).expect(403);
  await scim.delete(`/Groups/${id}`).expect(204);
  await scim.get(`/Groups/${id}`).expect(404);
});

describe('the limit of a token, of which a change of many members uses more', () => {
  const LIMIT = 10;

  /** A directory whose token has a small limit, of which this has used nothing. */
  async function limited(rateLimit = LIMIT): Promise<ScimClient> {
    const { body } = await scim.api
      .post('/v1/tokens')
      .send({ name: 'Directory', scopes: ['users:read', 'users:write', 'users:delete'], rateLimit })
      .expect(201);
    const api = scim.api.withValue(body.token);
    return directoryOf(() => api);
  }

  /** The ids of so many new users. */
  async function someUsers(count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, (_, i) => `usr_${String(i).padStart(26, '0')}`);
    await service().dataSource.query(
      `INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, metadata)
     SELECT $1, id, id, id, id, id, 'member', '{}' FROM unnest($2::text[]) AS new (id)`,
      [scim.api.organizationId, ids],
    );
    return ids;
  }

  /** A group with so many members. They are no users, which makes no difference to their removal. */
  async function groupOf(count: number): Promise<string> {
    const { organizationId } = scim.api;
    const { id } = await service()
      .app.get(GroupsService)
      .create(organizationId, { displayName: `Of ${count}` });
    await service().dataSource.query(
      `INSERT INTO group_members (organization_id, group_id, user_id)
     SELECT $1, $2, 'usr_' || lpad(n::text, 26, '0') FROM generate_series(1, $3::integer) AS n`,
      [organizationId, id, count],
    );
    return id;
  }

  const operation = (op: 'add' | 'remove', value?: unknown) => ({
    Operations: [{ op, path: 'members', ...(value !== undefined && { value }) }],
  });

  it('counts as one request for each started hundred of members that it adds or removes', async () => {
    const directory = await limited();
    const users = await someUsers(201);
    const remaining = async (test: ReturnType<ScimClient['get']>) =>
      Number(
        (await test.expect((answer) => expect(answer.status).toBeLessThan(300))).headers[
          'x-ratelimit-remaining'
        ],
      );
    const created = directory.post('/Groups', { displayName: 'A', members: users.slice(0, 101) });
    expect(await remaining(created)).toBe(8);
    const [{ id }] = (await scim.get('/Groups').expect(200)).body.Resources;
    const path = `/Groups/${id}?excludedAttributes=members`;
    expect(await remaining(directory.patch(path, operation('add', users.slice(0, 101))))).toBe(7);
    expect(await remaining(directory.patch(path, operation('add', users.slice(101))))).toBe(6);
    expect(await remaining(directory.put(path, { displayName: 'A', members: [] }))).toBe(3);
    expect(await remaining(directory.get(path))).toBe(2);
  });

  it('succeeds whatever is left of the window, and at the expense of the requests that follow', async () => {
    const directory = await limited();
    const id = await groupOf(100 * LIMIT + 1);
    for (let left = LIMIT - 1; left > 0; left--)
      expect((await directory.get('/Groups?count=0').expect(200)).headers['x-ratelimit-remaining']).toBe(
        String(left),
      );
    const { headers } = await directory.patch(`/Groups/${id}`, operation('remove')).expect(204);
    expect(headers['x-ratelimit-remaining']).toBe('0');
    expect((await scim.get(`/Groups/${id}`).expect(200)).body.members ?? []).toEqual([]);
    await directory.get('/Groups?count=0').retry(0).expect(429);

    const fresh = await limited();
    const other = await groupOf(100 * LIMIT + 2);
    await fresh.patch(`/Groups/${other}`, operation('remove')).expect(204);
    const refused = await fresh.get('/Groups?count=0').retry(0).expect(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  it('counts once if it is refused, and so does the deletion of a large group', async () => {
    const directory = await limited();
    const users = await someUsers(101);
    await directory
      .post('/Groups', { displayName: 'B', members: [...users, `usr_${'7'.repeat(26)}`] })
      .expect(400);
    const id = await groupOf(500);
    const { headers } = await directory.delete(`/Groups/${id}`).expect(204);
    expect(headers['x-ratelimit-remaining']).toBe(String(LIMIT - 2));
  });
});

describe('bodies', () => {
  const ID = (digit: number) => `usr_0${String(digit).padStart(25, '0')}`;
  const [A, B, C] = [1, 2, 3].map(ID);
  const changes = (...operations: unknown[]) => groupStepsOf({ schemas: [PATCH_OP], Operations: operations });
  const member = (value: unknown, more = {}) => ({ value, ...more });
  const add = (path: string, value?: unknown) => ({ op: 'add', path, value });
  const remove = (path: string, value?: unknown) => ({ op: 'remove', path, value });
  const replace = (path: string, value?: unknown) => ({ op: 'replace', path, value });
  const added = (...members: string[]) => ({ kind: 'add', members });
  const removed = (...members: string[]) => ({ kind: 'remove', members });
  const replaced = (...members: string[]) => ({ kind: 'replace', members });
  const set = (attribute: string, value: string | null) => ({ kind: 'set', attribute, value });
  const named = (id: string) => `members[value eq "${id}"]`;
  const ofEntra = { $ref: null, display: 'Ada', type: 'user' };
  const withOthers = { nope: 1, meta: {}, schemas: [], 'members.display': 'x' };

  describe('groupStepsOf()', () => {
    it('are the changes of a PATCH, in every dialect', () => {
      for (const [steps, ...operations] of [
        [[added(A, B)], { op: 'Add', path: 'members', value: [member(A), member(B)] }],
        [[added(A)], add('members', [member(A, ofEntra)]), add('Members', { Value: A }), add(named(A))],
        [[added(A)], add('members', [A]), add('members', [member(A), member(A)])],
        [[added(A)], { op: 'add', value: { members: [member(A)], ...withOthers } }],
        [[added()], add('members', [])],
        [[], add('members', null), remove(named('grp_1'))],
        [[], remove(`members[type eq "Group" and value eq "${A}"]`)],
        [[removed(A)], remove(named(A)), remove(`members[type eq "user" and value eq "${A}"]`)],
        [[removed(A)], { op: 'Remove', path: 'members', value: [member(A, { $ref: null }), member('x')] }],
        [[removed(A)], replace(named(A), null)],
        [[removed()], remove('members', [])],
        [[{ kind: 'removeAll' }], remove('members'), remove('members', null)],
        [[replaced(C)], replace('members', [member(C)])],
        [[replaced()], replace('members', []), replace('members', null), replace('', { members: [] })],
        [[removed(A), added(B)], replace(named(A), member(B))],
        [[added(A)], replace(`${named(A)}.value`, A)],
        [[set('displayName', 'Ops')], replace('displayName', 'Ops')],
        [[set('displayName', 'Ops')], { op: 'replace', value: { id: 'grp_1', displayName: 'Ops' } }],
        [[set('externalId', null)], remove('externalId')],
      ] as [object[], ...object[]][])
        for (const operation of operations)
          expect({ operation, steps: changes(operation) }).toEqual({ operation, steps });
    });

    it('keeps the order of the operations', () => {
      const operations = [A, B, C].map((id) => add('members', [member(id)]));
      expect(changes(...operations, remove(named(B)))).toEqual([
        ...[A, B, C].map((id) => added(id)),
        removed(B),
      ]);
      expect(changes()).toEqual([]);
    });

    it('refuses what a group cannot have', () => {
      for (const [scimType, ...operations] of [
        ['invalidValue', add('members', [member('x')]), add('members', [member(A, { type: 'Group' })])],
        ['invalidValue', add('members', [{}]), add(named(A), {}), add(named('grp_1')), add('members', 7)],
        ['invalidValue', remove('members', [member(7)]), remove('displayName'), replace('displayName', '')],
        ['invalidValue', replace('displayName', 'é'.repeat(257))],
        ['invalidPath', remove('members[display eq "x"]'), remove('members[type eq "User"]')],
        ['invalidPath', add('owners', [])],
        ['mutability', replace('id', 'x'), replace(`${named(A)}.display`, 'x')],
        ['noTarget', { op: 'remove' }],
      ] as [string, ...object[]][])
        for (const operation of operations)
          expect([operation, refusalOf(() => changes(operation))]).toEqual([operation, scimType]);
    });
  });

  it('groupOf() reads names in any case, ignores what is not declared, and tells no members from none given', () => {
    const others = { schemas: ['urn:x'], id: 'y', meta: {} };
    expect(groupOf({ ...others, DisplayName: 'Ops', externalid: 'x', Members: [member(A)] })).toEqual({
      displayName: 'Ops',
      externalId: 'x',
      members: [A],
    });
    expect(groupOf({ displayName: 'Ops' })).toEqual({ displayName: 'Ops', externalId: null });
    expect(groupOf({ displayName: 'Ops', members: null })).toEqual({ displayName: 'Ops', externalId: null });
    expect(groupOf({ displayName: 'Ops', members: [] })).toMatchObject({ members: [] });
    for (const displayName of [undefined, ' ', 7])
      expect([displayName, refusalOf(() => groupOf({ displayName }))]).toEqual([displayName, 'invalidValue']);
  });

  it('throws nothing but a 400, whatever is sent', () => {
    const path = fc.constantFrom(
      ...['members', named(A), 'members.value', 'displayName', 'externalId', 'id', 'x', null],
    );
    const op = fc.constantFrom('add', 'remove', 'replace');
    const operation = fc.record({ op, path, value: fc.jsonValue() }, { requiredKeys: ['op'] });
    const bodies = fc.oneof(fc.jsonValue(), fc.record({ Operations: fc.array(operation) }));
    fc.assert(
      fc.property(bodies, (body) => {
        for (const read of [groupOf, groupStepsOf]) refusalOf(() => read(body)); // throws any other error
      }),
      { numRuns: 2000 },
    );
  });
});
