import { dumpOf } from '../support/dump';
import { type Body, ENTERPRISE, scimClient, USER, useScim } from '../support/scim';

const { service, scim } = useScim();

const ADA = {
  schemas: [USER, ENTERPRISE],
  userName: 'Ada',
  externalId: 'ext-1',
  displayName: 'Ada Lovelace',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [
    { value: 'home@example.com', type: 'home' },
    { value: 'work@example.com', type: 'work', primary: true },
  ],
  title: 'Countess',
  active: true,
  [ENTERPRISE]: { department: 'Engines', manager: { value: 'boss' } },
};

const create = async (fields: object): Promise<Body> => (await scim.post('/Users', fields).expect(201)).body;
const patch = (id: string, ...Operations: object[]) => scim.change(`/Users/${id}`, ...Operations);
const inApi = async (id: string): Promise<Body> =>
  (await scim.api.get(`/api/v1/users/${id}`).expect(200)).body;
const find = async (filter: string): Promise<number> => (await scim.find('/Users', filter)).totalResults;
const eventsOf = async (id: string): Promise<Body[]> =>
  (await scim.api.get(`/api/v1/events?target=${id}`).expect(200)).body.data;

describe('POST /Users', () => {
  it('gives back what the directory gave, and makes it the fields of the user', async () => {
    const { body, headers } = await scim.post('/Users', { ...ADA, password: 's3cret-Passw0rd' }).expect(201);
    expect(body).toMatchObject(ADA);
    expect(body).not.toHaveProperty('password');
    expect(headers.location).toBe(`${service().url}/scim/v2/Users/${body.id}`);
    expect(body.meta).toMatchObject({ location: headers.location, version: 'W/"1"', resourceType: 'User' });
    expect(headers.etag).toBe('W/"1"');
    expect((await scim.get(`/Users/${body.id}`).expect(200)).body).toEqual(body);
    expect(await inApi(body.id)).toMatchObject({
      name: 'Ada Lovelace',
      email: 'work@example.com',
      role: 'member',
      active: true,
      metadata: {},
      version: 1,
    });
    expect(await eventsOf(body.id)).toMatchObject([{ type: 'user.created', source: 'scim' }]);
  });

  it('keeps a password in no table and no log', async () => {
    const { id } = await create({ ...ADA, password: 's3cret-Passw0rd' });
    await patch(id, { op: 'replace', path: 'password', value: 's3cret-Passw0rd' }).expect(200);
    await patch(id, { op: 'add', value: { password: 's3cret-Passw0rd', title: 'Dr' } }).expect(200);
    await scim.put(`/Users/${id}`, { ...ADA, password: 's3cret-Passw0rd' }).expect(200);
    expect(JSON.stringify(await dumpOf(service().dataSource))).not.toContain('s3cret');
    expect(service().logs.join('')).not.toContain('s3cret');
  });

  it('takes the first free address: the primary one, that of type work, the first, the user name', async () => {
    const emails = [
      { value: 'a@example.com' },
      { value: 'b@example.com', type: 'work' },
      { value: 'c@example.com', primary: true },
    ];
    const chosen = [];
    for (const n of [1, 2, 3, 4]) {
      const { id } = await create({ userName: `user${n}@example.com`, emails });
      chosen.push((await inApi(id)).email);
    }
    expect(chosen).toEqual(['c@example.com', 'b@example.com', 'a@example.com', 'user4@example.com']);
    const { body } = await scim.post('/Users', { userName: 'no-address', emails }).expect(409);
    expect(body).toMatchObject({ status: '409', scimType: 'uniqueness' });
    expect((await scim.post('/Users', { userName: 'no-address' }).expect(400)).body.scimType).toBe(
      'invalidValue',
    );
  });

  it('refuses a user name that is taken in any case, also by the email of a user without one', async () => {
    await create({ userName: 'Ada', emails: [{ value: 'ada@example.com' }] });
    await scim.api.createUser({ email: 'grace@example.com' });
    for (const userName of ['aDA', 'GRACE@example.com']) {
      const { body } = await scim
        .post('/Users', { userName, emails: [{ value: 'free@example.com' }] })
        .expect(409);
      expect(body.scimType).toBe('uniqueness');
    }
    // The email of a user who has a user name is none.
    await create({ userName: 'ada@example.com', emails: [{ value: 'other@example.com' }] });
  });

  it('refuses names that no index could hold, with a 400', async () => {
    const emails = [{ value: 'long@example.com' }];
    await scim.post('/Users', { userName: 'ﷺ'.repeat(256), emails }).expect(400);
    await scim.post('/Users', { userName: 'x'.repeat(257), emails }).expect(400);
    const { id } = await create({ userName: '😀'.repeat(256), emails, displayName: 'x'.repeat(5_000) });
    expect((await inApi(id)).name).toHaveLength(200);
  });
});

describe('PUT /Users/{id}', () => {
  it('of what was read changes nothing: no version, no event', async () => {
    const { id } = await create(ADA);
    const unwritten = await scim.api.createUser({
      name: 'Grace Brewster Hopper',
      email: 'grace@example.com',
    });
    for (const user of [id, unwritten.id]) {
      const { body: read } = await scim.get(`/Users/${user}`).expect(200);
      expect((await scim.put(`/Users/${user}`, read).expect(200)).body).toEqual(read);
      await patch(user).expect(200);
      await patch(user, { op: 'remove', path: 'unknown' }).expect(400);
      await patch(user, { op: 'replace', value: { unknown: 'x', userName: read.userName } }).expect(200);
      expect((await scim.get(`/Users/${user}`)).body).toEqual(read);
      expect(await eventsOf(user)).toHaveLength(1);
    }
  });

  it('replaces what SCIM knows, and leaves the role, the metadata and what is active', async () => {
    const { id } = await create(ADA);
    await scim.api.patch(`/api/v1/users/${id}`, { role: 'admin', metadata: { plan: 'pro' } }).expect(200);
    await patch(id, { op: 'replace', path: 'active', value: 'False' }).expect(200);
    const { body } = await scim
      .put(`/Users/${id}`, { userName: 'ada2', displayName: 'A. King', emails: ADA.emails })
      .expect(200);
    expect(body).toMatchObject({ userName: 'ada2', displayName: 'A. King', active: false });
    for (const gone of ['title', 'name', 'externalId', ENTERPRISE]) expect(body).not.toHaveProperty(gone);
    expect(await inApi(id)).toMatchObject({
      name: 'A. King',
      email: 'work@example.com',
      role: 'admin',
      active: false,
      metadata: { plan: 'pro' },
    });
  });
});

describe('PATCH /Users/{id}', () => {
  it('of an attribute that only SCIM knows counts the version, and tells the API nothing but that', async () => {
    const { id } = await create(ADA);
    const { body, headers } = await patch(id, { op: 'Replace', path: 'TITLE', value: 'Engineer' }).expect(
      200,
    );
    expect([body.title, body.meta.version, headers.etag]).toEqual(['Engineer', 'W/"2"', 'W/"2"']);
    const [, event] = await eventsOf(id);
    expect(event).toMatchObject({
      type: 'user.updated',
      source: 'scim',
      data: { user: { version: 2 }, previous: {} },
    });
  });

  it('renames in any case, unless the name is taken', async () => {
    const { id } = await create(ADA);
    await create({ userName: 'Grace', emails: [{ value: 'grace@example.com' }] });
    await patch(id, { op: 'replace', path: 'userName', value: 'ADA' }).expect(200);
    const { body } = await patch(id, { op: 'replace', path: 'userName', value: 'grace' }).expect(409);
    expect(body).toMatchObject({ status: '409', scimType: 'uniqueness' });
    expect((await scim.get(`/Users/${id}`)).body.userName).toBe('ADA');
  });
});

describe('the API and SCIM', () => {
  it('change one user without losing what the other has written', async () => {
    const { id } = await create(ADA);
    await scim.api.patch(`/api/v1/users/${id}`, { metadata: { plan: 'pro' }, role: 'viewer' }).expect(200);
    await Promise.all([
      patch(id, { op: 'replace', path: 'title', value: 'Engineer' }).expect(200),
      scim.api.patch(`/api/v1/users/${id}`, { metadata: { plan: 'free' } }).expect(200),
      patch(id, { op: 'replace', path: `${ENTERPRISE}:department`, value: 'Sums' }).expect(200),
    ]);
    expect(await inApi(id)).toMatchObject({ metadata: { plan: 'free' }, role: 'viewer', version: 5 });
    expect((await scim.get(`/Users/${id}`)).body).toMatchObject({
      title: 'Engineer',
      [ENTERPRISE]: { department: 'Sums' },
    });
  });

  it('agree that a change by the API wins, and filters find it', async () => {
    const { id } = await create(ADA);
    await scim.api
      .patch(`/api/v1/users/${id}`, { email: 'new@example.com', name: 'Augusta King' })
      .expect(200);
    const { body } = await scim.get(`/Users/${id}`);
    expect(body).toMatchObject({
      userName: 'Ada',
      displayName: 'Augusta King',
      emails: [ADA.emails[0], { ...ADA.emails[1], value: 'new@example.com' }],
      title: 'Countess',
    });
    expect(body).not.toHaveProperty('name');
    expect(await find('displayName eq "augusta KING"')).toBe(1);
    expect(await find('emails[type eq "work"].value eq "NEW@example.com"')).toBe(1);
    expect(await find('emails.value eq "work@example.com"')).toBe(0);
    expect(await find('name.givenName eq "Ada"')).toBe(0);
    // A batch is the API, too.
    await scim.api
      .post('/api/v1/users/batch', {
        mode: 'upsert',
        users: [{ email: 'new@example.com', name: 'Ada Byron' }],
      })
      .expect(200);
    expect(await find('displayName eq "Ada Byron"')).toBe(1);
    expect(await find('displayName eq "Augusta King"')).toBe(0);
  });

  it('agree on user names: the email of a user without one is taken by them', async () => {
    await create({ userName: 'taken@example.com', emails: [{ value: 'other@example.com' }] });
    const message = 'is already the user name of another user of the organization';
    const refused = { code: 'conflict', errors: [{ field: 'email', code: 'taken', message }] };
    const user = { name: 'Grace', email: 'TAKEN@example.com' };
    expect((await scim.api.post('/api/v1/users', user).expect(409)).body).toMatchObject(refused);
    const { id } = await scim.api.createUser();
    expect(
      (await scim.api.patch(`/api/v1/users/${id}`, { email: 'taken@example.com' }).expect(409)).body,
    ).toMatchObject(refused);
    const free = { name: 'Free', email: 'free@example.com' };
    for (const dryRun of [true, false]) {
      const { body } = await scim.api
        .post('/api/v1/users/batch', { users: [user, free], dryRun })
        .expect(200);
      expect(body.results).toMatchObject([{ status: 409, errors: refused.errors }, { status: 201 }]);
    }
    await scim.api.post('/api/v1/users/batch', { users: [user], atomic: true }).expect(409);
  });
});

describe('If-Match and If-None-Match', () => {
  it('hold as for the API, with weak tags', async () => {
    const { id } = await create(ADA);
    const title = { op: 'replace', path: 'title', value: 'x' };
    expect((await patch(id, title).set('If-Match', 'W/"2"').expect(412)).body).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '412',
      detail: 'The user has another version.',
    });
    await scim.put(`/Users/${id}`, ADA).set('If-Match', 'W/"2"').expect(412);
    await scim.delete(`/Users/${id}`).set('If-Match', '"2"').expect(412);
    await patch(id, title).set('If-Match', 'nonsense').expect(400);
    await patch(id, title).set('If-Match', 'W/"1"').expect(200);
    const { text } = await scim.get(`/Users/${id}`).set('If-None-Match', 'W/"2"').expect(304);
    expect(text).toBe('');
    await scim.get(`/Users/${id}`).set('If-None-Match', 'W/"1"').expect(200);
    await scim.delete(`/Users/${id}`).set('If-Match', '*').expect(204);
  });
});

describe('a deleted user', () => {
  it('is gone for SCIM, and comes back with everything when it is restored', async () => {
    const { id } = await create(ADA);
    const { body: before } = await scim.get(`/Users/${id}`);
    await scim.delete(`/Users/${id}`).expect(204);
    await scim.get(`/Users/${id}`).expect(404);
    await scim.delete(`/Users/${id}`).expect(404);
    await patch(id, { op: 'replace', path: 'title', value: 'x' }).expect(404);
    for (const filter of ['userName eq "ada"', 'externalId eq "ext-1"', 'emails.value eq "work@example.com"'])
      expect(await find(filter)).toBe(0);
    const { body: restored } = await scim.api.post(`/api/v1/deleted-users/${id}/restore`).expect(200);
    expect(restored.version).toBe(2);
    const { meta, ...attributes } = (await scim.get(`/Users/${id}`).expect(200)).body;
    expect(attributes).toEqual({ ...before, meta: undefined });
    expect(meta.created).toBe(before.meta.created);
    expect(await find('externalId eq "ext-1"')).toBe(1);
    expect((await eventsOf(id)).map(({ type }) => type)).toEqual([
      'user.created',
      'user.deleted',
      'user.restored',
    ]);
  });

  it('frees its user name, and cannot be restored while another user has it', async () => {
    const { id } = await create(ADA);
    await scim.delete(`/Users/${id}`).expect(204);
    const again = await create({ userName: 'aDa', emails: [{ value: 'second@example.com' }] });
    expect(again.id).not.toBe(id);
    const { body } = await scim.api.post(`/api/v1/deleted-users/${id}/restore`).expect(409);
    expect(body.errors).toMatchObject([{ field: 'email', code: 'taken' }]);
    await scim.delete(`/Users/${again.id}`).expect(204);
    await scim.api.post(`/api/v1/deleted-users/${id}/restore`, { email: 'restored@example.com' }).expect(200);
    expect((await scim.get(`/Users/${id}`)).body.emails[1].value).toBe('restored@example.com');
    expect(await find('emails.value eq "restored@example.com"')).toBe(1);
  });

  it('leaves nothing when it is purged', async () => {
    const { id } = await create(ADA);
    await scim.delete(`/Users/${id}`).expect(204);
    const rows = () => service().dataSource.query('SELECT FROM scim_users WHERE user_id = $1', [id]);
    expect(await rows()).toHaveLength(1);
    await scim.api.delete(`/api/v1/deleted-users/${id}`).expect(204);
    expect(await rows()).toHaveLength(0);
  });
});

it('organizations see nothing of each other', async () => {
  const other = await scimClient(service());
  const { id } = await create(ADA);
  for (const filter of ['userName eq "Ada"', 'emails.value eq "work@example.com"', `id eq "${id}"`])
    expect([filter, (await other.find('/Users', filter)).totalResults]).toEqual([filter, 0]);
  await other.post('/Users', ADA).expect(201); // unique in the organization alone
});
