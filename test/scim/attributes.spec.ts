/**
 * @only embedded: it uses no database
 */
import fc from 'fast-check';
import { Projection } from '../../src/scim/wire/projection';
import { ENTERPRISE_URN as EXT, USER, USER_URN } from '../../src/scim/schema/user.schema';

const ADA = {
  schemas: [USER_URN, EXT],
  id: 'usr_1',
  userName: 'ada',
  active: false,
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ value: 'a@b.co', type: 'work' }, { value: 'c@d.co' }],
  [EXT]: { department: 'R&D', manager: { value: 'm' } },
  meta: { resourceType: 'User', version: 'W/"1"' },
};
const { schemas, id } = ADA;
const TYPES = { emails: [{ type: 'work' }] };
const project = (query: object) => new Projection(USER, query).apply(ADA);
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(ADA).filter(([name]) => !names.includes(name)));

describe('attributes', () => {
  it.each<[unknown, object]>([
    ['userName', { userName: 'ada' }],
    ['USERNAME, active', { userName: 'ada', active: false }],
    [['userName', 'active'], { userName: 'ada', active: false }],
    ['id', {}],
    ['nope', {}],
    ['name', { name: ADA.name }],
    ['name.givenname', { name: { givenName: 'Ada' } }],
    ['name.middleName', {}],
    ['emails.type', { emails: [{ type: 'work' }] }],
    [`${USER_URN}:emails.value`, { emails: [{ value: 'a@b.co' }, { value: 'c@d.co' }] }],
    ['manager', { [EXT]: { manager: { value: 'm' } } }],
    [`${EXT}:manager.value`, { [EXT]: { manager: { value: 'm' } } }],
    [`${EXT.toLowerCase()}:department`, { [EXT]: { department: 'R&D' } }],
    [EXT, { [EXT]: ADA[EXT] }],
    ['meta.version', { meta: { version: 'W/"1"' } }],
    ['emails[type eq "work"]', { emails: ADA.emails }],
    ['emails[type eq "work"].value', { emails: [{ value: 'a@b.co' }, { value: 'c@d.co' }] }],
    ['active,emails[value eq "a,]\\"name,b"].type,userName', { ...TYPES, active: false, userName: 'ada' }],
    ['emails[type eq "a" and value eq "b"].type,emails[primary eq true].type', TYPES],
    [['userName', 'Emails[type eq "a,b"].type'], { userName: 'ada', ...TYPES }],
    [`${USER_URN}:emails[type eq "work"].type`, TYPES],
    [`${EXT}:manager[value eq "m"].value`, { [EXT]: { manager: { value: 'm' } } }],
    ['userName,[type eq "work"]', { userName: 'ada' }],
    ['nope[type eq "work"].value', {}],
  ])('%j', (attributes, shown) => {
    expect(project({ attributes })).toEqual({ schemas, id, ...shown });
  });

  it.each([{}, { attributes: '' }, { attributes: ',' }, { attributes: null }, { excludedAttributes: [] }])(
    'shows everything for %j',
    (query) => expect(project(query)).toEqual(ADA),
  );
});

describe('excludedAttributes', () => {
  it.each<[unknown, object]>([
    ['userName', without('userName')],
    ['id,schemas', ADA],
    ['nope', ADA],
    ['emails,NAME', without('emails', 'name')],
    ['emails.type', { ...ADA, emails: [{ value: 'a@b.co' }, { value: 'c@d.co' }] }],
    ['emails.value', { ...ADA, emails: [{ type: 'work' }] }],
    ['name.givenName,name.familyName', without('name')],
    ['manager', { ...ADA, [EXT]: { department: 'R&D' } }],
    ['manager,department', without(EXT)],
    [EXT, without(EXT)],
    ['emails[type eq "x,name"],active', without('emails', 'active')],
    ['emails[type eq "x"].type', { ...ADA, emails: [{ value: 'a@b.co' }, { value: 'c@d.co' }] }],
  ])('%j', (excludedAttributes, shown) => {
    expect(project({ excludedAttributes })).toEqual(shown);
  });
});

it.each([
  'emails[',
  'userName,emails[type eq "active,name',
  'emails[type eq "work",phoneNumbers',
  ['emails['],
])('a filter without its end is refused, so that it excludes no fewer names: %j', (names) => {
  for (const parameter of ['attributes', 'excludedAttributes'])
    expect(() => project({ [parameter]: names })).toThrow('must end with ]');
});

it('tells what need not be read', () => {
  const shows = (query: object) => new Projection(USER, query).shows('groups');
  expect(shows({})).toBe(true);
  expect(shows({ attributes: 'userName' })).toBe(false);
  expect(shows({ attributes: 'groups.value' })).toBe(true);
  expect(shows({ excludedAttributes: 'Groups' })).toBe(false);
  expect(shows({ excludedAttributes: 'groups.display' })).toBe(true);
  expect(shows({ attributes: 'groups[value eq "x"].display' })).toBe(true);
  expect(shows({ excludedAttributes: 'groups[value eq "x"]' })).toBe(false);
});

it.each<unknown>([7, {}, [7], true])('refuses %j', (attributes) => {
  expect(() => project({ attributes })).toThrow(expect.objectContaining({ scimType: 'invalidValue' }));
});

it('always shows id and schemas, and nothing that is not there', () => {
  const names = fc.array(
    fc.oneof(
      fc.string(),
      fc.constantFrom(...Object.keys(ADA), 'name.givenName', 'manager', '[', '["', '["]'),
    ),
  );
  fc.assert(
    fc.property(names, fc.constantFrom('attributes', 'excludedAttributes'), (list, parameter) => {
      const isOpen = list.some((name) => /\[[^\]]*$/.test(name.replace(/"(?:[^"\\]|\\[^])*"?/g, '')));
      if (isOpen) return expect(() => project({ [parameter]: list })).toThrow('must end with ]');
      const shown = project({ [parameter]: list });
      expect(shown).toMatchObject({ id, schemas });
      expect(ADA).toMatchObject(shown);
    }),
  );
});
