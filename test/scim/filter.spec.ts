import fc from 'fast-check';
import { parseFilter } from '../../src/scim/filter/filter';
import { GROUP } from '../../src/scim/schema/group.schema';
import { ScimError } from '../../src/scim/schema/scim-error';
import { ENTERPRISE_URN as EXT, USER, USER_URN } from '../../src/scim/schema/user.schema';
import { Projection } from '../../src/scim/wire/projection';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const eq = (path: string, value: unknown, type?: string) => [
  { path, op: 'eq', value, ...(type && { type }) },
];

describe('a filter of users', () => {
  it.each<[string, unknown]>([
    ['userName eq "ada"', eq('userName', 'ada')],
    ['USERNAME Eq "ada"', eq('userName', 'ada')],
    [`${CORE}:userName eq "ada"`, eq('userName', 'ada')],
    [`${CORE.toUpperCase()}:name.familyname eq "L"`, eq('name.familyName', 'L')],
    ['  id   eq\t"usr_1"  ', eq('id', 'usr_1')],
    ['externalId eq "a \\"b\\" \\u00e9 and (c]"', eq('externalId', 'a "b" é and (c]')],
    ['active eq true', eq('active', true)],
    ['active eq "True"', eq('active', true)],
    ['active eq False', eq('active', false)],
    ['emails.value eq "a@b.co"', eq('emails.value', 'a@b.co')],
    ['emails[type eq "work"].value eq "a@b.co"', eq('emails.value', 'a@b.co', 'work')],
    ['emails[value eq "a@b.co"]', eq('emails.value', 'a@b.co')],
    ['emails[type eq "work" and value eq "a@b.co"]', eq('emails.value', 'a@b.co', 'work')],
    ['Emails[Value EQ "a@b.co" AND Type eq "work"]', eq('emails.value', 'a@b.co', 'work')],
    [`${CORE}:emails[type eq "work"].value eq "x"`, eq('emails.value', 'x', 'work')],
    ['groups.value eq "grp_1"', eq('groups.value', 'grp_1')],
    ['manager eq "m"', eq('manager.value', 'm')],
    [`${ENTERPRISE}:manager eq "m"`, eq('manager.value', 'm')],
    ['manager.value eq "m"', eq('manager.value', 'm')],
    [`${ENTERPRISE}:employeeNumber eq "7"`, eq('employeeNumber', '7')],
    ['department eq "R&D"', eq('department', 'R&D')],
    ['(userName eq "a")', eq('userName', 'a')],
    ['((userName eq "a") and (active eq true))', [...eq('userName', 'a'), ...eq('active', true)]],
    [`id eq "usr_1" and ${ENTERPRISE}:manager eq "m"`, [...eq('id', 'usr_1'), ...eq('manager.value', 'm')]],
    [
      'meta.lastModified ge "2026-01-31T09:30:00Z" and meta.created LT "2026-01-31T09:30:00.123+02:00"',
      [
        { path: 'meta.lastModified', op: 'ge', value: new Date('2026-01-31T09:30:00Z') },
        { path: 'meta.created', op: 'lt', value: new Date('2026-01-31T07:30:00.123Z') },
      ],
    ],
  ])('%s', (filter, comparisons) => {
    expect(parseFilter(USER, filter)).toEqual(comparisons);
  });

  it.each<unknown>([
    '',
    ' ',
    'userName',
    'userName eq',
    'userName eq ada',
    "userName eq 'ada'",
    'userName eq "ada',
    'userName eq "a\\q"',
    'userName eq null',
    'userName eq 1',
    'userName eq true',
    'userName eq "a" b',
    'userName eq "a" and',
    'and userName eq "a"',
    'userName eq "a" or active eq true',
    'not (userName eq "a")',
    'userName pr',
    'userName co "a"',
    'userName ne "a"',
    'userName gt "a"',
    'active eq "yes"',
    'active eq (true)',
    'meta.created eq "yesterday"',
    'meta.created eq "2026-02-31T00:00:00Z"',
    'meta.created gt "2026-13-01T00:00:00Z"',
    'meta.created gt "2026-01-01T00:00:00"',
    'meta.version eq "1"',
    'title eq "x"',
    'nope eq "x"',
    'name eq "x"',
    'emails eq "x"',
    'emails.type eq "work"',
    'emails[type eq "work"]',
    'emails[primary eq true].value eq "x"',
    'emails[type eq "work" and type eq "home"].value eq "x"',
    'emails[type eq "work"].display eq "x"',
    'emails[value eq "x"].value eq "x"',
    'emails.value[type eq "work"] eq "x"',
    'phoneNumbers[value eq "1"]',
    'emails[].value eq "x"',
    'emails[type eq "work".value eq "x"',
    'userName[value eq "x"]',
    'groups[value eq "x"]',
    'password eq "x"',
    ENTERPRISE,
    `${ENTERPRISE} eq "x"`,
    `${CORE}:manager eq "x"`,
    'userName:eq "x"',
    '(userName eq "a"',
    'userName eq "a")',
    `${'('.repeat(21)}active eq true${')'.repeat(21)}`,
    Array(21).fill('active eq true').join(' and '),
    `userName eq "${'x'.repeat(4096)}"`,
    'constructor eq "x"',
    '__proto__.x eq "x"',
    42,
    ['userName eq "a"'],
    undefined,
  ])('refuses %j', (filter) => {
    expect(() => parseFilter(USER, filter)).toThrow(
      expect.objectContaining({ scimType: 'invalidFilter', detail: expect.any(String) }),
    );
  });

  it('throws nothing but 400 invalidFilter, whatever is sent', () => {
    const word = fc.constantFrom(
      ...['userName', 'emails', 'meta.created', 'manager', ENTERPRISE, 'eq', 'and', 'gt', '[', ']', '(', ')'],
      ...[
        '.value',
        '"a"',
        '"2026-01-31T09:30:00Z"',
        '"',
        '\\',
        'true',
        ':',
        '1',
        ' ',
        '$ref',
        '\0',
        '\ud800',
      ],
    );
    const filters = fc.oneof(
      fc.string(),
      fc.array(word, { maxLength: 30 }).map((words) => words.join(' ')),
    );
    fc.assert(
      fc.property(filters, (filter) => {
        try {
          parseFilter(USER, filter);
        } catch (error) {
          expect(error).toBeInstanceOf(ScimError);
          expect(error).toMatchObject({ scimType: 'invalidFilter' });
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('gives back any string that it is given as JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (value) => {
        expect(parseFilter(USER, `externalId eq ${JSON.stringify(value)}`)).toEqual(eq('externalId', value));
      }),
    );
  });
});

describe('a filter of groups', () => {
  it.each<[string, unknown]>([
    ['displayName eq "Ops"', eq('displayName', 'Ops')],
    ['members eq "usr_1"', eq('members.value', 'usr_1')],
    ['members.value eq "usr_1"', eq('members.value', 'usr_1')],
    ['members[value eq "usr_1"]', eq('members.value', 'usr_1')],
    ['id eq "grp_1" and members eq "usr_1"', [...eq('id', 'grp_1'), ...eq('members.value', 'usr_1')]],
  ])('%s', (filter, comparisons) => {
    expect(parseFilter(GROUP, filter)).toEqual(comparisons);
  });

  it.each(['userName eq "a"', 'members[type eq "User"]', 'members.display eq "x"', 'active eq true'])(
    'refuses %s',
    (filter) => {
      expect(() => parseFilter(GROUP, filter)).toThrow(
        expect.objectContaining({ scimType: 'invalidFilter' }),
      );
    },
  );
});

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

/** Whether a bracket has no end. One in a quoted string is none; outside of brackets, a quote is any character. */
function hasOpenFilter(name: string): boolean {
  let place: 'name' | 'filter' | 'string' = 'name';
  for (let i = 0; i < name.length; i++)
    if (place === 'string') {
      if (name[i] === '\\') i++;
      else if (name[i] === '"') place = 'filter';
    } else if (place === 'filter') {
      if (name[i] === '"') place = 'string';
      else if (name[i] === ']') place = 'name';
    } else if (name[i] === '[') place = 'filter';
  return place !== 'name';
}

it('always shows id and schemas, and nothing that is not there', () => {
  const names = fc.array(
    fc.oneof(
      fc.string(),
      fc.constantFrom(...Object.keys(ADA), 'name.givenName', 'manager', '[', '["', '["]'),
    ),
  );
  fc.assert(
    fc.property(names, fc.constantFrom('attributes', 'excludedAttributes'), (list, parameter) => {
      if (list.some(hasOpenFilter))
        return expect(() => project({ [parameter]: list })).toThrow('must end with ]');
      const shown = project({ [parameter]: list });
      expect(shown).toMatchObject({ id, schemas });
      expect(ADA).toMatchObject(shown);
    }),
  );
});
