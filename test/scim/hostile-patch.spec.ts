/**
 * @only embedded: it uses no database
 */
import fc from 'fast-check';
import { type Complex, normalize } from '../../src/scim/schema/resource';
import { ScimError } from '../../src/scim/schema/scim-error';
import { ENTERPRISE_URN as EXT, USER } from '../../src/scim/schema/user.schema';
import { ADA, patch, patched } from '../support/patches';

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
