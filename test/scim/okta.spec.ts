import { type Body, useScim } from '../support/scim';

// The default mapping of Okta's SCIM 2.0 apps: the attribute here, what Okta gives at first, and what it gives later.

const { scim } = useScim();

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

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
  given(
    (
      await scim
        .patch(`/Users/${id}`, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations })
        .expect(200)
    ).body,
  );

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
