/**
 * @only embedded: it uses no database
 */
import { applyPatch } from '../../src/scim/patch/patch';
import { ENTERPRISE_URN as EXT, USER, USER_URN } from '../../src/scim/schema/user.schema';
import type { Complex } from '../../src/scim/schema/resource';
import { ADA, patch, PATCH_OP, patched } from '../support/patches';

const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });
const add = (path: string, value: unknown) => ({ op: 'add', path, value });
const remove = (path: string, value?: unknown) => ({ op: 'remove', path, value });
const all = (value: unknown, op = 'replace') => ({ op, value });
const inKeys = (count: number) =>
  all(Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, 0])));
const [work, home] = ADA.emails;

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
    [
      'a sub-attribute',
      [replace('name.givenName', 'A')],
      { name: { givenName: 'A', familyName: 'Lovelace' } },
    ],
    ['a sub-attribute removed', [replace('name.givenName', '')], { name: { familyName: 'Lovelace' } }],
    [
      'the last sub-attribute removed',
      [remove('name.givenName'), remove('name.familyName')],
      { name: undefined },
    ],
    [
      'add merges a complex value',
      [add('name', { givenName: 'A' })],
      { name: { givenName: 'A', familyName: 'Lovelace' } },
    ],
    ['add with null in it', [add('name', { givenName: null })], { name: { familyName: 'Lovelace' } }],
    ['replace replaces a complex value', [replace('name', { givenName: 'A' })], { name: { givenName: 'A' } }],
    ['replace with nothing known', [replace('name', { nope: 'A' })], { name: undefined }],
    ['null for a complex value', [replace('name', null)], { name: undefined }],
    ['without a path', [all({ title: 'Ms', active: 'false' })], { title: 'Ms', active: false }],
    [
      'without a path, complex: merged',
      [all({ name: { givenName: 'A' } })],
      { name: { givenName: 'A', familyName: 'Lovelace' } },
    ],
    [
      'without a path, null',
      [all({ title: null, displayName: '' })],
      { title: undefined, displayName: undefined },
    ],
    [
      'without a path, dotted',
      [all({ 'name.givenName': 'A' })],
      { name: { givenName: 'A', familyName: 'Lovelace' } },
    ],
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
    [
      'without a path, a list replaced',
      [all({ emails: [{ value: 'x@y.co' }] })],
      { emails: [{ value: 'x@y.co' }] },
    ],
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

    [
      'a filter',
      [replace('emails[type eq "work"].value', 'x@y.co')],
      { emails: [{ ...work, value: 'x@y.co' }, home] },
    ],
    [
      'a filter in any case',
      [replace('EMAILS[TYPE EQ "WORK"].VALUE', 'x@y.co')],
      { emails: [{ ...work, value: 'x@y.co' }, home] },
    ],
    [
      'a filter with two conditions',
      [replace('emails[type eq "work" and primary eq "true"].value', 'x@y.co')],
      { emails: [{ ...work, value: 'x@y.co' }, home] },
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
    [
      'a list replaced by one object',
      [replace('emails', { value: 'x@y.co' })],
      { emails: [{ value: 'x@y.co' }] },
    ],
    ['a list removed', [remove('roles')], { roles: undefined }],
    ['a list set to null', [replace('roles', null)], { roles: undefined }],
    ['a list replaced by []', [replace('roles', [])], { roles: undefined }],
    ['a list added to by []', [add('roles', [])], {}],
    ['a value that is there already', [add('emails', [{ type: 'home', value: 'ada@home.co' }])], {}],
    ['values of a list removed', [remove('emails', [{ value: 'ada@home.co' }])], { emails: [work] }],
    ['no values of a list removed', [remove('emails', [])], {}],
    [
      'primary of one element',
      [replace('emails[type eq "home"].primary', 'True')],
      {
        emails: [
          { ...work, primary: false },
          { ...home, primary: true },
        ],
      },
    ],
    [
      'a new primary element',
      [add('emails', [{ value: 'x@y.co', primary: true }])],
      { emails: [{ ...work, primary: false }, home, { value: 'x@y.co', primary: true }] },
    ],
    [
      'a new primary element by a filter',
      [add('emails[type eq "other" and primary eq true].value', 'x@y.co')],
      { emails: [{ ...work, primary: false }, home, { type: 'other', primary: true, value: 'x@y.co' }] },
    ],

    [
      'the manager as text',
      [replace(`${EXT}:manager`, 'm2')],
      { [EXT]: { employeeNumber: '7', manager: { value: 'm2' } } },
    ],
    [
      'the manager as an object',
      [add(`${EXT}:manager`, { value: 'm2', displayName: 'M', $ref: '../m2' })],
      { [EXT]: { employeeNumber: '7', manager: { value: 'm2', displayName: 'M', $ref: '../m2' } } },
    ],
    [
      'the manager as a list',
      [add(`${EXT}:manager`, [{ $ref: '../m2', value: 'm2' }])],
      { [EXT]: { employeeNumber: '7', manager: { value: 'm2', $ref: '../m2' } } },
    ],
    [
      'another manager as text, after one with a name',
      [add(`${EXT}:manager`, { displayName: 'M' }), add(`${EXT}:manager`, 'm2')],
      { [EXT]: { employeeNumber: '7', manager: { value: 'm2' } } },
    ],
    [
      'the manager by its value',
      [replace('manager.value', 'm2')],
      { [EXT]: { employeeNumber: '7', manager: { value: 'm2' } } },
    ],
    ['the manager removed by ""', [replace(`${EXT}:manager`, '')], { [EXT]: { employeeNumber: '7' } }],
    [
      'the manager removed by an object',
      [replace('manager', { value: null })],
      { [EXT]: { employeeNumber: '7' } },
    ],
    [
      'the extension without its URN',
      [replace('department', 'R&D')],
      { [EXT]: { ...ADA[EXT], department: 'R&D' } },
    ],
    ['the extension emptied', [remove('manager'), remove(`${EXT}:employeeNumber`)], { [EXT]: undefined }],
    [
      'the URN alone: add merges',
      [add(EXT, { department: 'R&D', manager: null })],
      { [EXT]: { employeeNumber: '7', department: 'R&D' } },
    ],
    [
      'the URN alone: replace replaces',
      [replace(EXT.toLowerCase(), { Department: 'R&D', nope: 1 })],
      { [EXT]: { department: 'R&D' } },
    ],
    ['the URN alone: remove', [remove(EXT)], { [EXT]: undefined }],
    ['the URN alone: null', [replace(EXT, null)], { [EXT]: undefined }],
    [
      'the URN as a key',
      [all({ [EXT]: { manager: 'm2' } })],
      { [EXT]: { employeeNumber: '7', manager: { value: 'm2' } } },
    ],
    [
      'a key with the URN',
      [all({ [`${EXT}:department`]: 'R&D' })],
      { [EXT]: { ...ADA[EXT], department: 'R&D' } },
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
