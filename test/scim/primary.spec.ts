/**
 * @only embedded: it uses no database
 */
import { type Complex, normalize } from '../../src/scim/schema/resource';
import { USER } from '../../src/scim/schema/user.schema';
import { createdUser, replacedUser } from '../../src/scim/users/user-fields';
import { ADA, patch } from '../support/patches';

const [work, home] = ADA.emails;
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
