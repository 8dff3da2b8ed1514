import fc from 'fast-check';
import { parseFilter } from '../../src/scim/filter/filter';
import { GROUP } from '../../src/scim/schema/group.schema';
import { ENTERPRISE_URN as EXT, USER, USER_URN } from '../../src/scim/schema/user.schema';
import { Projection } from '../../src/scim/wire/projection';
import { refusalOf } from '../support/scim';

const eq = (path: string, value: unknown, type?: string) => [
  { path, op: 'eq', value, ...(type && { type }) },
];

describe('a filter of users', () => {
  it('is read in every form, and in any letter case', () => {
    for (const [comparisons, ...filters] of [
      [eq('userName', 'ada'), 'userName eq "ada"', 'USERNAME Eq "ada"', `${USER_URN}:userName eq "ada"`],
      [eq('userName', 'ada'), '(userName eq "ada")'],
      [eq('name.familyName', 'L'), `${USER_URN.toUpperCase()}:name.familyname eq "L"`],
      [eq('id', 'usr_1'), '  id   eq\t"usr_1"  '],
      [eq('externalId', 'a "b" é and (c]'), 'externalId eq "a \\"b\\" \\u00e9 and (c]"'],
      [eq('active', true), 'active eq true', 'active eq "True"'],
      [eq('active', false), 'active eq False'],
      [eq('emails.value', 'a@b.co'), 'emails.value eq "a@b.co"', 'emails[value eq "a@b.co"]'],
      [
        eq('emails.value', 'a@b.co', 'work'),
        'emails[type eq "work"].value eq "a@b.co"',
        `${USER_URN}:emails[type eq "work"].value eq "a@b.co"`,
        'Emails[Value EQ "a@b.co" AND Type eq "work"]',
      ],
      [eq('groups.value', 'grp_1'), 'groups.value eq "grp_1"'],
      [eq('manager.value', 'm'), 'manager eq "m"', `${EXT}:manager eq "m"`, 'manager.value eq "m"'],
      [eq('employeeNumber', '7'), `${EXT}:employeeNumber eq "7"`, 'employeeNumber eq "7"'],
      [
        [...eq('userName', 'a'), ...eq('active', true)],
        'userName eq "a" and active eq true',
        '((userName eq "a") and (active eq true))',
      ],
      [
        [
          { path: 'meta.lastModified', op: 'ge', value: new Date('2026-01-31T09:30:00Z') },
          { path: 'meta.created', op: 'lt', value: new Date('2026-01-31T07:30:00.123Z') },
        ],
        'meta.lastModified ge "2026-01-31T09:30:00Z" and meta.created LT "2026-01-31T09:30:00.123+02:00"',
      ],
    ] as [object, ...string[]][])
      for (const filter of filters)
        expect([filter, parseFilter(USER, filter)]).toEqual([filter, comparisons]);
  });

  it('is refused if it is malformed, not supported or too long', () => {
    for (const [why, ...filters] of [
      ['it has no comparison', '', ' ', 'userName', 'userName eq', 'userName pr', 'userName:eq "x"', EXT],
      ['its value is no string', 'userName eq ada', "userName eq 'ada'", 'userName eq null', 'userName eq 1'],
      ['its value has no end or a wrong escape', 'userName eq "ada', 'userName eq "a\\q"'],
      ['its value is of another type', 'userName eq true', 'active eq "yes"', 'active eq (true)'],
      ['something follows or is missing', 'userName eq "a" b', 'userName eq "a" and', 'and userName eq "a"'],
      ['its operator is unknown', 'userName eq "a" or active eq true', 'not (userName eq "a")'],
      ['its operator is not supported', 'userName co "a"', 'userName ne "a"', 'userName gt "a"'],
      ['its time is none', 'meta.created eq "yesterday"', 'meta.created eq "2026-02-31T00:00:00Z"'],
      ['its time has no zone', 'meta.created gt "2026-01-01T00:00:00"'],
      ['its attribute has no index', 'meta.version eq "1"', 'title eq "x"', 'phoneNumbers[value eq "1"]'],
      ['its attribute is not declared', 'nope eq "x"', 'password eq "x"', `${USER_URN}:manager eq "x"`],
      ['its attribute is none', 'constructor eq "x"', '__proto__.x eq "x"'],
      ['its attribute has parts', 'name eq "x"', 'emails eq "x"', 'emails.type eq "work"', `${EXT} eq "x"`],
      ['only the type is named', 'emails[type eq "work"]', 'emails[type eq "work"].display eq "x"'],
      ['two types are named', 'emails[type eq "work" and type eq "home"].value eq "x"'],
      ['another part is named', 'emails[primary eq true].value eq "x"', 'emails[value eq "x"].value eq "x"'],
      ['its brackets are at a wrong place', 'emails.value[type eq "work"] eq "x"', 'userName[value eq "x"]'],
      [
        'its brackets have no end or are empty',
        'emails[type eq "work".value eq "x"',
        'emails[].value eq "x"',
      ],
      ['it has brackets for groups', 'groups[value eq "x"]'],
      ['a parenthesis is alone', '(userName eq "a"', 'userName eq "a")'],
      ['it is too deep', `${'('.repeat(21)}active eq true${')'.repeat(21)}`],
      ['it has too many comparisons', Array(21).fill('active eq true').join(' and ')],
      ['it is too long', `userName eq "${'x'.repeat(4096)}"`],
      ['it is no string', 42, ['userName eq "a"'], undefined],
    ] as [string, ...unknown[]][])
      for (const filter of filters)
        expect([why, filter, refusalOf(() => parseFilter(USER, filter))]).toEqual([
          why,
          filter,
          'invalidFilter',
        ]);
  });

  it('throws nothing but 400 invalidFilter, whatever is sent', () => {
    const word = fc.constantFrom(
      ...['userName', 'emails', 'meta.created', 'manager', EXT, 'eq', 'and', 'gt', '[', ']', '(', ')', '"'],
      ...['.value', '"a"', '"2026-01-31T09:30:00Z"', '\\', 'true', ':', '1', ' ', '$ref', '\0', '\ud800'],
    );
    const filters = fc.oneof(
      fc.string(),
      fc.array(word, { maxLength: 30 }).map((words) => words.join(' ')),
    );
    fc.assert(
      fc.property(filters, (filter) => {
        expect(['invalidFilter', undefined]).toContain(refusalOf(() => parseFilter(USER, filter)));
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

it('a filter of groups finds by name and by member alone', () => {
  expect(parseFilter(GROUP, 'displayName eq "Ops"')).toEqual(eq('displayName', 'Ops'));
  for (const filter of ['members eq "usr_1"', 'members.value eq "usr_1"', 'members[value eq "usr_1"]'])
    expect([filter, parseFilter(GROUP, filter)]).toEqual([filter, eq('members.value', 'usr_1')]);
  for (const filter of ['userName eq "a"', 'members[type eq "User"]', 'members.display eq "x"'])
    expect([filter, refusalOf(() => parseFilter(GROUP, filter))]).toEqual([filter, 'invalidFilter']);
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

it('attributes shows those that it names, and everything if it names none', () => {
  const values = { emails: [{ value: 'a@b.co' }, { value: 'c@d.co' }] };
  const manager = { [EXT]: { manager: { value: 'm' } } };
  for (const [shown, ...ways] of [
    [{ userName: 'ada' }, 'userName', 'userName,[type eq "work"]'],
    [{ userName: 'ada', active: false }, 'USERNAME, active', ['userName', 'active']],
    [{}, 'id', 'nope', 'name.middleName', 'nope[type eq "work"].value'],
    [{ name: ADA.name }, 'name'],
    [{ name: { givenName: 'Ada' } }, 'name.givenname'],
    [values, `${USER_URN}:emails.value`, 'emails[type eq "work"].value'],
    [manager, 'manager', `${EXT}:manager.value`, `${EXT}:manager[value eq "m"].value`],
    [{ [EXT]: { department: 'R&D' } }, `${EXT.toLowerCase()}:department`],
    [{ [EXT]: ADA[EXT] }, EXT],
    [{ meta: { version: 'W/"1"' } }, 'meta.version'],
    [{ emails: ADA.emails }, 'emails[type eq "work"]'],
    [TYPES, 'emails.type', 'emails[type eq "a" and value eq "b"].type,emails[primary eq true].type'],
    [{ ...TYPES, userName: 'ada' }, ['userName', 'Emails[type eq "a,b"].type']],
    [{ ...TYPES, userName: 'ada' }, 'emails[value eq "a,]\\"name,b"].type,userName'],
  ] as [object, ...unknown[]][])
    for (const attributes of ways)
      expect([attributes, project({ attributes })]).toEqual([attributes, { schemas, id, ...shown }]);
  for (const query of [{}, { attributes: '' }, { attributes: ',' }, { attributes: null }])
    expect(project(query)).toEqual(ADA);
});

it('excludedAttributes leaves out those that it names, but never id and schemas', () => {
  const values = { emails: [{ value: 'a@b.co' }, { value: 'c@d.co' }] };
  for (const [shown, ...ways] of [
    [ADA, [], 'id,schemas', 'nope'],
    [without('userName'), 'userName'],
    [without('emails', 'name'), 'emails,NAME', 'emails[type eq "x,id"],name.givenName,name.familyName'],
    [{ ...ADA, ...values }, 'emails.type', 'emails[type eq "x"].type'],
    [{ ...ADA, emails: [{ type: 'work' }] }, 'emails.value'],
    [{ ...ADA, [EXT]: { department: 'R&D' } }, 'manager'],
    [without(EXT), 'manager,department', EXT],
  ] as [object, ...unknown[]][])
    for (const excludedAttributes of ways)
      expect([excludedAttributes, project({ excludedAttributes })]).toEqual([excludedAttributes, shown]);
});

it('a filter without its end is refused, so that it excludes no fewer names', () => {
  const open = ['emails[', 'userName,emails[type eq "active,name', 'emails[type eq "work",name', ['emails[']];
  for (const parameter of ['attributes', 'excludedAttributes']) {
    for (const names of open) expect(() => project({ [parameter]: names })).toThrow('must end with ]');
    for (const names of [7, {}, [7], true])
      expect([names, refusalOf(() => project({ [parameter]: names }))]).toEqual([names, 'invalidValue']);
  }
});

it('tells what need not be read', () => {
  const shows = (query: object) => new Projection(USER, query).shows('groups');
  for (const attributes of [undefined, 'groups.value', 'groups[value eq "x"].display'])
    expect([attributes, shows({ attributes })]).toEqual([attributes, true]);
  expect(shows({ attributes: 'userName' })).toBe(false);
  expect(shows({ excludedAttributes: 'groups.display' })).toBe(true);
  for (const excludedAttributes of ['Groups', 'groups[value eq "x"]'])
    expect([excludedAttributes, shows({ excludedAttributes })]).toEqual([excludedAttributes, false]);
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
