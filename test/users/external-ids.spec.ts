import { aUser } from '../support/client';
import { TAKEN } from '../support/batch';
import { pathOf, restorePath } from '../support/deleted-users';
import { scimClient } from '../support/scim';
import { useApi } from '../support/service';

const { service, api } = useApi({ RATE_LIMIT_PER_MINUTE: '1000000' });

const USERS = '/api/v1/users';
const EXTERNAL_ID_TAKEN = { ...TAKEN, field: 'externalId' };

const found = async (query: string, path = USERS): Promise<string[]> =>
  (await api.get(`${path}?${query}`).expect(200)).body.data.map(({ id }: { id: string }) => id);

describe('the external id of a user', () => {
  it('is null unless the caller gives one, and is removed by null', async () => {
    const user = await api.createUser();
    expect(user.externalId).toBeNull();
    const { body: named } = await api.patch(pathOf(user), { externalId: 'E-1' }).expect(200);
    expect(named).toMatchObject({ externalId: 'E-1', version: 2 });
    expect((await api.patch(pathOf(user), { externalId: ' E-1 ' }).expect(200)).body).toEqual(named);
    const { body: unnamed } = await api.patch(pathOf(user), { externalId: null }).expect(200);
    expect(unnamed).toMatchObject({ externalId: null, version: 3 });
    expect((await api.patch(pathOf(user), { externalId: null }).expect(200)).body).toEqual(unnamed);

    const { body: events } = await api.get('/api/v1/events?type=user.updated').expect(200);
    expect(events.data.map(({ data }: { data: { previous: object } }) => data.previous)).toEqual([
      { externalId: null },
      { externalId: 'E-1' },
    ]);
  });

  it.each([
    ['', 'too_short'],
    [' \n', 'too_short'],
    ['x'.repeat(201), 'too_long'],
    [4711, 'invalid'],
    [['E-1'], 'invalid'],
    ['a\0', 'invalid'],
  ])('cannot be %j', async (externalId, code) => {
    const { body } = await api.post(USERS, aUser({ externalId } as object)).expect(400);
    expect(body.errors).toMatchObject([{ field: 'externalId', code }]);
    const user = await api.createUser();
    await api.patch(pathOf(user), { externalId }).expect(400);
  });

  it('has up to 200 characters, whatever they are', async () => {
    const externalId = `${'𝄞'.repeat(197)} %'`;
    const user = await api.createUser({ externalId });
    expect(user.externalId).toBe(externalId);
    expect(await found(`externalId=${encodeURIComponent(externalId)}`)).toEqual([user.id]);
  });

  it('is unique in the organization, compared exactly', async () => {
    const user = await api.createUser({ externalId: 'e-1' });
    const other = await api.createUser({ externalId: 'E-1' });
    for (const externalId of ['e-1 ', 'E-1']) {
      const { body } = await api.post(USERS, aUser({ externalId })).expect(409);
      expect(body).toMatchObject({ code: 'conflict', errors: [EXTERNAL_ID_TAKEN] });
    }
    const { body } = await api.patch(pathOf(other), { externalId: 'e-1', name: 'New' }).expect(409);
    expect(body.errors).toEqual([EXTERNAL_ID_TAKEN]);
    await api.get(pathOf(other)).expect(200, other);

    const elsewhere = await service.client();
    await elsewhere.createUser({ externalId: 'e-1' });
    await api.patch(pathOf(user), { externalId: null }).expect(200);
    await api.patch(pathOf(other), { externalId: 'e-1' }).expect(200);
  });

  it('is given to one of many who ask for it at once', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async () => (await api.post(USERS, aUser({ externalId: 'E-1' }))).status),
    );
    expect(statuses.sort()).toEqual([201, ...Array.from({ length: 49 }, () => 409)]);
    expect(await found('externalId=E-1')).toHaveLength(1);
  });

  it('is a filter of lists, alone and with others, in every sort', async () => {
    const user = await api.createUser({ externalId: 'E-1', role: 'viewer' });
    await api.createUser({ externalId: 'e-1' });
    await api.createUser();
    for (const sort of ['createdAt', 'updatedAt', 'name', 'email'])
      for (const more of ['', '&role=viewer', '&active=true', `&email=${encodeURIComponent(user.email)}`])
        expect(await found(`externalId=%20E-1&sort=${sort}${more}`)).toEqual([user.id]);
    for (const more of ['&role=admin', '&active=false', '&email=other@example.com'])
      expect(await found(`externalId=E-1${more}`)).toEqual([]);
    expect(await found('externalId=E')).toEqual([]);
    await api.get(`${USERS}?externalId=`).expect(400);

    const { nextCursor } = (await api.get(`${USERS}?limit=1`).expect(200)).body;
    const { body } = await api.get(`${USERS}?externalId=E-1&cursor=${nextCursor}`).expect(400);
    expect(body.errors).toMatchObject([{ field: 'cursor' }]);
  });

  it('is free as soon as its user is deleted, who cannot be restored while another has it', async () => {
    const user = await api.createUser({ externalId: 'E-1' });
    await api.delete(pathOf(user)).expect(204);
    const other = await api.createUser({ externalId: 'E-1' });
    const { body } = await api.post(restorePath(user)).expect(409);
    expect(body.errors).toEqual([EXTERNAL_ID_TAKEN]);
    expect((await api.get(`/api/v1/deleted-users/${user.id}`).expect(200)).body.externalId).toBe('E-1');
    await api.patch(pathOf(other), { externalId: 'E-2' }).expect(200);
    expect((await api.post(restorePath(user)).expect(200)).body.externalId).toBe('E-1');
  });
});

it("the externalId of SCIM is the directory's, and another one", async () => {
  const scim = await scimClient(service, { organizationId: api.organizationId });
  const { body } = await scim
    .post('/Users', { userName: 'ada@example.com', externalId: 'okta-1', displayName: 'Ada' })
    .expect(201);
  const user = (await api.get(pathOf(body)).expect(200)).body;
  expect(user.externalId).toBeNull();
  await api.patch(pathOf(user), { externalId: 'E-1' }).expect(200);
  expect((await scim.get(`/Users/${user.id}`).expect(200)).body.externalId).toBe('okta-1');
  await scim
    .put(`/Users/${user.id}`, { userName: 'ada@example.com', externalId: 'okta-2', displayName: 'Ada' })
    .expect(200);
  expect((await api.get(pathOf(user)).expect(200)).body.externalId).toBe('E-1');
  expect(await found('externalId=okta-2')).toEqual([]);
});

describe('a search for the whole of an external id', () => {
  const search = (q: string, more = '') => found(`q=${encodeURIComponent(q)}${more}`, `${USERS}/search`);

  it('finds its user alone, at once, or nobody if a filter excludes it', async () => {
    const user = await api.createUser({ externalId: 'Smith', role: 'viewer' });
    const smith = await api.createUser({ name: 'Ann Smith' });
    expect(await search(' Smith ')).toEqual([user.id]);
    expect(await search('Smith', '&role=viewer')).toEqual([user.id]);
    expect(await search('Smith', '&role=admin')).toEqual([]);
    expect(await search('smith')).toEqual([smith.id]);
    expect(await search('Smit')).toEqual([smith.id]);
    await api.patch(pathOf(user), { externalId: null }).expect(200);
    expect(await search('Smith')).toEqual([smith.id]);
  });

  it('comes after an id and before an email', async () => {
    const first = await api.createUser();
    const second = await api.createUser({ externalId: first.id });
    const third = await api.createUser({ externalId: second.email });
    expect(await search(first.id)).toEqual([first.id]);
    expect(await search(second.email)).toEqual([third.id]);
    await api.delete(pathOf(first)).expect(204);
    expect(await search(first.id)).toEqual([second.id]);
    await api.delete(pathOf(third)).expect(204);
    expect(await search(second.email)).toEqual([second.id]);
  });
});
