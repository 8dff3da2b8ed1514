import fc from 'fast-check';
import { applyPatch } from '../../src/scim/patch/patch';
import { type Complex, normalize } from '../../src/scim/schema/resource';
import { ENTERPRISE_URN as EXT, USER, USER_URN } from '../../src/scim/schema/user.schema';
import { createdUser, replacedUser } from '../../src/scim/users/user-fields';
import { PATCH_OP, refusalOf } from '../support/scim';

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
const fax = 'phoneNumbers[type eq "fax"]';

/** ADA with these attributes; undefined stands for one that is gone. */
const ada = (changes: object) =>
  Object.fromEntries(Object.entries({ ...ADA, ...changes }).filter(([, value]) => value !== undefined));

const primary = (value: string) => ({ value, primary: true });

/** Each of these ways, of one operation or several, leaves ADA with these attributes. */
function expectLeft(changes: object, ...ways: (object | object[])[]) {
  for (const way of ways) expect({ way, left: patch(...[way].flat()) }).toEqual({ way, left: ada(changes) });
}

describe('applyPatch()', () => {
  it('changes a single value', () => {
    expectLeft(
      { title: 'Ms' },
      ...[add('title', 'Ms'), replace('title', ['Ms']), replace(`${USER_URN}:title`, 'Ms')],
      { OP: 'RePlace', Path: 'TITLE', VALUE: 'Ms' },
      { op: 'add', path: '', value: { title: 'Ms' } },
      [replace('title', 'a'), remove('title'), add('title', 'Ms')],
    );
    expectLeft(
      { title: undefined },
      ...[remove('title'), replace('title', null), replace('title', ''), replace('title', [])],
    );
    expectLeft({ active: false }, replace('active', 'False'), replace('active', ['false']));
    expectLeft({}, [], [remove('externalId'), remove('name.middleName'), remove('phoneNumbers')]);
    expectLeft({}, replace('password', 'x'), all({ password: 'x' }), remove('password'));
  });

  it('changes a complex value or its parts', () => {
    expectLeft(
      { name: { givenName: 'A', familyName: 'Lovelace' } },
      ...[replace('name.givenName', 'A'), add('name', { givenName: 'A' })],
      ...[all({ name: { givenName: 'A' } }), all({ 'name.givenName': 'A' })],
    );
    expectLeft({ name: { givenName: 'A' } }, replace('name', { givenName: 'A' }));
    expectLeft(
      { name: { familyName: 'Lovelace' } },
      ...[replace('name.givenName', ''), add('name', { givenName: null })],
    );
    expectLeft({ name: undefined }, ...[replace('name', { nope: 'A' }), replace('name', null)], [
      remove('name.givenName'),
      remove('name.familyName'),
    ]);
  });

  it('changes several attributes without a path, and none that is read-only or not declared', () => {
    expectLeft({ title: 'Ms', active: false }, all({ title: 'Ms', active: 'false' }));
    expectLeft({ title: undefined, displayName: undefined }, all({ title: null, displayName: '' }));
    expectLeft(
      {},
      all({ id: 'x', schemas: [], nope: 1, 'name.nope': 1, groups: [], meta: {}, 'emails[': 1 }),
    );
  });

  it('changes the elements of a list that a filter names', () => {
    expectLeft(
      { emails: [{ ...work, value: 'x@y.co' }, home] },
      replace('emails[type eq "work"].value', 'x@y.co'),
      replace('EMAILS[TYPE EQ "WORK"].VALUE', 'x@y.co'),
      replace('emails[type eq "work" and primary eq "True"].value', 'x@y.co'),
    );
    expectLeft(
      { emails: [work, { ...home, value: 'x@y.co' }] },
      all({ 'emails[type eq "home"].value': 'x@y.co' }),
      replace('emails[value eq "ADA@home.co"].value', 'x@y.co'),
    );
    expectLeft(
      { emails: [work] },
      ...[remove('emails[type eq "home"]'), remove('emails[primary eq false]')],
      replace('emails[type eq "home"].value', null),
    );
    expectLeft(
      { emails: [{ ...work, display: 'W' }, home] },
      add('emails[type eq "work"]', { display: 'W' }),
    );
    expectLeft(
      { emails: [{ type: 'work', value: 'x@y.co' }, home] },
      replace('emails[type eq "work"]', { value: 'x@y.co' }),
      replace('emails[type eq "work"]', [{ value: 'x@y.co' }]),
    );
  });

  it('makes the element that a filter does not find, once it has a value', () => {
    expectLeft({ phoneNumbers: [{ type: 'fax', value: '1' }] }, add(`${fax}.value`, '1'));
    expectLeft({ phoneNumbers: [{ type: 'fax', primary: true, value: '1' }] }, [
      add(`${fax}.primary`, true),
      add(`${fax}.value`, '1'),
    ]);
    expectLeft(
      { addresses: [{ type: 'work', primary: true, locality: 'locality', country: 'country' }] },
      ['locality', 'country'].map((sub) =>
        replace(`addresses[type eq "work" and primary eq "true"].${sub}`, sub),
      ),
    );
    expectLeft(
      {},
      add(`${fax}.primary`, true),
      replace(`${fax}.value`, ''),
      remove(fax),
      remove(`${fax}.value`),
    );
  });

  it('changes a list as a whole', () => {
    const x = { value: 'x@y.co' };
    expectLeft({ emails: [x] }, replace('emails', x), all({ emails: [x] }));
    expectLeft(
      { emails: [{ ...x, type: 'own' }] },
      replace('emails', [{ Value: 'x@y.co', TYPE: 'own', nope: 1 }]),
    );
    expectLeft({ emails: [work, home, x] }, all({ emails: [x] }, 'Add'));
    expectLeft({ roles: undefined }, remove('roles'), replace('roles', null), replace('roles', []));
    expectLeft({ emails: [work] }, remove('emails', [{ value: 'ada@home.co' }]));
    expectLeft({}, add('roles', []), add('emails', [{ ...home }]), remove('emails', []));
  });

  it('changes the extension, and the manager in every form that directories send', () => {
    const extended = (part: object) => ({ [EXT]: { employeeNumber: '7', ...part } });
    const reference = { value: 'm2', $ref: '../m2' };
    expectLeft(
      extended({ manager: { value: 'm2' } }),
      ...[replace(`${EXT}:manager`, 'm2'), replace('manager.value', 'm2'), all({ [EXT]: { manager: 'm2' } })],
      [add(`${EXT}:manager`, { displayName: 'M' }), add(`${EXT}:manager`, 'm2')],
    );
    expectLeft(extended({ manager: reference }), add('manager', reference), add('manager', [reference]));
    expectLeft(extended({}), replace(`${EXT}:manager`, ''), replace('manager', { value: null }));
    expectLeft(
      extended({ ...ADA[EXT], department: 'R&D' }),
      ...[replace('department', 'R&D'), all({ [`${EXT}:department`]: 'R&D' })],
    );
    expectLeft(extended({ department: 'R&D' }), add(EXT, { department: 'R&D', manager: null }));
    expectLeft({ [EXT]: { department: 'R&D' } }, replace(EXT.toLowerCase(), { Department: 'R&D', nope: 1 }));
    expectLeft(
      { [EXT]: undefined },
      ...[remove(EXT), replace(EXT, null), [remove('manager'), remove(`${EXT}:employeeNumber`)]],
    );
  });

  it.each<[string, ...unknown[]]>([
    [
      'invalidValue',
      ...[replace('userName', ''), remove('userName'), replace('userName', ' '), all({ active: null })],
      ...[replace('active', 'maybe'), replace('active', 1), replace('title', 1), replace('title', {})],
      ...[replace('title', ['a', 'b']), replace('name', 'Ada'), replace('name', [{ givenName: 'a' }, {}])],
      ...[replace('name.givenName', true), replace('emails', 'x@y.co'), replace('emails', ['x@y.co'])],
      ...[add('emails', [{ value: 1 }]), replace('emails[type eq "work"]', 'x@y.co')],
      ...[replace('emails[type eq "work"].primary', 'yes'), replace(EXT, 'x'), replace('manager', 1)],
      add(
        'emails',
        Array.from({ length: 201 }, (_, i) => ({ value: `${i}` })),
      ),
    ],
    ['noTarget', { op: 'remove' }, { op: 'remove', path: '' }],
    [
      'invalidPath',
      ...[replace('nope', 1), replace('name.nope', 1), replace(`${EXT}:userName`, 'x')],
      ...[replace(`${USER_URN}:department`, 'x'), replace(USER_URN, {}), replace('emails[', 1)],
      ...[replace('emails[type eq "work"', 1), replace('emails[type eq work].value', 'x')],
      ...[replace('emails[type co "work"].value', 'x'), replace('emails[type eq "work"].nope', 'x')],
      ...[replace('emails[type eq "work"] value', 'x'), replace('emails[nope eq "work"].value', 'x')],
      ...[replace('emails.value[type eq "work"]', 'x'), replace('name[givenName eq "a"].familyName', 'x')],
      ...[replace('title.value', 'x'), replace('x'.repeat(1025), 'x'), replace('__proto__', {})],
      ...[replace('constructor.prototype', {}), { op: 'add', path: 1, value: 1 }],
    ],
    [
      'mutability',
      ...[replace('id', 'x'), remove('groups'), add('groups[value eq "g"].display', 'x')],
      ...[replace('meta.version', 'x'), replace('schemas', [])],
    ],
    [
      'invalidSyntax',
      ...[
        { op: 'move', path: 'title' },
        { path: 'title', value: 'x' },
        { op: 'add', value: 'x' },
      ],
      ...[{ op: 'add', value: [] }, 'add', null],
    ],
  ])('400 %s, and nothing is changed', (scimType, ...operations) => {
    const before = structuredClone(ADA);
    for (const operation of operations)
      expect([operation, refusalOf(() => patch(replace('title', 'Ms'), operation))]).toEqual([
        operation,
        scimType,
      ]);
    expect(ADA).toEqual(before);
  });

  it('400 for a body that is no PATCH, or has more than 1,000 changes, each key without a path being one', () => {
    const bodyOf = (...Operations: unknown[]) => ({ schemas: [PATCH_OP], Operations });
    const tens = Array(10).fill(inKeys(100));
    for (const [scimType, ...bodies] of [
      ['invalidSyntax', null, [], {}, { ...bodyOf(), Operations: {} }],
      ['invalidSyntax', { ...bodyOf(), schemas: ['urn:other'] }, { ...bodyOf(), schemas: PATCH_OP }],
      ['tooMany', bodyOf(...Array(1001).fill(remove('title'))), bodyOf(...tens, remove('title'))],
      ['tooMany', bodyOf(...Array(600).fill(all({})), ...Array(401).fill(remove('title')))],
    ] as const)
      for (const body of bodies) expect([body, refusalOf(() => patched(body))]).toEqual([body, scimType]);
    const title = Array(100).fill(replace('title', 'Ms'));
    expect(patched(bodyOf(...tens.slice(1), ...title))).toEqual(ada({ title: 'Ms' }));
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

describe('two primary elements in one body', () => {
  const TWO = [primary('a@b.co'), { value: 'x' }, { value: 'c@d.co', primary: 'True' }];
  const refused = (list = 'emails') =>
    expect.objectContaining({ scimType: 'invalidValue', detail: `At most one of ${list} can be primary` });

  it('are refused in every list', () => {
    const lists = USER.core.attributes.filter(({ subAttributes = [] }) =>
      subAttributes.some(({ name }) => name === 'primary'),
    );
    expect(lists.map(({ name }) => name)).toContain('emails');
    for (const { name, subAttributes } of lists) {
      const [{ name: value }] = subAttributes!;
      const user = (...flags: unknown[]) => ({
        userName: 'ada',
        [name]: flags.map((flag) => ({ [value]: 'abcd', primary: flag })),
      });
      for (const body of [user(true, true), user('true', 'TRUE', false)])
        expect(() => normalize(USER, body)).toThrow(refused(name));
      expect(normalize(USER, user(true, false, undefined))).toHaveProperty(name);
    }
  });

  it('are refused by POST, PUT and PATCH', () => {
    const body = { userName: 'ada', emails: TWO };
    for (const write of [
      () => createdUser(body),
      () => replacedUser(ADA as unknown as Complex, body),
      () => patch(add('emails', TWO)),
      () => patch(replace('emails', TWO)),
      () => patch(all({ emails: TWO }, 'add')),
      () => patch(all({ emails: TWO })),
    ])
      expect(write).toThrow(refused());
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
      replace('emails[type eq "work"].primary', true),
      add('emails[type eq "work"]', { display: 'x', primary: true }),
      replace('emails[type eq "work"]', { value: 'x', primary: true }),
      replace('emails.primary', 'True'),
    ])
      expect(() => patch(replace('emails', both), operation)).toThrow(refused());
  });
});

it('a new primary element takes it from the other, and gives it to a later one', () => {
  const [x, y] = [primary('x@y.co'), primary('y@z.co')];
  const demoted = { ...work, primary: false };
  expectLeft({ emails: [demoted, home, x] }, add('emails', [x]), all({ emails: [x] }, 'add'));
  expectLeft(
    { emails: [demoted, { ...home, primary: true }] },
    replace('emails[type eq "home"].primary', true),
  );
  expectLeft({ emails: [demoted, { type: 'home', ...x }] }, replace('emails[type eq "home"]', x));
  expectLeft({ emails: [demoted, home, { type: 'other', ...x }] }, add('emails[type eq "other"]', x));
  expectLeft({ emails: [demoted, home, { ...x, primary: false }, y] }, [add('emails', x), add('emails', y)]);
});

it('a primary element that only changes stays the primary one', () => {
  const changed = replace('emails[primary eq true].value', 'x@y.co');
  expectLeft({ emails: [{ ...work, value: 'x@y.co' }, home, { value: 'y@z.co' }] }, [
    changed,
    add('emails', { value: 'y@z.co' }),
  ]);
});

describe('hostile PATCH bodies', () => {
  const names = [
    ...['userName', 'ACTIVE', 'name', 'name.givenName', 'emails', 'emails.value', 'manager', EXT, 'groups'],
    ...['emails[type eq "work"].value', 'roles[primary eq "True"]', `${EXT}:manager.value`, 'emails[type eq'],
    ...['id', 'nope', '__proto__', 'password', 'toString', ''],
  ];
  const name = fc.oneof(fc.constantFrom(...names), fc.string());
  const element = { value: 'x@y.co', primary: true, type: 'work' };
  const value = fc.oneof(
    fc.constantFrom(null, '', true, 'True', 'x@y.co', [], {}, [element]),
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

  /** The write is refused by a ScimError, or makes a resource that is normalized. */
  const attempt = (write: () => Complex) => {
    let written: Complex | undefined;
    refusalOf(() => void (written = write()));
    if (written) expect(normalize(USER, written)).toEqual(written);
  };

  it('are refused by a ScimError, or leave a resource that is normalized', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 4 }), (operations) => {
        const before = structuredClone(ADA);
        attempt(() => patch(...operations));
        expect(ADA).toEqual(before);
      }),
      { numRuns: 3000 },
    );
  });

  it('the same for any body, of a PATCH and of a PUT', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(name, value)), (body) => {
        attempt(() => patched(body));
        attempt(() => normalize(USER, body));
      }),
      { numRuns: 3000 },
    );
  });
});
