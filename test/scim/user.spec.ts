import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Resource } from '../../src/scim/schema/resource';
import { ENTERPRISE_URN as EXT, USER_URN } from '../../src/scim/schema/user.schema';
import { chooseEmail, emailCandidates, inputOf, fullName, roleOf } from '../../src/scim/users/user-fields';
import {
  directoryUser,
  type DirectoryUser,
  type ShownUser,
  userResource,
  writableAttributes,
} from '../../src/scim/users/user-resource';
import { createdUser, patchedUser, replacedUser } from '../../src/scim/users/user-fields';
import { refusalOf } from '../support/scim';

const base = 'https://users.example.com/scim/v2';
const aUser = (fields: Partial<ShownUser> = {}): ShownUser => ({
  id: 'usr_01kacp9k3m8x2f5q7v9wbz4n6t',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  active: true,
  version: 3,
  createdAt: new Date('2026-01-31T09:30:00.000Z'),
  updatedAt: new Date('2026-02-01T09:30:00.123Z'),
  ...fields,
});

/** The user and its row after a POST of this body. */
function created(body: object): { user: ShownUser; directory: DirectoryUser } {
  const attributes = createdUser({ userName: 'ada', emails: [{ value: 'ada@example.com' }], ...body });
  const { emails, name, active } = inputOf(attributes);
  const user = aUser({ email: emails![0], name, active: active ?? true });
  return { user, directory: directoryUser(attributes, user) };
}

const patchOf = (...operations: object[]) => ({ Operations: operations });

describe('createdUser()', () => {
  it('has canonical names and drops what is not declared or read-only', () => {
    const body = {
      schemas: [USER_URN],
      USERNAME: 'ada',
      id: 'x',
      meta: { version: 1 },
      groups: [{ value: 'g' }],
      password: 'secret',
      unknown: 'a',
      title: null,
      displayName: '',
      active: 'TRUE',
      preferredLanguage: ['en'],
      name: { GivenName: 'Ada', nope: 1, familyName: null },
      Emails: { Value: 'a@b.co', primary: 'True', type: 'private' },
      roles: [{ value: 'a' }, { value: '' }, { primary: true }, null],
      phoneNumbers: [],
      department: 'R&D',
      [EXT.toUpperCase()]: { EmployeeNumber: '7', manager: ['m'], unknown: 'x' },
    };
    expect(createdUser(body)).toEqual({
      userName: 'ada',
      active: true,
      preferredLanguage: 'en',
      name: { givenName: 'Ada' },
      emails: [{ value: 'a@b.co', primary: true, type: 'private' }],
      roles: [{ value: 'a' }],
      [EXT]: { department: 'R&D', employeeNumber: '7', manager: { value: 'm' } },
    });
  });

  it('names the attribute at fault', () => {
    for (const [detail, ...bodies] of [
      ['userName is required', {}, { userName: null }],
      ['userName must not be blank', { userName: ' ' }],
      ['userName must be a string', { userName: 7 }],
      ['userName must have at most 256 characters', { userName: 'a'.repeat(257) }],
      ['externalId must have at most 512 characters', { externalId: 'a'.repeat(513) }],
      ['active must be true or false', { active: 'yes' }],
      ['name must be an object', { name: 'Ada' }],
      ['emails must be an object', { emails: ['a@b.co'] }],
      ['emails.value must be a string', { emails: [{ value: {} }] }],
      [`${EXT} must be an object`, { [EXT]: [] }],
      ['x509Certificates.value must be base64', { x509Certificates: [{ value: 'a-b' }] }],
      ['x509Certificates.value must be base64', { x509Certificates: [{ value: 'a=b=' }] }],
      ['emails must have at most 200 values', { emails: Array(201).fill({ value: 'x' }) }],
      ['The attributes must have at most 16 KB as JSON', { title: 'x'.repeat(16_384) }],
    ] as [string, ...object[]][])
      for (const body of bodies)
        expect(() => createdUser(detail.startsWith('userName') ? body : { userName: 'a', ...body })).toThrow(
          expect.objectContaining({ scimType: 'invalidValue', detail }),
        );
    expect(refusalOf(() => createdUser([]))).toBe('invalidSyntax');
  });

  it('gives a certificate back with the white space that it has', () => {
    const x509Certificates = [{ value: 'MIIC\r\nYQ+/\n=\n=\n' }, { value: 'YWJj' }];
    expect(createdUser({ userName: 'a', x509Certificates })).toMatchObject({ x509Certificates });
  });
});

it('the email is the primary address, that of type work, the first or the user name: what is free', () => {
  const emails = [
    { value: 'first@x.co' },
    { value: 'work@x.co', type: 'Work' },
    { value: 'never@x.co' },
    { value: 'primary@x.co', primary: true },
  ];
  for (const [attributes, candidates] of [
    [{ userName: 'u@x.co' }, ['u@x.co']],
    [{ userName: 'u' }, []],
    [{ userName: 'u', emails: [{ value: 'a@x.co' }, { value: 'b@x.co' }] }, ['a@x.co']],
    [{ userName: 'U@x.co', emails: [{ value: 'u@X.co ' }] }, ['u@X.co']],
    [{ userName: 'u@x.co', emails }, ['primary@x.co', 'work@x.co', 'first@x.co', 'u@x.co']],
    [{ userName: 'u@x.co', emails: [{ value: 'no address', primary: true }] }, ['u@x.co']],
    [{ userName: 'u', emails: [{ value: `${'a'.repeat(250)}@x.co` }] }, []],
  ])
    expect({ attributes, candidates: emailCandidates(attributes as unknown as Resource) }).toEqual({
      attributes,
      candidates,
    });
  expect(chooseEmail(['a@x.co', 'b@x.co'], (email) => email === 'b@x.co')).toBe('b@x.co');
  expect(chooseEmail([], () => true, 'old@x.co')).toBe('old@x.co');
});

it('the name is the displayName, the formatted name, its parts or the user name', () => {
  for (const [attributes, name] of [
    [{ displayName: ' D ', name: { formatted: 'F' } }, 'D'],
    [{ displayName: ' ', name: { formatted: 'F', givenName: 'G' } }, 'F'],
    [{ name: { givenName: 'G', familyName: 'L' } }, 'G L'],
    [{ name: { familyName: 'L' } }, 'L'],
    [{ name: { middleName: 'M' } }, 'u'],
    [{}, 'u'],
    [{ displayName: '😀'.repeat(201) }, '😀'.repeat(200)],
  ] as [object, string][])
    expect([attributes, fullName({ userName: 'u', ...attributes } as Resource)]).toEqual([attributes, name]);
});

it('the role is the primary one of those that the service has', () => {
  for (const [role, ...roles] of [
    ['admin', { value: 'admin', primary: true }],
    ['viewer', { value: 'Viewer', primary: true }],
    [undefined, { value: 'admin' }],
    [undefined, { value: 'owner', primary: true }, { value: 'admin' }],
  ] as [string | undefined, ...object[]][])
    expect([roles, roleOf({ roles } as unknown as Resource)]).toEqual([roles, role]);
});

describe('userResource()', () => {
  it('derives what no directory has given', () => {
    expect(userResource(aUser(), null, base)).toEqual({
      schemas: [USER_URN],
      id: 'usr_01kacp9k3m8x2f5q7v9wbz4n6t',
      userName: 'ada@example.com',
      active: true,
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      emails: [{ value: 'ada@example.com', type: 'work', primary: true }],
      meta: {
        resourceType: 'User',
        created: '2026-01-31T09:30:00.000Z',
        lastModified: '2026-02-01T09:30:00.123Z',
        location: `${base}/Users/usr_01kacp9k3m8x2f5q7v9wbz4n6t`,
        version: 'W/"3"',
      },
    });
  });

  it('shows a changed email that came from the userName as the primary one', () => {
    const { user, directory } = created({ userName: 'ada@x.co', emails: [{ value: 'none', primary: true }] });
    expect(user.email).toBe('ada@x.co');
    expect(writableAttributes({ ...user, email: 'new@x.co' }, directory)).toMatchObject({
      userName: 'ada@x.co',
      emails: [
        { value: 'new@x.co', type: 'work', primary: true },
        { value: 'none', primary: false },
      ],
    });
  });
});

describe('a write', () => {
  it('changes only the fields whose attributes it changes', async () => {
    const { user, directory } = created({ displayName: 'Ada', roles: [{ value: 'admin', primary: true }] });
    const before = writableAttributes(user, directory);
    const input = async (...operations: object[]) =>
      inputOf(await patchedUser(before, patchOf(...operations)), before);
    for (const [changed, op, path, value] of [
      [{}, 'replace', 'title', 'x'],
      [{}, 'replace', 'name.givenName', 'x'],
      [{}, 'remove', 'roles'],
      [{ active: false }, 'replace', 'active', 'False'],
      [{ name: 'ada' }, 'remove', 'displayName'],
      [{ role: 'viewer' }, 'replace', 'roles[primary eq "True"].value', 'viewer'],
      [{ emails: ['n@x.co'] }, 'replace', 'emails', [{ value: 'n@x.co' }]],
    ])
      expect([path, await input({ op, path, value })]).toEqual([path, changed]);
  });

  it('a PATCH cannot take the last email of a user whose userName is no address', async () => {
    const patched = (userName: string, ...operations: object[]) => {
      const { user, directory } = created({ userName });
      return patchedUser(writableAttributes(user, directory), patchOf(...operations));
    };
    const remove = { op: 'replace', path: 'emails[value eq "ada@example.com"].value', value: '' };
    await expect(patched('ada', remove)).rejects.toMatchObject({ scimType: 'invalidValue' });
    expect(await patched('ada@x.co', remove)).toEqual({ userName: 'ada@x.co', active: true });
    expect(await patched('ada', remove, { op: 'add', path: 'emails', value: { value: 'x@y.co' } })).toEqual({
      userName: 'ada',
      active: true,
      emails: [{ value: 'x@y.co' }],
    });
  });

  it('changes a user whom no directory has written', async () => {
    const before = writableAttributes(aUser(), null);
    const after = await patchedUser(
      before,
      patchOf({ op: 'replace', path: 'emails[type eq "work"].value', value: 'n@x.co' }),
    );
    expect(after.emails).toEqual([{ value: 'n@x.co', type: 'work', primary: true }]);
    expect(inputOf(after, before)).toEqual({ emails: ['n@x.co', 'ada@example.com'] });
  });
});

describe('a PUT of what was read', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('Ada', 'Ada  King', ' ', 'a@b.co', 'b@c.co ', ''));
  const element = fc.record(
    {
      value: text,
      type: fc.constantFrom('work', 'Home', 'x'),
      primary: fc.constantFrom(true, false, 'True'),
    },
    { requiredKeys: [] },
  );
  const elements = (maxLength: number) =>
    fc
      .array(element, { maxLength })
      .filter((list) => list.filter(({ primary }) => primary === true || primary === 'True').length < 2);
  const body = fc.record(
    {
      userName: fc.oneof(fc.string(), fc.constantFrom('ada', 'a@b.co')).filter((name) => name.trim() !== ''),
      externalId: text,
      displayName: text,
      title: text,
      active: fc.boolean(),
      name: fc.record({ givenName: text, familyName: text, formatted: text }, { requiredKeys: [] }),
      emails: elements(3),
      roles: elements(2),
      [EXT]: fc.record({ department: text, manager: fc.record({ value: text }) }, { requiredKeys: [] }),
    },
    { requiredKeys: ['userName'] },
  );
  const name = fc
    .oneof(fc.string({ minLength: 1, maxLength: 200 }), fc.constantFrom('Ada  King', 'Madonna', 'a b c'))
    .map((text) => text.trim())
    .filter((text) => text !== '');
  const email = fc.constantFrom('a@b.co', 'b@c.co', 'new@x.co');

  it('changes nothing, whatever the directory has given and the API has changed since', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.option(body),
        name,
        email,
        fc.boolean(),
        name,
        email,
        async (body, name, email, active, nameThen, emailThen) => {
          const user = aUser({ name, email, active });
          const directory = body && directoryUser(createdUser(body), { name: nameThen, email: emailThen });
          const before = writableAttributes(user, directory);
          const read = JSON.parse(JSON.stringify(userResource(user, directory, base)));

          const after = replacedUser(before, read);
          expect(isDeepStrictEqual(after, before)).toBe(true);
          expect(inputOf(after, before)).toEqual({});
          expect(await patchedUser(before, patchOf({ op: 'replace', value: read }))).toEqual(before);
          // If it is stored all the same, it is read as before.
          expect(userResource(user, directoryUser(after, user), base)).toEqual(
            userResource(user, directory, base),
          );
        },
      ),
      { numRuns: 1000 },
    );
  });
});
