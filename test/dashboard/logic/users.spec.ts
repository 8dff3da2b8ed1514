import { type User } from '../../../client/index';
import { LocalFaults } from '../../../dashboard/ui/faults';
import { aboutCount, countInWords } from '../../../dashboard/users/list/count-words';
import { listAround, rememberList } from '../../../dashboard/users/user/came-from';
import { directoryFacts } from '../../../dashboard/users/user/directory';
import { usersInWords } from '../../../dashboard/users/user/filter-words';
import { initialsOf } from '../../../dashboard/users/user/initials';
import { boundsOf, timeChanges, timeIn, timeInWords } from '../../../dashboard/users/user/time-filter';
import type { UserFilter } from '../../../dashboard/users/user/user-filter';
import { changesOf, conflictsOf, withChanges } from '../../../dashboard/users/edit/changes';
import { fieldOf, metadataOf, newRow, rowsOf } from '../../../dashboard/users/edit/metadata-rows';

describe('the list of users', () => {
  const ALL: UserFilter = {
    query: undefined,
    roles: [],
    active: undefined,
    group: undefined,
    time: undefined,
    sort: 'name',
    order: 'asc',
  };

  it('keeps a time in the address, and says it', () => {
    const NOW = Date.UTC(2026, 0, 31, 9, 30);
    for (const [address, words] of [
      ['created=24h', 'created in the last 24 hours'],
      ['changed=30d', 'changed in the last 30 days'],
      ['created=2026-01-01..2026-01-31', 'created from Jan 1, 2026 to Jan 31, 2026'],
      ['changed=2026-01-01..2026-01-01', 'changed on Jan 1, 2026'],
      ['created=2026-01-01..', 'created since Jan 1, 2026'],
      ['created=..2026-01-01', 'created up to Jan 1, 2026'],
      ['created=..', ''],
    ]) {
      const time = timeIn(new URLSearchParams(address))!;
      expect([address, timeInWords(time)]).toEqual([address, words]);
      const { created, changed } = timeChanges(time);
      expect(created ? `created=${created}` : `changed=${changed}`).toBe(address);
    }
    for (const wrong of ['', 'created=1y', 'changed=toString'])
      expect(timeIn(new URLSearchParams(wrong))).toBeUndefined();
    const typed = timeIn(new URLSearchParams('created=0002-02-28..2026-13-01'))!; // the fields keep it
    expect(typed).toEqual({ by: 'createdAt', from: '0002-02-28', to: '2026-13-01' });
    expect([boundsOf(typed, NOW), timeInWords(typed)]).toEqual([{}, '']);
    const swapped = timeIn(new URLSearchParams('created=2026-02-02..2026-01-01'))!;
    expect(timeInWords(swapped)).toBe('created from Jan 1, 2026 to Feb 2, 2026');
    expect(boundsOf({ by: 'createdAt', period: '7d' }, NOW)).toEqual({ since: '2026-01-24T09:00:00.000Z' });
    expect(boundsOf(swapped, NOW)).toEqual({
      since: new Date(2026, 0, 1).toISOString(),
      until: new Date(2026, 1, 3).toISOString(), // the last day passes as a whole
    });
    expect(boundsOf({ by: 'createdAt' }, NOW)).toEqual({});
  });

  it('says whom it shows', () => {
    const time = { by: 'createdAt', period: '7d' } as const;
    expect(usersInWords(ALL)).toBe('users');
    expect(usersInWords({ ...ALL, time })).toBe('users created in the last 7 days');
    const filter: UserFilter = { ...ALL, roles: ['member', 'admin'], active: false };
    expect(usersInWords({ ...filter, time })).toBe(
      'inactive users with the role Member or Admin, created in the last 7 days',
    );
    expect(usersInWords({ ...filter, group: 'grp_1' })).toBe(
      'inactive users with the role Member or Admin in this group',
    );
    expect(usersInWords({ ...ALL, query: 'ada', time, group: 'grp_1' })).toBe('users');
  });

  it('says how many there are, exactly where its pages show it', () => {
    const page = (length: number, end: number, hasMore: boolean) => ({ length, end, hasMore });
    expect(countInWords(page(0, 0, false), undefined)).toBe('No users');
    expect(countInWords(page(1, 1, false), 'about 2')).toBe('1 user');
    expect(countInWords(page(50, 50, true), undefined)).toBe('Users 1–50');
    expect(countInWords(page(50, 1_050, true), 'about 12,400')).toBe('Users 1,001–1,050 of about 12,400');
    expect(countInWords(page(10, 1_060, false), 'about 12,400')).toBe('Users 1,051–1,060 of 1,060');

    const users = { total: 12_431, active: 12_020, exact: true };
    expect(aboutCount(ALL, users)).toBe('about 12,400');
    expect(aboutCount({ ...ALL, active: true }, users)).toBe('about 12,000');
    expect(aboutCount({ ...ALL, active: false }, users)).toBe('about 411');
    for (const filter of [{ roles: ['admin' as const] }, { query: 'ada' }, { group: 'grp_1' }])
      expect(aboutCount({ ...ALL, ...filter }, users)).toBeUndefined();
    const many = { total: 100_000, active: 99_000, exact: false };
    expect(aboutCount(ALL, many)).toBe('at least 100,000');
    expect(aboutCount({ ...ALL, active: false }, many)).toBeUndefined();
  });

  it('is known to the page of a user who is opened from it', () => {
    expect(listAround('usr_2')).toBeUndefined();
    rememberList({ ids: ['usr_1', 'usr_2', 'usr_3'], href: 'users?role=admin' });
    const href = 'users?role=admin';
    expect(listAround('usr_1')).toEqual({ previous: undefined, next: 'usr_2', href });
    expect(listAround('usr_2')).toEqual({ previous: 'usr_1', next: 'usr_3', href });
    expect(listAround('usr_3')).toEqual({ previous: 'usr_2', next: undefined, href });
    expect(listAround('usr_4')).toBeUndefined();
  });
});

describe('the initials of a user', () => {
  it.each([
    ['Ada King', 'AK'],
    ['ada augusta of lovelace', 'AL'],
    [' Ada  ', 'A'],
    ['(Ada) “King”', 'AK'],
    ['Élodie Ünal', 'ÉÜ'],
    ['王小明', '王'],
    ['…', '?'],
  ])('of %s are %s', (name, initials) => expect(initialsOf(name)).toBe(initials));
});

describe('what a directory has given', () => {
  it('is shown by labels and in groups, as lines of text', () => {
    const address = { locality: 'London', country: 'GB', type: 'work' };
    const facts = directoryFacts({
      userName: 'ada',
      name: { givenName: 'Ada', familyName: 'Lovelace', honorificPrefix: 'Dr' },
      emails: [{ value: 'a@example.com', type: 'work', primary: true }, { value: 'b@example.com' }],
      addresses: [{ formatted: '12 Square\nLondon', type: 'home' }, address],
      department: 'Research',
      manager: { value: '4711', displayName: 'Charles' },
      roles: [{ value: 'r1', display: 'Engineer' }],
      x509Certificates: [{ value: 'MII' }, { value: 'MIJ' }],
    });
    expect(facts).toEqual([
      [
        'Person',
        [
          ['Name', ['Dr Ada Lovelace']],
          ['User name', ['ada']],
          ['Certificates', ['2']],
        ],
      ],
      [
        'Work',
        [
          ['Department', ['Research']],
          ['Manager', ['Charles (4711)']],
          ['Roles', ['Engineer']],
        ],
      ],
      [
        'Contact',
        [
          ['Emails', ['a@example.com (work, primary)', 'b@example.com']],
          ['Addresses', ['12 Square, London (home)', 'London, GB (work)']],
        ],
      ],
    ]);
  });
});

const VALUES = {
  externalId: null,
  name: 'Ada',
  email: 'ada@example.com',
  role: 'member',
  active: true,
} as const;

/** Values that editing as text could corrupt. */
const METADATA = {
  text: 'pro',
  'looks like JSON': '{"a": 1}',
  'looks like a number': '5',
  number: 5,
  small: 1e-7,
  yes: true,
  nothing: null,
  list: ['a', 1, { deep: [null] }],
  object: { 'b.c': { d: '' } },
  lines: 'one\ntwo\r\nthree',
  spaces: '  both  ',
  'a.b': 'dotted',
  ' ': 'blank',
  unicode: 'Zoë 👩‍🚀 \u202e',
};

describe('the changes that a form saves', () => {
  const withMetadata = (metadata: User['metadata']) => ({ ...VALUES, metadata });

  it('are the keys that changed, or all of the metadata if a value becomes null', () => {
    const rows: [string, User['metadata'], User['metadata'], object, boolean][] = [
      ['nothing', METADATA, METADATA, {}, true],
      [
        'only keys that changed, and null for those that are gone',
        { text: 'pro', kept: 1, gone: [5] },
        { text: 'free', kept: 1, added: { a: 1 } },
        { metadata: { text: 'free', gone: null, added: { a: 1 } } },
        true,
      ],
      [
        'what was removed and replaced inside a value',
        { a: { b: { c: 1, d: 2 }, e: [1] }, f: { g: 1 }, h: 'i' },
        { a: { b: { d: 2 }, e: [null], n: {} }, f: {}, h: { j: 1 } },
        { metadata: { a: { b: { c: null }, e: [null], n: {} }, f: { g: null }, h: { j: 1 } } },
        true,
      ],
      [
        'all of the metadata if a value becomes null, which in a merge patch means removed',
        { plan: 'pro', kept: 1 },
        { plan: null, kept: 1 },
        { metadata: { plan: null, kept: 1 } },
        false,
      ],
      [
        'all of it if that is inside a value',
        { object: { 'b.c': { d: '' } } },
        { object: { 'b.c': { d: null } } },
        { metadata: { object: { 'b.c': { d: null } } } },
        false,
      ],
    ];
    for (const [what, before, after, body, isMerge] of rows) {
      const changes = changesOf(withMetadata(before), withMetadata(after));
      expect({ what, ...changes }).toEqual({ what, body, isMerge });
    }
  });

  it('conflict as a whole in metadata of which a value becomes null, which a merge patch cannot say', () => {
    const before = withMetadata({ plan: 'pro' });
    const [mine, theirs] = [withMetadata({ plan: null }), withMetadata({ plan: 'pro', added: true })];
    const changes = changesOf(before, mine);
    expect(conflictsOf(changes, before, mine, theirs)).toEqual([
      { field: 'metadata', mine: { plan: null }, theirs: { plan: 'pro', added: true } },
    ]);
    expect(withChanges(changes, mine, theirs)).toEqual(mine);
  });
});

describe('the rows of an editor of metadata', () => {
  const row = (key: string, text: string, kind: 'text' | 'json' = 'text') => ({
    ...newRow(),
    key,
    kind,
    text,
  });

  it('become the same metadata again', () => {
    expect(metadataOf(rowsOf(METADATA))).toEqual(METADATA);
  });

  it('leave out empty ones, and keep a key that the service refuses', () => {
    const metadata = metadataOf([row('', ''), row('__proto__', 'x'), row('', 'value')]);
    expect(Object.entries(metadata)).toEqual([
      ['__proto__', 'x'],
      ['', 'value'],
    ]);
  });

  it('have faults if a key occurs twice, or a value is no JSON', () => {
    const rows = [row('twice', '1'), row('twice', '2'), row('c', '{no}', 'json')];
    const fault = (() => {
      try {
        return metadataOf(rows);
      } catch (error) {
        return error;
      }
    })();
    expect(fault).toBeInstanceOf(LocalFaults);
    expect((fault as LocalFaults).faults).toEqual([
      { field: 'metadata.twice', message: 'occurs more than once' },
      { field: 'metadata.c', message: 'is not valid JSON' },
    ]);
    expect(fieldOf('k'.repeat(65))).toBe(`metadata.${'k'.repeat(64)}…`);
  });
});
