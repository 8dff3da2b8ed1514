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
  ])('%j', (excludedAttributes, shown) => {
    expect(project({ excludedAttributes })).toEqual(shown);
  });
});

it('tells what need not be read', () => {
  const shows = (query: object) => new Projection(USER, query).shows('groups');
  expect(shows({})).toBe(true);
  expect(shows({ attributes: 'userName' })).toBe(false);
  expect(shows({ attributes: 'groups.value' })).toBe(true);
  expect(shows({ excludedAttributes: 'Groups' })).toBe(false);
  expect(shows({ excludedAttributes: 'groups.display' })).toBe(true);
});

it.each<unknown>([7, {}, [7], true])('refuses %j', (attributes) => {
  expect(() => project({ attributes })).toThrow(expect.objectContaining({ scimType: 'invalidValue' }));
});

it('always shows id and schemas, and nothing that is not there', () => {
  const names = fc.array(
    fc.oneof(fc.string(), fc.constantFrom(...Object.keys(ADA), 'name.givenName', 'manager')),
  );
  fc.assert(
    fc.property(names, fc.constantFrom('attributes', 'excludedAttributes'), (list, parameter) => {
      const shown = project({ [parameter]: list });
      expect(shown).toMatchObject({ id, schemas });
      expect(ADA).toMatchObject(shown);
    }),
  );
});
