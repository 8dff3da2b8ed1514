import fc from 'fast-check';
import { applyPatch } from '../../src/scim/patch/patch';
import { type Complex, normalize } from '../../src/scim/schema/resource';
import { ScimError } from '../../src/scim/schema/scim-error';
import { ENTERPRISE_URN as EXT, USER, USER_URN } from '../../src/scim/schema/user.schema';
import { createdUser, replacedUser } from '../../src/scim/users/user-fields';
import { PATCH_OP } from '../support/scim';

/** The attributes of a user, which a directory changes. */
const ADA = {
  userName: 'ada',
  active: true,
  displayName: 'Ada L.',
  title: 'Countess',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [
    { value: 'ada@work.co', type: 'work', primary: true },
    { value: 'ada@home.co', type: 'home' },
  ],
  roles: [{ value: 'member', primary: true }],
  [EXT]: { employeeNumber: '7', manager: { value: 'm1' } },
};

/** The attributes of ADA after a PATCH with the body. */
function patched(body: unknown): Complex {
  const steps = applyPatch(USER, ADA as unknown as Complex, body);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The attributes of ADA after the operations. */
const patch = (...operations: unknown[]) => patched({ schemas: [PATCH_OP], Operations: operations });

const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
const add = (path: string, value: unknown) => ({ op: 'add', path, value });
const remove = (path: string, value?: unknown) => ({ op: 'remove', path, value });
const all = (value: unknown, op = 'replace') => ({ op, value });
const inKeys = (count: number) =>
  all(Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, 0])));
const [work, home] = ADA.emails;
const inExtension = (part: object) => ({ [EXT]: { employeeNumber: '7', ...part } });
/** What several changes of the given name leave. */
const RENAMED = { name: { givenName: 'A', familyName: 'Lovelace' } };
/** What several changes of the work address leave. */
const MOVED = { emails: [{ ...work, value: 'x@y.co' }, home] };
const PUSHED = { emails: [{ value: 'x@y.co' }] };

/** ADA with these attributes; undefined stands for one that is gone. */
const ada = (changes: object) =>
  Object.fromEntries(Object.entries({ ...ADA, ...changes }).filter(([, value]) => value !== undefined));

describe('applyPatch()', () => {
  it.each<[string, unknown[], object]>([
    ['nothing', [], {}],
    ['op and path in any case', [{ OP: 'RePlace', Path: 'TITLE', VALUE: 'Ms' }], { title: 'Ms' }],
    ['a path with the URN', [replace(`${USER_URN}:title`, 'Ms')], { title: 'Ms' }],
    ['add to a single value replaces it', [add('title', 'Ms')], { title: 'Ms' }],
    ['an array of one', [replace('title', ['Ms'])], { title: 'Ms' }],
    ['null removes', [replace('title', null)], { title: undefined }],
    ['"" removes', [replace('title', '')], { title: undefined }],
    ['[] removes', [replace('title', [])], { title: undefined }],
    ['remove', [remove('title')], { title: undefined }],
    [
      'remove of what is not there',
      [remove('externalId'), remove('name.middleName'), remove('phoneNumbers')],
      {},
    ],
    ['active as text', [replace('active', 'False')], { active: false }],
    ['active in an array', [replace('active', ['false'])], { active: false }],
    ['a sub-attribute', [replace('name.givenName', 'A')], RENAMED],
    ['a sub-attribute removed', [replace('name.givenName', '')], { name: { familyName: 'Lovelace' } }],
    [
      'the last sub-attribute removed',
      [remove('name.givenName'), remove('name.familyName')],
      { name: undefined },
    ],
    ['add merges a complex value', [add('name', { givenName: 'A' })], RENAMED],
    ['add with null in it', [add('name', { givenName: null })], { name: { familyName: 'Lovelace' } }],
    ['replace replaces a complex value', [replace('name', { givenName: 'A' })], { name: { givenName: 'A' } }],
    ['replace with nothing known', [replace('name', { nope: 'A' })], { name: undefined }],
    ['null for a complex value', [replace('name', null)], { name: undefined }],
    ['without a path', [all({ title: 'Ms', active: 'false' })], { title: 'Ms', active: false }],
    ['without a path, complex: merged', [all({ name: { givenName: 'A' } })], RENAMED],
    [
      'without a path, null',
      [all({ title: null, displayName: '' })],
      { title: undefined, displayName: undefined },
    ],
    ['without a path, dotted', [all({ 'name.givenName': 'A' })], RENAMED],
    [
      'without a path, filters',
      [all({ 'emails[type eq "home"].value': 'x@y.co' })],
      { emails: [work, { ...home, value: 'x@y.co' }] },
    ],
    [
      'without a path, undeclared and read-only',
      [all({ id: 'x', schemas: [], nope: 1, 'name.nope': 1, groups: [], meta: {}, 'emails[': 1 })],
      {},
    ],
    ['without a path, a list replaced', [all({ emails: [{ value: 'x@y.co' }] })], PUSHED],
    [
      'without a path, a list added to',
      [all({ emails: [{ value: 'x@y.co' }] }, 'Add')],
      { emails: [work, home, { value: 'x@y.co' }] },
    ],
    ['an empty path', [{ op: 'add', path: '', value: { title: 'Ms' } }], { title: 'Ms' }],
    [
      'in order',
      [replace('title', 'a'), replace('title', 'b'), remove('displayName'), add('displayName', 'c')],
      { title: 'b', displayName: 'c' },
    ],
    ['a password', [replace('password', 'secret'), all({ password: 'secret' }), remove('password')], {}],

    ['a filter', [replace('emails[type eq "work"].value', 'x@y.co')], MOVED],
    ['a filter in any case', [replace('EMAILS[TYPE EQ "WORK"].VALUE', 'x@y.co')], MOVED],
    [
      'a filter with two conditions',
      [replace('emails[type eq "work" and primary eq "true"].value', 'x@y.co')],
      MOVED,
    ],
    [
      'primary as text',
      [replace('roles[primary eq "True"].value', 'admin')],
      { roles: [{ value: 'admin', primary: true }] },
    ],
    ['primary eq false finds what has none', [remove('emails[primary eq false]')], { emails: [work] }],
    [
      'a filter without a match makes the element',
      [add('phoneNumbers[type eq "mobile"].value', '1')],
      { phoneNumbers: [{ type: 'mobile', value: '1' }] },
    ],
    [
      'several parts of one new element',
      ['locality', 'country'].map((sub) =>
        replace(`addresses[type eq "work" and primary eq "true"].${sub}`, sub),
      ),
      { addresses: [{ type: 'work', primary: true, locality: 'locality', country: 'country' }] },
    ],
    [
      'an element whose value comes last',
      [add('phoneNumbers[type eq "fax"].primary', true), add('phoneNumbers[type eq "fax"].value', '1')],
      { phoneNumbers: [{ type: 'fax', primary: true, value: '1' }] },
    ],
    ['an element without a value', [add('phoneNumbers[type eq "fax"].primary', true)], {}],
    ['a filter with null', [replace('emails[type eq "home"].value', null)], { emails: [work] }],
    ['a filter with "" that matches nothing', [replace('phoneNumbers[type eq "fax"].value', '')], {}],
    ['remove by a filter', [remove('emails[type eq "home"]')], { emails: [work] }],
    [
      'remove by a filter without a match',
      [remove('emails[type eq "other"]'), remove('emails[type eq "other"].value')],
      {},
    ],
    [
      'an element merged',
      [add('emails[type eq "work"]', { display: 'W' })],
      { emails: [{ ...work, display: 'W' }, home] },
    ],
    [
      'an element replaced',
      [replace('emails[type eq "work"]', { value: 'x@y.co' })],
      { emails: [{ type: 'work', value: 'x@y.co' }, home] },
    ],
    [
      'an element in an array of one',
      [replace('emails[type eq "work"]', [{ value: 'x@y.co' }])],
      { emails: [{ type: 'work', value: 'x@y.co' }, home] },
    ],
    [
      'an element named by its value',
      [replace('emails[value eq "ADA@home.co"].value', 'x@y.co')],
      { emails: [work, { ...home, value: 'x@y.co' }] },
    ],
    [
      'a list replaced',
      [replace('emails', [{ Value: 'x@y.co', TYPE: 'own', nope: 1 }])],
      { emails: [{ value: 'x@y.co', type: 'own' }] },
    ],
    ['a list replaced by one object', [replace('emails', { value: 'x@y.co' })], PUSHED],
    ['a list removed', [remove('roles')], { roles: undefined }],
    ['a list set to null', [replace('roles', null)], { roles: undefined }],
    ['a list replaced by []', [replace('roles', [])], { roles: undefined }],
    ['a list added to by []', [add('roles', [])], {}],
    ['a value that is there already', [add('emails', [{ type: 'home', value: 'ada@home.co' }])], {}],
    ['values of a list removed', [remove('emails', [{ value: 'ada@home.co' }])], { emails: [work] }],
    ['no values of a list removed', [remove('emails', [])], {}],

    ['the manager as text', [replace(`${EXT}:manager`, 'm2')], inExtension({ manager: { value: 'm2' } })],
    [
      'the manager as an object',
      [add(`${EXT}:manager`, { value: 'm2', displayName: 'M', $ref: '../m2' })],
      inExtension({ manager: { value: 'm2', displayName: 'M', $ref: '../m2' } }),
    ],
    [
      'the manager as a list',
      [add(`${EXT}:manager`, [{ $ref: '../m2', value: 'm2' }])],
      inExtension({ manager: { value: 'm2', $ref: '../m2' } }),
    ],
    [
      'another manager as text, after one with a name',
      [add(`${EXT}:manager`, { displayName: 'M' }), add(`${EXT}:manager`, 'm2')],
      inExtension({ manager: { value: 'm2' } }),
    ],
    ['the manager by its value', [replace('manager.value', 'm2')], inExtension({ manager: { value: 'm2' } })],
    ['the manager removed by ""', [replace(`${EXT}:manager`, '')], inExtension({})],
    ['the manager removed by an object', [replace('manager', { value: null })], inExtension({})],
    [
      'the extension without its URN',
      [replace('department', 'R&D')],
      inExtension({ ...ADA[EXT], department: 'R&D' }),
    ],
    ['the extension emptied', [remove('manager'), remove(`${EXT}:employeeNumber`)], { [EXT]: undefined }],
    [
      'the URN alone: add merges',
      [add(EXT, { department: 'R&D', manager: null })],
      inExtension({ department: 'R&D' }),
    ],
    [
      'the URN alone: replace replaces',
      [replace(EXT.toLowerCase(), { Department: 'R&D', nope: 1 })],
      { [EXT]: { department: 'R&D' } },
    ],
    ['the URN alone: remove', [remove(EXT)], { [EXT]: undefined }],
    ['the URN alone: null', [replace(EXT, null)], { [EXT]: undefined }],
    ['the URN as a key', [all({ [EXT]: { manager: 'm2' } })], inExtension({ manager: { value: 'm2' } })],
    [
      'a key with the URN',
      [all({ [`${EXT}:department`]: 'R&D' })],
      inExtension({ ...ADA[EXT], department: 'R&D' }),
    ],
  ])('%s', (_name, operations, changes) => {
    expect(patch(...operations)).toEqual(ada(changes));
  });

  it.each<[string, unknown]>([
    ['invalidValue', replace('userName', '')],
    ['invalidValue', remove('userName')],
    ['invalidValue', replace('userName', ' ')],
    ['invalidValue', all({ active: null })],
    ['invalidValue', replace('active', 'maybe')],
    ['invalidValue', replace('active', 1)],
    ['invalidValue', replace('title', 1)],
    ['invalidValue', replace('title', {})],
    ['invalidValue', replace('title', ['a', 'b'])],
    ['invalidValue', replace('name', 'Ada')],
    ['invalidValue', replace('name', [{ givenName: 'a' }, {}])],
    ['invalidValue', replace('name.givenName', true)],
    ['invalidValue', replace('emails', 'x@y.co')],
    ['invalidValue', replace('emails', ['x@y.co'])],
    ['invalidValue', add('emails', [{ value: 1 }])],
    ['invalidValue', replace('emails[type eq "work"]', 'x@y.co')],
    ['invalidValue', replace('emails[type eq "work"].primary', 'yes')],
    ['invalidValue', replace(EXT, 'x')],
    ['invalidValue', replace('manager', 1)],
    [
      'invalidValue',
      add(
        'emails',
        Array(201)
          .fill(0)
          .map((_, i) => ({ value: `${i}` })),
      ),
    ],
    ['noTarget', { op: 'remove' }],
    ['noTarget', { op: 'remove', path: '' }],
    ['invalidPath', replace('nope', 1)],
    ['invalidPath', replace('name.nope', 1)],
    ['invalidPath', replace(`${EXT}:userName`, 'x')],
    ['invalidPath', replace(`${USER_URN}:department`, 'x')],
    ['invalidPath', replace(USER_URN, {})],
    ['invalidPath', replace('emails[', 1)],
    ['invalidPath', replace('emails[type eq "work"', 1)],
    ['invalidPath', replace('emails[type eq work].value', 'x')],
    ['invalidPath', replace('emails[type co "work"].value', 'x')],
    ['invalidPath', replace('emails[type eq "work"].nope', 'x')],
    ['invalidPath', replace('emails[type eq "work"] value', 'x')],
    ['invalidPath', replace('emails[nope eq "work"].value', 'x')],
    ['invalidPath', replace('emails.value[type eq "work"]', 'x')],
    ['invalidPath', replace('name[givenName eq "a"].familyName', 'x')],
    ['invalidPath', replace('title.value', 'x')],
    ['invalidPath', replace('x'.repeat(1025), 'x')],
    ['invalidPath', replace('__proto__', {})],
    ['invalidPath', replace('constructor.prototype', {})],
    ['invalidPath', { op: 'add', path: 1, value: 1 }],
    ['mutability', replace('id', 'x')],
    ['mutability', remove('groups')],
    ['mutability', add('groups[value eq "g"].display', 'x')],
    ['mutability', replace('meta.version', 'x')],
    ['mutability', replace('schemas', [])],
    ['invalidSyntax', { op: 'move', path: 'title' }],
    ['invalidSyntax', { path: 'title', value: 'x' }],
    ['invalidSyntax', { op: 'add', value: 'x' }],
    ['invalidSyntax', { op: 'add', value: [] }],
    ['invalidSyntax', 'add'],
    ['invalidSyntax', null],
  ])('400 %s: %j', (scimType, operation) => {
    const before = structuredClone(ADA);
    expect(() => patch(replace('title', 'Ms'), operation)).toThrow(
      expect.objectContaining({ scimType, detail: expect.any(String) }),
    );
    expect(ADA).toEqual(before);
  });

  it.each<[string, unknown]>([
    ['invalidSyntax', null],
    ['invalidSyntax', []],
    ['invalidSyntax', {}],
    ['invalidSyntax', { schemas: [PATCH_OP], Operations: {} }],
    ['invalidSyntax', { schemas: ['urn:other'], Operations: [] }],
    ['invalidSyntax', { schemas: PATCH_OP, Operations: [] }],
    ['tooMany', { schemas: [PATCH_OP], Operations: Array(1001).fill(remove('title')) }],
    ['tooMany', { schemas: [PATCH_OP], Operations: [...Array(10).fill(inKeys(100)), remove('title')] }],
    [
      'tooMany',
      { schemas: [PATCH_OP], Operations: [...Array(600).fill(all({})), ...Array(401).fill(remove('title'))] },
    ],
  ])('400 %s for the body %#', (scimType, body) => {
    expect(() => patched(body)).toThrow(expect.objectContaining({ scimType }));
  });

  it('takes 1,000 changes, each key of an operation without a path being one', () => {
    const body = { Operations: [...Array(9).fill(inKeys(100)), ...Array(100).fill(replace('title', 'Ms'))] };
    expect(patched(body)).toEqual(ada({ title: 'Ms' }));
  });

  it('yields after each change, so that others are served between them', () => {
    const body = { Operations: [inKeys(100), replace('title', 'Ms')] };
    expect([...applyPatch(USER, ADA as unknown as Complex, body)]).toHaveLength(101);
  });

  it('finds elements in any case, also where lower case is longer', () => {
    const roles = [{ value: 'İstanbul' }, { value: 'ΣΟΦΙΑ' }];
    const removed = ['i\u0307STANBUL', 'σοφια'].map((value) => remove(`roles[value eq "${value}"]`));
    expect(patch(replace('roles', roles), ...removed)).toEqual(ada({ roles: undefined }));
  });

  it('takes names of the envelope in any case', () => {
    const body = { SCHEMAS: [PATCH_OP.toUpperCase()], operations: [replace('title', 'Ms')] };
    expect(patched(body)).toEqual(ada({ title: 'Ms' }));
  });

  it('names the attribute at fault and never the value', () => {
    expect(() => patch(replace('active', 'secret'))).toThrow('active must be true or false');
    expect(() => patch(replace('emails[value eq "secret" x', 1))).not.toThrow('secret');
  });
});

const primary = (value: string) => ({ value, primary: true });
const TWO = [primary('a@b.co'), { value: 'x' }, { value: 'c@d.co', primary: 'True' }];
const refused = { scimType: 'invalidValue', detail: 'At most one of emails can be primary' };

describe('two primary elements in one body', () => {
  const LISTS = USER.core.attributes.filter(({ subAttributes = [] }) =>
    subAttributes.some(({ name }) => name === 'primary'),
  );

  it.each(LISTS)('are refused in $name', ({ name, subAttributes }) => {
    const [{ name: value }] = subAttributes!;
    const elements = (...flags: unknown[]) => flags.map((flag) => ({ [value]: 'abcd', primary: flag }));
    const user = (list: object[]) => ({ userName: 'ada', [name]: list });
    const detail = `At most one of ${name} can be primary`;
    for (const list of [elements(true, true), elements('true', 'TRUE', false)])
      expect(() => normalize(USER, user(list))).toThrow(expect.objectContaining({ ...refused, detail }));
    expect(normalize(USER, user(elements(true, false, undefined)))).toHaveProperty(name);
  });

  it('are refused by POST, PUT and PATCH', () => {
    const body = { userName: 'ada', emails: TWO };
    for (const write of [
      () => createdUser(body),
      () => replacedUser(ADA as unknown as Complex, body),
      () => patch({ op: 'add', path: 'emails', value: TWO }),
      () => patch({ op: 'replace', path: 'emails', value: TWO }),
      () => patch({ op: 'add', value: { emails: TWO } }),
      () => patch({ op: 'replace', value: { emails: TWO } }),
    ])
      expect(write).toThrow(expect.objectContaining(refused));
  });

  it('count only where they have a value', () => {
    const emails = [primary('a@b.co'), { primary: true }, primary('')];
    expect(normalize(USER, { userName: 'ada', emails }).emails).toEqual([primary('a@b.co')]);
  });

  it('are refused where a filter names several elements', () => {
    const both = [
      { value: 'a@b.co', type: 'work' },
      { value: 'c@d.co', type: 'work', primary: true },
    ];
    for (const operation of [
      { op: 'replace', path: 'emails[type eq "work"].primary', value: true },
      { op: 'add', path: 'emails[type eq "work"]', value: { display: 'x', primary: true } },
      { op: 'replace', path: 'emails[type eq "work"]', value: { value: 'x', primary: true } },
      { op: 'replace', path: 'emails.primary', value: 'True' },
    ])
      expect(() => patch({ op: 'replace', path: 'emails', value: both }, operation)).toThrow(
        expect.objectContaining(refused),
      );
  });
});

describe('a new primary element takes it from the other', () => {
  const demoted = { ...work, primary: false };

  it.each<[string, object, object[]]>([
    ['added', { op: 'add', path: 'emails', value: [primary('x@y.co')] }, [demoted, home, primary('x@y.co')]],
    [
      'added without a path',
      { op: 'add', value: { emails: [primary('x@y.co')] } },
      [demoted, home, primary('x@y.co')],
    ],
    [
      'named by a filter',
      { op: 'replace', path: 'emails[type eq "home"].primary', value: true },
      [demoted, { ...home, primary: true }],
    ],
    [
      'put in the place of another',
      { op: 'replace', path: 'emails[type eq "home"]', value: primary('x@y.co') },
      [demoted, { type: 'home', ...primary('x@y.co') }],
    ],
    [
      'made by a filter',
      { op: 'add', path: 'emails[type eq "other"]', value: primary('x@y.co') },
      [demoted, home, { type: 'other', ...primary('x@y.co') }],
    ],
  ])('%s', (_what, operation, emails) => {
    expect(patch(operation).emails).toEqual(emails);
  });

  it('and gives it to a later operation', () => {
    const operations = ['x@y.co', 'y@z.co'].map((value) => ({
      op: 'add',
      path: 'emails',
      value: primary(value),
    }));
    expect(patch(...operations).emails).toEqual([
      demoted,
      home,
      { value: 'x@y.co', primary: false },
      primary('y@z.co'),
    ]);
  });

  it('keeps it when it only changes', () => {
    const value = { op: 'replace', path: 'emails[primary eq true].value', value: 'x@y.co' };
    const added = { op: 'add', path: 'emails', value: { value: 'y@z.co' } };
    expect(patch(value, added).emails).toEqual([{ ...work, value: 'x@y.co' }, home, { value: 'y@z.co' }]);
  });
});

describe('hostile PATCH bodies', () => {
  const names = [
    ...[
      'userName',
      'ACTIVE',
      'name',
      'name.givenName',
      'emails',
      'emails.value',
      'emails[type eq "work"].value',
    ],
    ...[
      'roles[primary eq "True"]',
      'manager',
      EXT,
      `${EXT}:manager.value`,
      'groups',
      'id',
      'nope',
      '__proto__',
    ],
    ...['emails[type eq', 'password', 'toString', ''],
  ];
  const name = fc.oneof(fc.constantFrom(...names), fc.string());
  const value = fc.oneof(
    fc.constantFrom(null, '', true, 'True', 'x@y.co', [], {}, [
      { value: 'x@y.co', primary: true, type: 'work' },
    ]),
    fc.jsonValue({ maxDepth: 3 }),
    fc.dictionary(name, fc.jsonValue({ maxDepth: 2 })),
    fc.array(
      fc.dictionary(fc.constantFrom('value', 'type', 'primary', 'display'), fc.jsonValue({ maxDepth: 1 })),
    ),
  );
  const operation = fc.oneof(
    fc.record(
      { op: fc.constantFrom('add', 'Replace', 'remove'), path: name, value },
      { requiredKeys: ['op'] },
    ),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const attempt = (write: () => Complex) => {
    try {
      return write();
    } catch (error) {
      expect(error).toBeInstanceOf(ScimError);
      expect((error as ScimError).getStatus()).toBe(400);
      return undefined;
    }
  };

  it('are refused by a ScimError, or leave a resource that is normalized', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 4 }), (operations) => {
        const before = structuredClone(ADA);
        const patched = attempt(() => patch(...operations));
        expect(ADA).toEqual(before);
        if (patched) expect(normalize(USER, patched)).toEqual(patched);
      }),
      { numRuns: 3000 },
    );
  });

  it('the same for any body, of a PATCH and of a PUT', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(name, value)), (body) => {
        attempt(() => patched(body));
        const resource = attempt(() => normalize(USER, body));
        if (resource) expect(normalize(USER, resource)).toEqual(resource);
      }),
      { numRuns: 3000 },
    );
  });
});
