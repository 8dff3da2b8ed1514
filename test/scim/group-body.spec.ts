/**
 * @only embedded: it uses no database
 */
import fc from 'fast-check';
import { groupStepsOf, groupOf } from '../../src/scim/groups/group-body';
import { ScimError } from '../../src/scim/schema/scim-error';

const ID = (digit: number) => `usr_0${String(digit).padStart(25, '0')}`;
const [A, B, C] = [1, 2, 3].map(ID);
const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const changes = (...operations: unknown[]) => groupStepsOf({ schemas: [PATCH_OP], Operations: operations });
const member = (value: unknown, more = {}) => ({ value, ...more });
const named = (id: string) => `members[value eq "${id}"]`;

describe('groupStepsOf()', () => {
  it.each<[string, unknown, unknown[]]>([
    [
      'add',
      { op: 'Add', path: 'members', value: [member(A), member(B)] },
      [{ kind: 'add', members: [A, B] }],
    ],
    [
      'add as Entra does',
      { op: 'Add', path: 'members', value: [member(A, { $ref: null, display: 'Ada', type: 'user' })] },
      [{ kind: 'add', members: [A] }],
    ],
    ['add one object', { op: 'add', path: 'Members', value: { Value: A } }, [{ kind: 'add', members: [A] }]],
    ['add bare ids', { op: 'add', path: 'members', value: [A] }, [{ kind: 'add', members: [A] }]],
    [
      'add one twice',
      { op: 'add', path: 'members', value: [member(A), member(A)] },
      [{ kind: 'add', members: [A] }],
    ],
    ['add []', { op: 'add', path: 'members', value: [] }, [{ kind: 'add', members: [] }]],
    ['add null', { op: 'add', path: 'members', value: null }, []],
    ['add by a filter', { op: 'add', path: named(A) }, [{ kind: 'add', members: [A] }]],
    ['remove by a filter', { op: 'Remove', path: named(A) }, [{ kind: 'remove', members: [A] }]],
    [
      'remove by a filter with a type',
      { op: 'remove', path: `members[type eq "user" and value eq "${A}"]` },
      [{ kind: 'remove', members: [A] }],
    ],
    ['remove a group', { op: 'remove', path: `members[type eq "Group" and value eq "${A}"]` }, []],
    ['remove what can be no member', { op: 'remove', path: named('grp_1') }, []],
    [
      'remove a list, without the flag of Entra',
      { op: 'Remove', path: 'members', value: [member(A, { $ref: null }), member('x')] },
      [{ kind: 'remove', members: [A] }],
    ],
    ['remove []', { op: 'remove', path: 'members', value: [] }, [{ kind: 'remove', members: [] }]],
    ['remove all', { op: 'remove', path: 'members' }, [{ kind: 'removeAll' }]],
    ['remove all with null', { op: 'remove', path: 'members', value: null }, [{ kind: 'removeAll' }]],
    ['replace', { op: 'replace', path: 'members', value: [member(C)] }, [{ kind: 'replace', members: [C] }]],
    ['replace with []', { op: 'replace', path: 'members', value: [] }, [{ kind: 'replace', members: [] }]],
    [
      'replace with null',
      { op: 'replace', path: 'members', value: null },
      [{ kind: 'replace', members: [] }],
    ],
    [
      'replace one by another',
      { op: 'replace', path: named(A), value: member(B) },
      [
        { kind: 'remove', members: [A] },
        { kind: 'add', members: [B] },
      ],
    ],
    [
      'replace one by itself',
      { op: 'replace', path: `${named(A)}.value`, value: A },
      [{ kind: 'add', members: [A] }],
    ],
    [
      'replace one by null',
      { op: 'replace', path: named(A), value: null },
      [{ kind: 'remove', members: [A] }],
    ],
    [
      'a name',
      { op: 'replace', path: 'displayName', value: 'Ops' },
      [{ kind: 'set', attribute: 'displayName', value: 'Ops' }],
    ],
    [
      'a name as Okta sets it',
      { op: 'replace', value: { id: 'grp_1', displayName: 'Ops' } },
      [{ kind: 'set', attribute: 'displayName', value: 'Ops' }],
    ],
    [
      'no external id',
      { op: 'remove', path: 'externalId' },
      [{ kind: 'set', attribute: 'externalId', value: null }],
    ],
    [
      'members without a path',
      { op: 'add', value: { members: [member(A)], nope: 1, meta: {}, schemas: [], 'members.display': 'x' } },
      [{ kind: 'add', members: [A] }],
    ],
    [
      'members replaced without a path',
      { op: 'replace', value: { members: [] } },
      [{ kind: 'replace', members: [] }],
    ],
  ])('%s', (_name, operation, steps) => {
    expect(changes(operation)).toEqual(steps);
  });

  it('keeps the order of the operations', () => {
    const operations = [A, B, C].map((id) => ({ op: 'add', path: 'members', value: [member(id)] }));
    expect(changes(...operations, { op: 'remove', path: named(B) })).toEqual([
      ...[A, B, C].map((id) => ({ kind: 'add', members: [id] })),
      { kind: 'remove', members: [B] },
    ]);
    expect(changes()).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['invalidValue', { op: 'add', path: 'members', value: [member('x')] }],
    ['invalidValue', { op: 'add', path: 'members', value: [member(A, { type: 'Group' })] }],
    ['invalidValue', { op: 'add', path: 'members', value: [{}] }],
    ['invalidValue', { op: 'add', path: named(A), value: {} }],
    ['invalidValue', { op: 'add', path: named('grp_1') }],
    ['invalidValue', { op: 'add', path: 'members', value: 7 }],
    ['invalidValue', { op: 'remove', path: 'members', value: [member(7)] }],
    ['invalidValue', { op: 'replace', path: 'displayName', value: '' }],
    ['invalidValue', { op: 'replace', path: 'displayName', value: 'é'.repeat(257) }],
    ['invalidValue', { op: 'remove', path: 'displayName' }],
    ['invalidPath', { op: 'remove', path: 'members[display eq "x"]' }],
    ['invalidPath', { op: 'remove', path: 'members[type eq "User"]' }],
    ['invalidPath', { op: 'add', path: 'owners', value: [] }],
    ['mutability', { op: 'replace', path: 'id', value: 'x' }],
    ['mutability', { op: 'replace', path: `${named(A)}.display`, value: 'x' }],
    ['noTarget', { op: 'remove' }],
  ])('400 %s: %j', (scimType, operation) => {
    expect(() => changes(operation)).toThrow(expect.objectContaining({ scimType }));
  });
});

describe('groupOf()', () => {
  it('reads names in any case, and ignores what is not declared', () => {
    const body = {
      schemas: ['urn:x'],
      DisplayName: 'Ops',
      externalid: 'x',
      id: 'y',
      Members: [member(A)],
      meta: {},
    };
    expect(groupOf(body)).toEqual({ displayName: 'Ops', externalId: 'x', members: [A] });
  });

  it('tells an empty list of members from none', () => {
    expect(groupOf({ displayName: 'Ops' })).toEqual({ displayName: 'Ops', externalId: null });
    expect(groupOf({ displayName: 'Ops', members: null })).toEqual({ displayName: 'Ops', externalId: null });
    expect(groupOf({ displayName: 'Ops', members: [] })).toMatchObject({ members: [] });
  });

  it.each<unknown>([
    {},
    { displayName: ' ' },
    { displayName: 7 },
    { displayName: 'a', members: [member('x')] },
  ])('refuses %j', (body) => {
    expect(() => groupOf(body)).toThrow(expect.objectContaining({ scimType: 'invalidValue' }));
  });
});

it('throws nothing but a 400, whatever is sent', () => {
  const path = fc.constantFrom(
    'members',
    named(A),
    'members.value',
    'displayName',
    'externalId',
    'id',
    'x',
    null,
  );
  const op = fc.constantFrom('add', 'remove', 'replace');
  const operation = fc.record({ op, path, value: fc.jsonValue() }, { requiredKeys: ['op'] });
  const bodies = fc.oneof(fc.jsonValue(), fc.record({ Operations: fc.array(operation) }));
  fc.assert(
    fc.property(bodies, (body) => {
      for (const read of [groupOf, groupStepsOf]) {
        try {
          read(body);
        } catch (error) {
          expect(error).toBeInstanceOf(ScimError);
          expect((error as ScimError).getStatus()).toBe(400);
        }
      }
    }),
    { numRuns: 2000 },
  );
});
