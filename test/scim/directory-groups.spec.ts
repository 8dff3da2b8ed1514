/**
 * @only embedded: other suites send its requests
 */
import { type Body, useScim } from '../support/scim';

const { scim } = useScim();

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';

let serial = 0;
const newUser = async (): Promise<string> =>
  (await scim.post('/Users', { userName: `person${serial++}@example.com` }).expect(201)).body.id;

const patch = (id: string, ...Operations: object[]) =>
  scim.patch(`/Groups/${id}`, { schemas: [PATCH_OP], Operations });

const membersOf = async (id: string): Promise<string[]> =>
  (await scim.get(`/Groups/${id}`).expect(200)).body.members.map(({ value }: Body) => value);

const find = async (path: string, filter: string): Promise<Body> =>
  (await scim.get(`${path}filter=${encodeURIComponent(filter)}`).expect(200)).body;

const eventsOf = async (id: string): Promise<string[]> =>
  (await scim.api.get(`/api/v1/events?target=${id}&limit=200`).expect(200)).body.data.map(
    ({ type }: Body) => type,
  );

it('serves Group Push of Okta: link, push, members, rename, import, unlink', async () => {
  const [ada, grace, alan] = [await newUser(), await newUser(), await newUser()];
  expect(await find('/Groups?startIndex=1&count=100&', 'displayName eq "Engineering"')).toMatchObject({
    totalResults: 0,
    Resources: [],
  });
  const { body: group } = await scim
    .post('/Groups', {
      schemas: [GROUP],
      displayName: 'Engineering',
      members: [{ value: ada, display: 'person0@example.com' }],
    })
    .expect(201);
  const { id } = group;
  // An app of the old wizard puts the whole group; one of the new wizard sends a PATCH.
  const { body: read } = await scim.get(`/Groups/${id}`).expect(200);
  await scim
    .put(`/Groups/${id}`, { ...read, members: [...read.members, { value: grace, display: 'g' }] })
    .expect(200);
  expect(new Set(await membersOf(id))).toEqual(new Set([ada, grace]));
  await patch(id, { op: 'add', path: 'members', value: [{ value: alan, display: 'a' }] }).expect(204);
  await patch(id, { op: 'remove', path: `members[value eq "${grace}"]` }).expect(204);
  await patch(id, { op: 'replace', value: { id, displayName: 'Engineers' } }).expect(204);
  expect(new Set(await membersOf(id))).toEqual(new Set([ada, alan]));
  // "Push now" replaces all members.
  await patch(
    id,
    { op: 'replace', value: { id, displayName: 'Engineers' } },
    { op: 'replace', path: 'members', value: [{ value: grace, display: 'g' }] },
  ).expect(204);
  expect(await membersOf(id)).toEqual([grace]);
  const { body: imported } = await scim.get('/Groups?startIndex=1&count=100').expect(200);
  expect(imported).toMatchObject({ totalResults: 1, Resources: [{ id, displayName: 'Engineers' }] });

  await scim.delete(`/Groups/${id}`).expect(204);
  await scim.get(`/Groups/${id}`).expect(404);
  expect(await eventsOf(id)).toEqual([
    'group.created',
    'group.member_added',
    'group.member_added',
    'group.member_added',
    'group.member_removed',
    'group.updated',
    'group.member_removed',
    'group.member_removed',
    'group.member_added',
    'group.deleted',
  ]);
});

describe.each([
  ['with its SCIM 2.0 flag', (id: string) => ({ op: 'Remove', path: `members[value eq "${id}"]` })],
  [
    'without its flag',
    (id: string) => ({ op: 'Remove', path: 'members', value: [{ $ref: null, value: id }] }),
  ],
  ['with a single object', (id: string) => ({ op: 'remove', path: 'members', value: { value: id } })],
])('Entra, %s', (_dialect, removal) => {
  it('matches, creates, updates, adds and removes members, and deletes', async () => {
    const externalId = '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159';
    const [ada, grace] = [await newUser(), await newUser()];
    const matching = '/Groups?excludedAttributes=members&';
    expect(await find(matching, 'displayName eq "Sales"')).toMatchObject({ totalResults: 0 });
    const { body: created } = await scim
      .post('/Groups', {
        schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
        externalId,
        displayName: 'Sales',
        meta: { resourceType: 'Group' },
      })
      .set('Content-Type', 'application/json')
      .expect(201);
    const { id } = created;
    for (const filter of ['displayName eq "SALES"', `externalId eq "${externalId}"`]) {
      const { Resources } = await find(matching, filter);
      expect(Resources).toMatchObject([{ id, displayName: 'Sales', externalId }]);
      expect(Resources[0]).not.toHaveProperty('members');
    }
    const { body: lean } = await scim.get(`/Groups/${id}?excludedAttributes=members`).expect(200);
    expect(lean).not.toHaveProperty('members');

    await patch(id, { op: 'Add', path: 'members', value: [{ $ref: null, value: ada }] }).expect(204);
    await patch(
      id,
      { op: 'Add', path: 'members', value: [{ value: grace }] },
      { op: 'Replace', path: 'displayName', value: 'Sales EMEA' },
    ).expect(204);
    // Before it changes a membership, Entra asks whether it is there.
    expect(await find(matching, `id eq "${id}" and members eq "${ada}"`)).toMatchObject({ totalResults: 1 });
    await patch(id, removal(ada)).expect(204);
    await patch(id, removal(ada)).expect(204);
    expect(await find(matching, `id eq "${id}" and members eq "${ada}"`)).toMatchObject({ totalResults: 0 });
    expect(await membersOf(id)).toEqual([grace]);

    await patch(id, { op: 'replace', path: 'externalId', value: '' }).expect(204);
    expect((await scim.get(`/Groups/${id}`)).body).not.toHaveProperty('externalId');
    await scim.delete(`/Groups/${id}`).expect(204);
    await scim.get(`/Groups/${id}`).expect(404);
    await scim.delete(`/Groups/${id}`).expect(404);
    expect((await scim.get(`/Users/${grace}`).expect(200)).body).not.toHaveProperty('groups');
    expect(await eventsOf(id)).toEqual([
      'group.created',
      'group.member_added',
      'group.updated',
      'group.member_added',
      'group.member_removed',
      'group.updated',
      'group.deleted',
    ]);
  });
});
