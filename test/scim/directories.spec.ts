import { type Body, ENTERPRISE, GROUP, USER, useScim } from '../support/scim';

const { scim } = useScim();

const find = (filter: string): Promise<Body> => scim.find('/Users', filter);

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
      schemas: [USER],
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
      .change(`/Users/${created.id}`, { op: 'replace', value: { active } })
      .expect(200);
    expect([body.active, body.id]).toEqual([active, created.id]);
    expect((await scim.api.get(`/api/v1/users/${created.id}`).expect(200)).body.active).toBe(active);
  }
});

const ENTRA = {
  schemas: [USER, ENTERPRISE],
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
  const patch = (id: string, ...Operations: object[]) => scim.change(`/Users/${id}`, ...Operations);

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

  it('clears attributes with "" or null, in both dialects', async () => {
    let n = 0;
    for (const value of ['', null])
      for (const operations of [
        CLEARED.map((path) => ({ op: 'replace', path, value })),
        [{ op: 'replace', value: Object.fromEntries(CLEARED.map((path) => [path, value])) }],
      ]) {
        const userName = `u${++n}@example.com`;
        const { body: created } = await scim.post('/Users', { ...ENTRA, userName }).expect(201);
        await patch(created.id, ...operations).expect(200);
        const { body } = await scim.get(`/Users/${created.id}`).expect(200);
        for (const gone of ['displayName', 'title', 'name', 'phoneNumbers', 'addresses', ENTERPRISE])
          expect(body).not.toHaveProperty([gone]);
        expect(body.userName).toBe(userName);
      }
  });
});

describe('groups', () => {
  let serial = 0;
  const newUser = async (): Promise<string> =>
    (await scim.post('/Users', { userName: `person${serial++}@example.com` }).expect(201)).body.id;

  const patch = (id: string, ...Operations: object[]) => scim.change(`/Groups/${id}`, ...Operations);

  const membersOf = async (id: string): Promise<string[]> =>
    (await scim.get(`/Groups/${id}`).expect(200)).body.members.map(({ value }: Body) => value);

  const eventsOf = async (id: string): Promise<string[]> =>
    (await scim.api.get(`/api/v1/events?target=${id}&limit=200`).expect(200)).body.data.map(
      ({ type }: Body) => type,
    );

  it('serves Group Push of Okta: link, push, members, rename, import, unlink', async () => {
    const [ada, grace, alan] = [await newUser(), await newUser(), await newUser()];
    expect(await scim.find('/Groups?startIndex=1&count=100', 'displayName eq "Engineering"')).toMatchObject({
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

  it('serves Entra: match, create, update, add and remove members, delete', async () => {
    const externalId = '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159';
    const [ada, grace] = [await newUser(), await newUser()];
    const matching = '/Groups?excludedAttributes=members';
    expect(await scim.find(matching, 'displayName eq "Sales"')).toMatchObject({ totalResults: 0 });
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
      const { Resources } = await scim.find(matching, filter);
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
    expect(await scim.find(matching, `id eq "${id}" and members eq "${ada}"`)).toMatchObject({
      totalResults: 1,
    });
    // With its SCIM 2.0 flag, without it, and with a single object: who is gone is no fault.
    for (const removal of [
      { path: `members[value eq "${ada}"]` },
      { path: 'members', value: [{ $ref: null, value: ada }] },
      { path: 'members', value: { value: ada } },
    ]) {
      await patch(id, { op: 'Remove', ...removal }).expect(204);
      expect(await scim.find(matching, `id eq "${id}" and members eq "${ada}"`)).toMatchObject({
        totalResults: 0,
      });
      await patch(id, { op: 'Remove', ...removal }).expect(204);
      await patch(id, { op: 'Add', path: 'members', value: [{ value: ada }] }).expect(204);
    }
    await patch(id, { op: 'Remove', path: `members[value eq "${ada}"]` }).expect(204);
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
      ...Array(3).fill(['group.member_removed', 'group.member_added']).flat(),
      'group.member_removed',
      'group.updated',
      'group.deleted',
    ]);
  });
});

describe('the mapping of Okta', () => {
  /** Every attribute of the default mapping of Okta's SCIM 2.0 apps. */
  const mapped = (n: number) => ({
    ...{ schemas: [USER, ENTERPRISE], userName: 'ada@example.com', active: true },
    ...{ displayName: `Ada ${n}`, nickName: `Nick ${n}`, title: `Title ${n}`, userType: `Type ${n}` },
    ...{
      profileUrl: `example.com/${n}`,
      preferredLanguage: `l${n}`,
      locale: `l_${n}`,
      timezone: `Zone/${n}`,
    },
    name: {
      ...{ givenName: `Ada ${n}`, middleName: `M. ${n}`, familyName: `Byron ${n}` },
      ...{ honorificPrefix: `Lady ${n}`, honorificSuffix: `${n}.` },
    },
    emails: [
      { value: `ada${n}@example.com`, type: 'work', primary: true },
      { value: `ada${n}@home.example.com`, type: 'home', primary: false },
    ],
    phoneNumbers: [
      { value: `+44 ${n}`, type: n % 2 ? 'home' : 'work', primary: true },
      { value: `+44 ${n}0`, type: 'mobile' },
    ],
    addresses: [
      {
        ...{ type: n % 2 ? 'home' : 'other', primary: true, formatted: `${n} St\nLondon` },
        ...{
          streetAddress: `${n} St`,
          locality: `L ${n}`,
          region: `R ${n}`,
          postalCode: `W${n}`,
          country: 'GB',
        },
      },
    ],
    entitlements: [{ value: `a${n}`, display: `A ${n}` }],
    roles: [{ value: `b${n}`, type: `x${n}`, primary: true }],
    [ENTERPRISE]: {
      ...{ employeeNumber: `7${n}`, costCenter: `${n}00`, organization: `O ${n}`, division: `D ${n}` },
      ...{ department: `E ${n}`, manager: { value: `00u${n}`, displayName: `Charles ${n}` } },
    },
  });
  const [first, later] = [mapped(1), mapped(2)];

  it('is what POST, PUT and PATCH have given, and a PUT of what was read makes no version', async () => {
    const get = async (id: string) => {
      const { id: _id, meta, ...given } = (await scim.get(`/Users/${id}`).expect(200)).body;
      return { version: meta.version, given };
    };
    const { schemas: _schemas, ...changed } = later;
    const operations = Object.entries(changed).map(([path, value]) => ({ op: 'replace', path, value }));
    for (const [how, write] of Object.entries({
      PUT: (path: string) => scim.put(path, later),
      'PATCH without a path': (path: string) => scim.change(path, { op: 'replace', value: changed }),
      'PATCH with paths': (path: string) => scim.change(path, ...operations),
    })) {
      const { id } = (await scim.post('/Users', first).expect(201)).body;
      expect((await get(id)).given).toEqual(first);
      await write(`/Users/${id}`).expect(200);
      const { given, version } = await get(id);
      expect({ how, given }).toEqual({ how, given: later });
      const { body: read } = await scim.get(`/Users/${id}`).expect(200);
      expect((await scim.put(`/Users/${id}`, read).expect(200)).body.meta.version).toBe(version);
      await scim.delete(`/Users/${id}`).expect(204);
    }
  });
});
