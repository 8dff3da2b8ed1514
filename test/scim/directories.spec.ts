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
      await patch(id, removal(ada)).expect(204);
      await patch(id, removal(ada)).expect(204);
      expect(await scim.find(matching, `id eq "${id}" and members eq "${ada}"`)).toMatchObject({
        totalResults: 0,
      });
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
});

describe('the mapping of Okta', () => {
  // The default mapping of Okta's SCIM 2.0 apps: the attribute here, what Okta gives at first, and what it gives later.

  type Part = Record<string, unknown>;
  const extended = (part: Part): Part => ({ [ENTERPRISE]: part });
  const phone = (type: string, value: string, primary?: boolean) => ({
    phoneNumbers: [{ value, type, ...(primary && { primary }) }],
  });
  const address = (part: Part) => ({ addresses: [{ type: 'home', primary: true, ...part }] });

  const MAPPING: [attribute: string, first: Part, later: Part][] = [
    ['userName', { userName: 'ada@example.com' }, { userName: 'lady@example.com' }],
    ['givenName', { name: { givenName: 'Ada' } }, { name: { givenName: 'Augusta Ada' } }],
    ['familyName', { name: { familyName: 'Byron' } }, { name: { familyName: 'King' } }],
    ['middleName', { name: { middleName: 'A.' } }, { name: { middleName: 'B.' } }],
    ['honorificPrefix', { name: { honorificPrefix: 'Miss' } }, { name: { honorificPrefix: 'Lady' } }],
    ['honorificSuffix', { name: { honorificSuffix: 'I' } }, { name: { honorificSuffix: 'II' } }],
    [
      'email, secondEmail and their types',
      { emails: [{ value: 'ada@example.com', type: 'work', primary: true }] },
      {
        emails: [
          { value: 'lady@example.com', type: 'work', primary: true },
          { value: 'ada@home.example.com', type: 'home', primary: false },
        ],
      },
    ],
    ['title', { title: 'Analyst' }, { title: 'Countess' }],
    ['displayName', { displayName: 'Ada B.' }, { displayName: 'Ada K.' }],
    ['nickName', { nickName: 'Ada' }, { nickName: 'Enchantress' }],
    ['profileUrl', { profileUrl: 'https://example.com/ada' }, { profileUrl: 'example.com/lady' }],
    ['primaryPhone and its type', phone('work', '+44 1', true), phone('home', '+44 2', true)],
    ['mobilePhone', phone('mobile', '+44 3'), phone('mobile', '+44 4')],
    ['addressType', address({ country: 'GB' }), address({ country: 'GB', type: 'other' })],
    ['streetAddress', address({ streetAddress: '1 St' }), address({ streetAddress: '12 St' })],
    ['locality', address({ locality: 'London' }), address({ locality: 'Ockham' })],
    ['region', address({ region: 'London' }), address({ region: 'Surrey' })],
    ['postalCode', address({ postalCode: 'W1' }), address({ postalCode: 'GU23' })],
    ['country', address({ country: 'GB' }), address({ country: 'FR' })],
    ['formatted', address({ formatted: '1 St\nLondon' }), address({ formatted: '12 St\nOckham' })],
    ['preferredLanguage', { preferredLanguage: 'en' }, { preferredLanguage: 'fr' }],
    ['locale', { locale: 'en_GB' }, { locale: 'fr_FR' }],
    ['timezone', { timezone: 'Europe/London' }, { timezone: 'Europe/Paris' }],
    ['userType', { userType: 'Intern' }, { userType: 'Employee' }],
    ['entitlements', { entitlements: [{ value: 'a' }] }, { entitlements: [{ value: 'b', display: 'B' }] }],
    ['roles', { roles: [{ value: 'a' }] }, { roles: [{ value: 'b', type: 'x', primary: true }] }],
    ['employeeNumber', extended({ employeeNumber: '7' }), extended({ employeeNumber: '8' })],
    ['costCenter', extended({ costCenter: '100' }), extended({ costCenter: '200' })],
    ['organization', extended({ organization: 'A' }), extended({ organization: 'B' })],
    ['division', extended({ division: 'A' }), extended({ division: 'B' })],
    ['department', extended({ department: 'A' }), extended({ department: 'B' })],
    [
      'managerValue and managerDisplayName',
      extended({ manager: { value: '00u1', displayName: 'Charles' } }),
      extended({ manager: { value: '00u2', displayName: 'Mary' } }),
    ],
  ];

  const whole = (parts: Part) => ({
    schemas: parts[ENTERPRISE] ? [USER, ENTERPRISE] : [USER],
    userName: 'ada@example.com',
    active: true,
    ...parts,
  });

  const given = ({ id: _id, meta: _meta, ...parts }: Body) => parts;
  const create = async (parts: Part): Promise<string> =>
    (await scim.post('/Users', whole(parts)).expect(201)).body.id;
  const get = async (id: string) => given((await scim.get(`/Users/${id}`).expect(200)).body);
  const patch = async (id: string, ...Operations: object[]) =>
    given((await scim.change(`/Users/${id}`, ...Operations).expect(200)).body);

  describe.each(MAPPING)('%s', (_attribute, first, later) => {
    it('is what POST and then PUT have given', async () => {
      const id = await create(first);
      expect(await get(id)).toEqual(whole(first));
      await scim.put(`/Users/${id}`, whole(later)).expect(200);
      expect(await get(id)).toEqual(whole(later));
    });

    it('is what PATCH has given, with a path or without', async () => {
      const operations = Object.entries(later).map(([path, value]) => ({ op: 'replace', path, value }));
      for (const operation of [[{ op: 'replace', value: later }], operations]) {
        const id = await create(first);
        expect(await patch(id, ...operation)).toEqual(whole(later));
        expect(await get(id)).toEqual(whole(later));
        await scim.delete(`/Users/${id}`).expect(204);
      }
    });
  });

  it('gives back everything at once', async () => {
    const all = MAPPING.map(([, , later]) => later);
    const everything = Object.assign({}, ...all, {
      name: Object.assign({}, ...all.map(({ name }) => name)),
      [ENTERPRISE]: Object.assign({}, ...all.map((part) => part[ENTERPRISE])),
    });
    const id = await create(everything);
    expect(await get(id)).toEqual(whole(everything));
    const { version } = (await scim.get(`/Users/${id}`).expect(200)).body.meta;
    const { body } = await scim.put(`/Users/${id}`, await get(id)).expect(200);
    expect(body.meta.version).toBe(version);
  });
});
