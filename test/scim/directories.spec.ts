/**
 * @only embedded: other suites send its requests
 */
import { type Body, useScim } from '../support/scim';

const { scim } = useScim();

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const find = async (filter: string): Promise<Body> =>
  (await scim.get(`/Users?filter=${encodeURIComponent(filter)}`).expect(200)).body;

it('serves Okta: test, import, create, PUT, deactivate, reactivate', async () => {
  await scim.get('/Users?startIndex=1&count=2').expect(200);
  const users = Array.from({ length: 150 }, (_, n) => ({ name: `Person ${n}`, email: `p${n}@example.com` }));
  await scim.api.post('/api/v1/users/batch', { users }).expect(200);
  const imported: string[] = [];
  let total = 1;
  for (let startIndex = 1; startIndex <= total; startIndex += 100) {
    const { body } = await scim.get(`/Users?startIndex=${startIndex}&count=100`).expect(200);
    total = body.totalResults;
    imported.push(...body.Resources.map(({ userName }: Body) => userName));
  }
  expect(new Set(imported)).toEqual(new Set(users.map(({ email }) => email)));

  const userName = 'isaac@example.com';
  expect(await find(`userName eq "${userName}"`)).toMatchObject({ totalResults: 0, Resources: [] });
  const { body: created } = await scim
    .post('/Users', {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName,
      name: { givenName: 'Isaac', familyName: 'Brock' },
      emails: [{ primary: true, value: userName, type: 'work' }],
      displayName: 'Isaac Brock',
      locale: 'en-US',
      externalId: '00ujl29u0le5T6Aj10h7',
      groups: [],
      password: '1mz050nq',
      active: true,
    })
    .expect(201);
  const { body: read } = await scim.get(`/Users/${created.id}`).expect(200);
  expect((await scim.put(`/Users/${created.id}`, read).expect(200)).body.meta.version).toBe('W/"1"');
  const renamed = { ...read, displayName: 'Sir Isaac Brock', name: { ...read.name, honorificPrefix: 'Sir' } };
  expect((await scim.put(`/Users/${created.id}`, renamed).expect(200)).body).toMatchObject({
    displayName: 'Sir Isaac Brock',
    name: renamed.name,
  });
  for (const active of [false, true]) {
    const { body } = await scim
      .patch(`/Users/${created.id}`, {
        schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
        Operations: [{ op: 'replace', value: { active } }],
      })
      .expect(200);
    expect([body.active, body.id]).toEqual([active, created.id]);
    expect((await scim.api.get(`/api/v1/users/${created.id}`).expect(200)).body.active).toBe(active);
  }
});

const ENTRA = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', ENTERPRISE],
  externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
  userName: 'Test_User_ab6490ee@example.com',
  active: true,
  displayName: 'lennay',
  emails: [{ type: 'work', value: 'testing@example.com', primary: true }],
  meta: { resourceType: 'User' },
  name: { formatted: 'Adrienne McNally', familyName: 'McNally', givenName: 'Adrienne' },
  title: 'Manager',
  preferredLanguage: 'de',
  phoneNumbers: [
    { type: 'mobile', value: '1' },
    { type: 'work', value: '2' },
  ],
  addresses: [{ type: 'work', formatted: 'Room 1', country: 'DE' }],
  roles: [],
  [ENTERPRISE]: { department: 'Bookkeeping', employeeNumber: '7', manager: { value: 'm1' } },
};

/** What Microsoft's test clears: all that is neither required nor the matching attribute. */
const CLEARED = [
  'displayName',
  'title',
  'preferredLanguage',
  'name.givenName',
  'name.familyName',
  'name.formatted',
  'phoneNumbers[type eq "mobile"].value',
  'phoneNumbers[type eq "work"].value',
  'addresses[type eq "work"].formatted',
  'addresses[type eq "work"].country',
  `${ENTERPRISE}:department`,
  `${ENTERPRISE}:employeeNumber`,
  `${ENTERPRISE}:manager`,
];

describe('Entra', () => {
  const patch = (id: string, ...Operations: object[]) =>
    scim.patch(`/Users/${id}`, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations });

  it('matches, creates, updates, disables, deletes and creates again', async () => {
    expect((await find(`userName eq "${ENTRA.userName}"`)).totalResults).toBe(0);
    const { body: created } = await scim.post('/Users', ENTRA).expect(201);
    const { roles: _none, ...given } = ENTRA;
    expect(created).toMatchObject(given);
    for (const filter of [
      `userName eq "${ENTRA.userName.toUpperCase()}"`,
      `externalId eq "${ENTRA.externalId}"`,
      'emails[type eq "work"].value eq "testing@example.com"',
    ])
      expect((await find(filter)).Resources[0].id).toBe(created.id);
    await patch(
      created.id,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updated@example.com' },
      { op: 'Add', path: 'emails[type eq "other"].value', value: 'more@example.com' },
      { op: 'Replace', path: 'name.familyName', value: 'Updated' },
      { op: 'Add', path: `${ENTERPRISE}:manager`, value: 'm2' },
    ).expect(200);
    await patch(created.id, {
      op: 'replace',
      value: { displayName: 'bjfe', 'name.givenName': 'Kim', [`${ENTERPRISE}:department`]: 'Sales' },
    }).expect(200);
    const { body: updated } = await scim.get(`/Users/${created.id}`).expect(200);
    expect(updated).toMatchObject({
      displayName: 'bjfe',
      name: { givenName: 'Kim', familyName: 'Updated' },
      emails: [
        { type: 'work', value: 'updated@example.com' },
        { type: 'other', value: 'more@example.com' },
      ],
      [ENTERPRISE]: { department: 'Sales', manager: { value: 'm2' } },
    });
    expect((await scim.api.get(`/api/v1/users/${created.id}`)).body).toMatchObject({
      name: 'bjfe',
      email: 'updated@example.com',
    });
    expect((await find(`id eq "${created.id}" and manager eq "m2"`)).totalResults).toBe(1);
    await patch(created.id, { op: 'Replace', path: 'active', value: 'False' }).expect(200);
    expect((await scim.get(`/Users/${created.id}`).expect(200)).body.active).toBe(false);
    await scim.delete(`/Users/${created.id}`).expect(204);
    await scim.get(`/Users/${created.id}`).expect(404);
    expect((await scim.post('/Users', ENTRA).expect(201)).body.id).not.toBe(created.id);
  });

  it.each([
    ['""', ''],
    ['null', null],
  ])('clears attributes with %s, in both dialects', async (_name, value) => {
    const bodies = [
      CLEARED.map((path) => ({ op: 'replace', path, value })),
      [{ op: 'replace', value: Object.fromEntries(CLEARED.map((path) => [path, value])) }],
    ];
    for (const [n, operations] of bodies.entries()) {
      const { body: created } = await scim
        .post('/Users', { ...ENTRA, userName: `u${n}@example.com` })
        .expect(201);
      await patch(created.id, ...operations).expect(200);
      const { body } = await scim.get(`/Users/${created.id}`).expect(200);
      for (const gone of ['displayName', 'title', 'name', 'phoneNumbers', 'addresses', ENTERPRISE])
        expect(body).not.toHaveProperty([gone]);
      expect(body.userName).toBe(`u${n}@example.com`);
    }
  });
});
