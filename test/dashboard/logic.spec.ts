import {
  ApiError,
  type ClientOptions,
  createClient,
  type Delivery,
  type Event,
  type Token,
  type User,
} from '../../client/index';
import { changesOf as changesIn, durationOf, titleOfChange } from '../../dashboard/activity/changes';
import { FORMATS } from '../../dashboard/activity/export-rows';
import { boundsOf as boundsOfDays } from '../../dashboard/activity/period';
import { runSentenceOf } from '../../dashboard/activity/run-sentence';
import { type Entry, type Part, sentenceOf, targetNameOf } from '../../dashboard/activity/sentence';
import { daysOf, dayTitleOf } from '../../dashboard/activity/timeline';
import { KINDS } from '../../dashboard/activity/kinds';
import { type Listed, rowsOf as tokenRowsOf } from '../../dashboard/tokens/list/rows';
import { isLastAdmin } from '../../dashboard/tokens/token/last-admin';
import { CUSTOM, DAYS, type Life, livesWithin } from '../../dashboard/tokens/token/lives';
import { isUnanswered, LocalFaults } from '../../dashboard/ui/faults';
import { aboutCount, countInWords } from '../../dashboard/users/list/count-words';
import { listAround, rememberList } from '../../dashboard/users/user/came-from';
import { directoryFacts } from '../../dashboard/users/user/directory';
import { usersInWords } from '../../dashboard/users/user/filter-words';
import { initialsOf } from '../../dashboard/users/user/initials';
import { boundsOf, timeChanges, timeIn, timeInWords } from '../../dashboard/users/user/time-filter';
import type { UserFilter } from '../../dashboard/users/user/user-filter';
import {
  type Bulk,
  changeActive,
  changeRole,
  deleteUsers,
  type Outcome,
  summaryOf,
} from '../../dashboard/users/bulk/bulk';
import { changesOf, conflictsOf, withChanges } from '../../dashboard/users/edit/changes';
import { fieldOf, metadataOf, newRow, rowsOf } from '../../dashboard/users/edit/metadata-rows';
import { eventName } from '../../dashboard/webhooks/deliveries/event-name';
import { outcomeOf, resultOf } from '../../dashboard/webhooks/deliveries/outcome-of';
import { EVENT_GROUPS } from '../../dashboard/webhooks/form/event-groups';
import { DELIVERY_ERRORS } from '../../src/webhooks/address/delivery-error';
import { proposeTargets } from '../../csv/proposals';
import { keyFault } from '../../csv/targets';
import { readHead } from '../../dashboard/users/import/csv-file';
import { interruption } from '../../dashboard/users/import/interruption';
import type { ImportProgress } from '../../dashboard/users/import/progress';
import { type ImportOptions, runImport } from '../../dashboard/users/import/run-import';
import type { Client } from '../support/client';
import { useService } from '../support/service';

// What the pages decide in functions. The other suites of this room see it in a browser.

const service = useService();

const clientOf = (api: Client, options: Pick<ClientOptions, 'fetch' | 'retryBudgetMs'> = {}) =>
  createClient({ baseUrl: service.url, token: api.tokenValue, ...options });

const countIn = async ({ organizationId }: Client): Promise<number> => {
  const sql = 'SELECT count(*)::int FROM users WHERE organization_id = $1';
  return (await service.dataSource.query(sql, [organizationId]))[0].count;
};

const TOKEN: Entry['actor'] = { type: 'token', id: 'tok_1', name: 'Nightly sync' };
const USER = {
  id: 'usr_1',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  role: 'admin',
  active: false,
  metadata: {},
};

const entry = (type: string, data: Entry['data'], fields: Partial<Entry> = {}): Entry => {
  const [kind] = type.split('.');
  return { type, source: 'api', actor: TOKEN, target: { type: kind, id: `${kind}_1` }, data, ...fields };
};
const user = (type: string, previous?: object, fields?: Partial<Entry>) =>
  entry(`user.${type}`, { user: USER, previous }, fields);
const token = (type: string, data: object = {}) =>
  entry(`token.${type}`, { token: { name: 'CI' }, ...data }, { target: { type: 'token', id: 'tok_2' } });
const group = (type: string, data: object = {}) =>
  entry(`group.${type}`, { group: { displayName: 'Sales', externalId: 'e' }, ...data });

const by = (type: string, data: Entry['data'], source: Entry['source'], name: string) =>
  entry(type, data, { source, actor: { type: 'system', id: null, name } });

const inWords = (parts: Part[]) =>
  parts.map((part) => (typeof part === 'string' ? part : part.name)).join('');

const NAMES: Record<string, string> = { usr_1: 'Ada Lovelace' };

const spell = (entry: Entry) => inWords(sentenceOf(entry, (id) => NAMES[id] ?? null));

describe('the sentence of an event', () => {
  it('says who did what, or what happened to a token', () => {
    const acme = { organization: { name: 'Acme' } };
    const external = { previous: { externalId: null } };
    const active = { user: { ...USER, active: true }, previous: { active: false } };
    const sentences: Record<string, Entry> = {
      'Nightly sync created Ada Lovelace': user('created'),
      'Nightly sync changed the role of Ada Lovelace from Member to Admin': user('updated', {
        role: 'member',
      }),
      'Nightly sync renamed Ada Byron to Ada Lovelace': user('updated', { name: 'Ada Byron' }),
      'Nightly sync changed the metadata of Ada Lovelace': user('updated', { metadata: { plan: 'pro' } }),
      'Nightly sync changed the name, email, and role of Ada Lovelace': user('updated', {
        name: 'A',
        email: 'a@example.com',
        role: 'viewer',
      }),
      'Nightly sync changed Ada Lovelace': user('updated', {}),
      'Nightly sync changed the job title and phone numbers of Ada Lovelace': user('updated', {
        directory: { title: 'Countess', phoneNumbers: null },
      }),
      'Nightly sync changed the ID in the directory of Ada Lovelace': user('updated', {
        directory: { externalId: '1' },
      }),
      'Nightly sync changed the shoe size of Ada Lovelace': user('updated', {
        directory: { shoeSize: 40 },
      }),
      'Nightly sync renamed Ada King to Ada Lovelace': user('updated', {
        name: 'Ada King',
        directory: { displayName: 'Ada King' },
      }),
      'Nightly sync on behalf of ada@example.com created Ada Lovelace': {
        ...user('created'),
        onBehalfOf: 'ada@example.com',
      },
      'The operator on behalf of ada@example.com suspended the organization Acme': {
        ...by('organization.suspended', acme, 'api', 'operator'),
        onBehalfOf: 'ada@example.com',
      },
      'Nightly sync deactivated Ada Lovelace': user('updated', { active: true }),
      'Nightly sync activated Ada Lovelace': entry('user.updated', active),
      'Nightly sync restored Ada Lovelace': user('restored'),
      'Nightly sync changed a user who has been purged': entry('user.updated', null),
      'Nightly sync changed the role and state of Ada Lovelace': user('updated', {
        role: 'member',
        active: true,
      }),
      'Nightly sync renamed the token Old to CI': token('updated', { previous: { name: 'Old' } }),
      'Nightly sync changed the scopes and rate limit of the token CI': token('updated', {
        previous: { scopes: ['admin'], rateLimit: 5 },
      }),
      'Nightly sync turned off the webhook https://example.com': entry('webhook.updated', {
        webhook: { url: 'https://example.com', enabled: false },
        previous: { enabled: true },
      }),
      'Nightly sync rotated the token CI': token('rotated'),
      'The token CI had 7 days left': token('expiring', { days: 7 }),
      'The token CI had 1 day left': token('expiring', { days: 1 }),
      'The token CI was about to expire': token('expiring'),
      'The token CI expired': token('expired'),
      'Nightly sync created the group Sales': group('created'),
      'Nightly sync renamed the group Sale to Sales': group('updated', { previous: { displayName: 'Sale' } }),
      'Nightly sync changed the external ID of the group Sales': group('updated', external),
      'Nightly sync added Ada Lovelace to the group Sales': group('member_added', { user: { id: 'usr_1' } }),
      'Nightly sync removed Ada Lovelace from the group Sales': group('member_removed', {
        user: { id: 'usr_1' },
      }),
      'Nightly sync removed the user usr_…3k2p from the group Sales': group('member_removed', {
        user: { id: 'usr_01m8h5ghy76z3k2p' },
      }),
      'Nightly sync caused group.merged of the group group_1': entry('group.merged', { group: {} }),
      'Nightly sync caused user.promoted of Ada Lovelace': user('promoted'),
      'The operator suspended the organization Acme': by('organization.suspended', acme, 'api', 'operator'),
      'A command (ums organizations resume) resumed the organization Acme': by(
        'organization.resumed',
        acme,
        'cli',
        'ums organizations resume',
      ),
      'The directory Nightly sync created Ada Lovelace': user('created', undefined, { source: 'scim' }),
      'A sign-in (ada@example.com) deleted the group Sales': by(
        'group.deleted',
        { group: { displayName: 'Sales' } },
        'sign-in',
        'ada@example.com',
      ),
      'The issuer https://token.example.com created a user who has been purged': by(
        'user.created',
        null,
        'federation',
        'https://token.example.com',
      ),
    };
    for (const [sentence, entry] of Object.entries(sentences)) expect(spell(entry)).toBe(sentence);
  });

  it('sets names apart, whatever they say', () => {
    const actor = { ...TOKEN, name: 'CI deleted Bob and' };
    expect(sentenceOf({ ...user('created', undefined, { actor }), onBehalfOf: 'Eve, deleted Bob' })).toEqual([
      { name: 'CI deleted Bob and', id: 'tok_1' },
      ' on behalf of ',
      { name: 'Eve, deleted Bob', isQuiet: true },
      ' created ',
      { name: 'Ada Lovelace', id: 'user_1' },
    ]);
  });

  it('does not show an id while it asks for the name', () => {
    const added = group('member_added', { user: { id: 'usr_1' } });
    expect(inWords(sentenceOf(added, () => undefined))).toBe('Nightly sync added a user to the group Sales');
  });

  it('calls what has no name by its id', () => {
    expect([user('created'), entry('user.created', null)].map(targetNameOf)).toEqual([
      'Ada Lovelace',
      'user_1',
    ]);
  });
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

describe('the changes of an event', () => {
  it('have the former values of what a directory has changed, by their labels and as lines of text', () => {
    const emails = [{ value: 'a@example.com', type: 'work', primary: true }, { value: 'b@example.com' }];
    const directory = { title: 'Countess', nickName: null, emails, shoeSize: { eu: 40 } };
    const previous = { role: 'member', directory };
    const changes = changesIn(entry('user.updated', { user: USER, previous }));
    expect(changes).toEqual([
      { field: 'role', before: 'member', after: 'admin' },
      { field: 'directory.title', before: 'Countess', after: undefined },
      { field: 'directory.nickName', before: undefined, after: undefined },
      { field: 'directory.emails', before: 'a@example.com (work, primary)\nb@example.com', after: undefined },
      { field: 'directory.shoeSize', before: { eu: 40 }, after: undefined },
    ]);
    expect(changes.map(titleOfChange)).toEqual([
      'Role',
      'Directory: Job title',
      'Directory: Nickname',
      'Directory: Emails',
      'Directory: Shoe size',
    ]);
  });

  it('are the changed fields of an update, with each key of the metadata', () => {
    const after = { ...USER, metadata: { plan: 'pro', seats: 5, beta: true } };
    const previous = { role: 'member', metadata: { plan: 'free', seats: 5, team: 'x' } };
    expect(changesIn(entry('user.updated', { user: after, previous }))).toEqual([
      { field: 'role', before: 'member', after: 'admin' },
      { field: 'metadata.plan', before: 'free', after: 'pro' },
      { field: 'metadata.team', before: 'x', after: undefined },
      { field: 'metadata.beta', before: undefined, after: true },
    ]);
  });

  it('are the values themselves in an update of a token, also null where it says something', () => {
    const after = { name: 'CI', rateLimit: null, allowedNetworks: null, scopes: ['users:read'] };
    const previous = {
      rateLimit: 6000,
      allowedNetworks: ['10.0.0.0/8', '::1'],
      scopes: ['admin', 'users:read'],
    };
    const changes = changesIn(entry('token.updated', { token: after, previous }));
    expect(changes).toEqual([
      { field: 'rateLimit', before: 6000, after: null },
      { field: 'allowedNetworks', before: ['10.0.0.0/8', '::1'], after: null },
      { field: 'scopes', before: ['admin', 'users:read'], after: ['users:read'] },
    ]);
    expect(changes.map(titleOfChange)).toEqual(['Requests a minute', 'Allowed networks', 'Scopes']);
  });

  it('are all fields of what was created, deleted or revoked', () => {
    const [name, email, role, active] = ['Ada Lovelace', 'ada@example.com', 'admin', false];
    const all = (side: 'before' | 'after') =>
      Object.entries({ name, email, role, active }).map(([field, value]) => ({ field, [side]: value }));
    expect(changesIn(user('created'))).toEqual(all('after'));
    expect(changesIn(user('deleted'))).toEqual(all('before'));
    expect(changesIn(token('revoked'))).toEqual([{ field: 'name', before: undefined, after: 'CI' }]);
  });

  it('are none if the user has been purged', () => {
    expect(changesIn(entry('user.deleted', null))).toEqual([]);
  });

  it('are the member who came or went, in an event of a group', () => {
    const member = { user: { id: 'usr_1' } };
    expect(changesIn(group('member_added', member))).toEqual([
      { field: 'user', before: undefined, after: 'usr_1' },
    ]);
    expect(changesIn(group('member_removed', member))).toEqual([
      { field: 'user', before: 'usr_1', after: undefined },
    ]);
  });

  it('have durations in words', () => {
    expect(['90d', '1h', 'soon'].map(durationOf)).toEqual(['90 days', '1 hour', 'soon']);
  });
});

describe('a list of events', () => {
  const BASE = { sequence: 1, requestId: 'req', onBehalfOf: null };
  let count = 0;
  const at = (occurredAt: string, entry: Entry): Event =>
    ({ ...BASE, ...entry, id: `evt_${++count}`, occurredAt: new Date(occurredAt).toISOString() }) as Event;
  const deleted = (time: string, fields: Partial<Entry> = {}) =>
    at(
      `2026-11-30T${time}`,
      user('deleted', undefined, { target: { type: 'user', id: `usr_${time}` }, ...fields }),
    );
  const sizes = (events: Event[]) => daysOf(events).map(({ rows }) => rows.map(({ length }) => length));

  it('has three or more of the same action in one row, as long as little time is between two of them', () => {
    const three = [deleted('12:25'), deleted('12:20'), deleted('12:10')];
    expect(sizes(three)).toEqual([[3]]);
    expect(sizes(three.slice(1))).toEqual([[1, 1]]);
    expect(sizes([...three, deleted('11:59')])).toEqual([[3, 1]]);
    for (const other of [
      { onBehalfOf: 'ada@example.com' },
      { source: 'scim' },
      { actor: { ...TOKEN, id: 'tok_2' } },
      { type: 'user.restored' },
    ])
      expect(sizes([...three, deleted('12:09', other)])).toEqual([[3, 1]]);
    const changed = (previous: object) => at('2026-11-30T12:00', user('updated', previous));
    const role = { role: 'member' };
    expect(sizes([changed(role), changed(role), changed(role), changed({ active: true })])).toEqual([[3, 1]]);
  });

  it('has a row for each day, also if an action is on both', () => {
    const times = ['12-01T00:04', '12-01T00:02', '12-01T00:00', '11-30T23:58', '11-30T23:56', '11-30T23:54'];
    const events = times.map((time) => at(`2026-${time}`, user('created')));
    expect(sizes(events)).toEqual([[3], [3]]);
    const now = new Date('2026-12-01T09:00');
    expect(daysOf(events).map(({ iso }) => dayTitleOf(iso, now))).toEqual(['Today', 'Yesterday']);
    expect(dayTitleOf(new Date('2026-11-28T12:00').toISOString(), now)).toBe('Nov 28, 2026');
  });

  it('says of several what they have in common', () => {
    const of = (entry: Entry, ids: string[]) =>
      ids.map((id) => ({ ...entry, target: { ...entry.target, id } }) as Entry);
    const added = (members: string[], groups: string[]) =>
      members.map((id, i) => ({
        ...group('member_added', { user: { id } }),
        target: { type: 'group', id: groups[i] ?? groups[0] },
      }));
    const three = ['1', '2', '3'];
    const twice = ['1', '2', '2'];
    const sentences: [string, Entry[], isOpen?: boolean][] = [
      ['Nightly sync deleted 3 users', of(user('deleted'), three)],
      ['Nightly sync deleted 3+ users', of(user('deleted'), three), true],
      ['Nightly sync purged 3 users', of(entry('user.purged', null), three)],
      ['Nightly sync deactivated 3 users', of(user('updated', { active: true }), three)],
      ['Nightly sync changed the role of 2 users, 3 times in all', of(user('updated', { role: 'x' }), twice)],
      [
        'Nightly sync changed the role of Ada Lovelace 3 times',
        of(user('updated', { role: 'x' }), ['1', '1', '1']),
      ],
      ['3 tokens expired', of(token('expired'), three)],
      ['3 tokens were about to expire', of(token('expiring', { days: 7 }), three)],
      ['Nightly sync added 3 users to the group Sales', added(three, ['grp_1'])],
      ['Nightly sync added Ada Lovelace to 3 groups', added(['usr_1', 'usr_1', 'usr_1'], three)],
      ['Nightly sync caused group.merged of 3 groups', of(entry('group.merged', {}), three)],
    ];
    for (const [sentence, entries, isOpen] of sentences)
      expect(inWords(runSentenceOf(entries, (id) => NAMES[id] ?? null, isOpen))).toBe(sentence);
  });

  it('is saved as CSV without formulas, or as it is, one event a line', () => {
    const event = at(
      '2026-11-30T12:00Z',
      user('updated', { role: 'member' }, { actor: { ...TOKEN, name: '=1+1' } }),
    );
    const added = at('2026-11-30T12:00Z', group('member_added', { user: { id: 'usr_1' } }));
    const { csv, ndjson } = FORMATS;
    expect(csv.head).toBe('time,actor,onBehalfOf,action,targetId,targetName,requestId,changes\n');
    expect(csv.lineOf(event)).toBe(
      `2026-11-30T12:00:00.000Z,'=1+1,,user.updated,user_1,Ada Lovelace,req,` +
        `"{""role"":{""before"":""member"",""after"":""admin""}}"\n`,
    );
    expect(csv.lineOf({ ...added, onBehalfOf: 'jane@example.com', requestId: null })).toBe(
      `2026-11-30T12:00:00.000Z,Nightly sync,jane@example.com,group.member_added,group_1,Sales,,` +
        `"{""user"":{""after"":""usr_1""}}"\n`,
    );
    expect(JSON.parse(ndjson.lineOf(event))).toEqual(JSON.parse(JSON.stringify(event)));
  });
});

describe('a period', () => {
  const now = new Date('2026-11-30T15:00');
  const local = (time: string) => new Date(time).toISOString();
  const bounds = (period: 'today' | 'week' | 'month' | 'dates' | undefined, from = '', to = '') =>
    boundsOfDays({ period, from, to }, now);

  it('begins and ends at midnight where the reader is', () => {
    expect(bounds(undefined, '2026-11-01')).toEqual({});
    expect(bounds('today')).toEqual({ since: local('2026-11-30T00:00') });
    expect(bounds('week')).toEqual({ since: local('2026-11-24T00:00') });
    expect(bounds('month')).toEqual({ since: local('2026-11-01T00:00') });
    const november = { since: local('2026-11-01T00:00'), until: local('2026-12-01T00:00') };
    expect(bounds('dates', '2026-11-01', '2026-11-30')).toEqual(november);
    expect(bounds('dates', '2026-11-30', '2026-11-01')).toEqual(november);
    expect(bounds('dates', '', '2026-11-30')).toEqual({ until: november.until });
    expect(bounds('dates', '0002-11-01', '?')).toEqual({});
    expect(bounds('dates', '2026-02-30', '2026-13-01')).toEqual({});
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

describe('an action on many users', () => {
  const signal = new AbortController().signal;
  const hooks = { signal, stopping: signal, onWait() {}, onProgress() {} };
  const nothing = (): Outcome => ({ done: [], changed: [], refused: [], isUncertain: false });
  const addUsers = async (api: Client, count: number): Promise<User[]> => {
    const users = Array.from({ length: count }, (_, n) => ({ name: `P${n}`, email: `p${n}@example.com` }));
    const { body } = await api.post('/api/v1/users/batch', { users }).expect(200);
    return body.results.map(({ id }: { id: string }, n: number) => ({ id, version: 1, ...users[n] }));
  };

  it('ends, when it is stopped, with the answer to the part that is on its way, which Undo undoes', async () => {
    const api = await service.client();
    const targets = [...(await addUsers(api, 500)), { id: 'usr_x', name: 'Never sent' } as User];
    const stopper = new AbortController();
    const client = clientOf(api, {
      fetch: async (input, init) => {
        stopper.abort();
        return fetch(input, init);
      },
    });
    const outcome = nothing();
    const deletion = deleteUsers(client, targets);
    await deletion.work(targets, outcome, { ...hooks, stopping: stopper.signal });
    expect(summaryOf(deletion, outcome)).toBe('Deleted 500 of 501 users');
    expect(await countIn(api)).toBe(0);
    await deletion.undo!(outcome.done).work(outcome.done, nothing(), hooks);
    expect(await countIn(api)).toBe(500);
  });

  it('is undone only for those whom it has changed for certain, and nobody else', async () => {
    const api = await service.client();
    const client = clientOf(api);
    const [viewer, renamed, ...others] = await addUsers(api, 4);
    await client.users.update(viewer.id, { role: 'viewer' });
    await client.users.update(renamed.id, { name: 'New' });
    /** Changes the role of all to viewer, and returns those whom Undo undoes. */
    const undoneOf = async (targets: User[]) => {
      const outcome = nothing();
      await changeRole(client, targets, 'viewer').work(targets, outcome, hooks);
      expect(outcome.done).toEqual(targets);
      return outcome.changed;
    };
    expect(await undoneOf([{ ...viewer, version: 2 }, renamed, others[0]])).toEqual([others[0]]);
    // Somebody else has given the role to one of them after both were listed: the answer does not tell to whom.
    expect(await undoneOf([viewer, others[1]])).toEqual([]);
  });

  it('may have done something if no answer came, until the same part is answered', async () => {
    const api = await service.client();
    const targets = await addUsers(api, 1);
    const statuses = [500, 403];
    const client = clientOf(api, {
      retryBudgetMs: 0,
      fetch: async (input, init) => {
        const answer = await fetch(input, init);
        return statuses.length > 0 ? new Response('', { status: statuses.shift() }) : answer;
      },
    });
    const outcome = nothing();
    const deletion = deleteUsers(client, targets);
    for (const _status of [500, 403]) {
      await expect(deletion.work(targets, outcome, hooks)).rejects.toThrow();
      expect(summaryOf(deletion, outcome)).toBe('Deleted 0 of 1 user; some more may have been deleted');
    }
    await deletion.work(targets, outcome, hooks);
    expect(summaryOf(deletion, outcome)).toBe('Deleted 1 user');
    expect(outcome.refused).toEqual([]);
  });

  it('has no answer yet, either, while the service still works on the same part', () => {
    const fields = { requestId: undefined, retryAfter: undefined };
    const isUnknown = (code: ApiError['code']) =>
      isUnanswered(new ApiError('x', { status: 409, code, ...fields }));
    expect([isUnknown('idempotency_in_progress'), isUnknown('conflict')]).toEqual([true, false]);
  });

  it('says in its own words what it does, what it did and what was refused', () => {
    const client = clientOf({ tokenValue: 'ums_x' } as Client);
    const targets = Array.from({ length: 1_250 }, (_, n) => ({ id: `usr_${n}`, name: `P${n}` }) as User);
    const refused = targets.slice(1_247).map((target) => ({ target, reason: 'x' }));
    const outcome = { done: targets.slice(0, 1_247), changed: [], refused, isUncertain: false };
    const rows: [Bulk, string, string][] = [
      [changeActive(client, targets, true), 'Activating', 'Activated 1,247 users; 3 could not be activated'],
      [
        changeActive(client, targets, false),
        'Deactivating',
        'Deactivated 1,247 users; 3 could not be deactivated',
      ],
      [
        changeRole(client, targets, 'viewer'),
        'Changing the role of',
        'Changed the role of 1,247 users; 3 could not be changed',
      ],
      [deleteUsers(client, targets), 'Deleting', 'Deleted 1,247 users; 3 could not be deleted'],
    ];
    for (const [bulk, doing, summary] of rows)
      expect([bulk.doing, summaryOf(bulk, outcome)]).toEqual([doing, summary]);
  });
});

describe('a file of users', () => {
  let api: Client;
  beforeEach(async () => void (api = await service.client()));

  const fileOf = (content: string) => new File([content], 'people.csv');
  const people = (count: number) =>
    ['email,name', ...Array.from({ length: count }, (_, n) => `p${n}@example.com,Person ${n}`)].join('\n');

  /** Imports a file, whose columns become what their names suggest. */
  async function run(content: string, options: Partial<ImportOptions> = {}, client = clientOf(api)) {
    const head = await readHead(fileOf(content));
    const reported: ImportProgress[] = [];
    await runImport(client, head, proposeTargets(head.header, []), {
      mode: 'create',
      dryRun: false,
      signal: new AbortController().signal,
      stopping: new AbortController().signal,
      onProgress: (progress) => void reported.push(progress),
      onFailure: async (error) => {
        throw error;
      },
      ...options,
    });
    const { counts, refused } = reported.at(-1)!;
    const reasons = refused.map(
      ({ row, faults }) =>
        `${row.line} ${faults.map(({ field, message }) => `${field} ${message}`).join('; ')}`,
    );
    return { counts, reasons, reported };
  }

  it('is refused if it is empty, has no rows, or a quote stays open', async () => {
    for (const [content, message] of [
      ['\n\n', 'The file is empty.'],
      ['email,name\n', 'The file has no rows below its header.'],
      ['email,name\na@example.com,"Ada\n', 'The quote that opens at line 2 is never closed.'],
    ])
      await expect(readHead(fileOf(content))).rejects.toThrow(message);
  });

  it('merges single keys of the metadata into those that users have', async () => {
    const { id } = await api.createUser({ email: 'ada@example.com', metadata: { plan: 'pro', dept: 'HR' } });
    const csv = 'email,name,metadata.dept\nada@example.com,Ada,Sales\nnew@example.com,New,\n';
    const { counts } = await run(csv, { mode: 'upsert' });
    expect(counts).toMatchObject({ created: 1, updated: 1, failed: 0 });
    const { body } = await api.get(`/api/v1/users/${id}`).expect(200);
    expect(body.metadata).toEqual({ plan: 'pro', dept: 'Sales' });
  });

  it('has the same keys of the metadata refused as the service', async () => {
    const keys = ['', 'x', 'a.b', ' ', '__proto__', 'constructor', 'prototype', 'toString', 'a\0'];
    for (const key of [...keys, '😀'.repeat(64), '😀'.repeat(65)]) {
      const metadata = `{${JSON.stringify(key)}:"x"}`;
      const response = await fetch(`${service.url}/api/v1/users`, {
        method: 'POST',
        headers: { authorization: `Bearer ${api.tokenValue}`, 'content-type': 'application/json' },
        body: `{"name":"Key","email":"key-${keys.indexOf(key)}-${key.length}@example.com","metadata":${metadata}}`,
      });
      expect([key, response.status]).toEqual([key, keyFault(key) === undefined ? 201 : 400]);
    }
  });

  it('is sent in several batches, and an email that stands in two of them is refused', async () => {
    const { counts, reasons, reported } = await run(`${people(1_200)}\np3@example.com,Again\n`);
    expect(counts).toEqual({ created: 1_200, updated: 0, unchanged: 0, failed: 1 });
    expect(reasons).toEqual(['1202 email appears in an earlier row of the file']);
    expect(new Set(reported.map(({ line }) => line))).toEqual(new Set([501, 1_001, 1_201]));
  });

  it('goes on after a failure with the same key, so that nothing is written twice', async () => {
    const keys: (string | null)[] = [];
    const client = clientOf(api, {
      retryBudgetMs: 0,
      fetch: async (input, init) => {
        keys.push(new Headers(init?.headers).get('Idempotency-Key'));
        const answer = await fetch(input, init);
        return keys.length === 1 ? new Response('', { status: 500 }) : answer; // it was lost after the work
      },
    });
    const { counts, reported } = await run(people(2), { onFailure: async () => {} }, client);
    expect(counts).toMatchObject({ created: 2, failed: 0 });
    expect(reported.map(({ isUncertain }) => isUncertain)).toEqual([true, false, false]);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });

  it('whose import is stopped ends with the answer to the rows that are on their way', async () => {
    const stopper = new AbortController();
    const onProgress = jest.fn();
    const client = clientOf(api, {
      fetch: async (input, init) => {
        stopper.abort();
        return fetch(input, init);
      },
    });
    const stopped = run(people(501), { stopping: stopper.signal, onProgress }, client);
    await expect(stopped).rejects.toThrow('aborted');
    expect(onProgress.mock.lastCall).toMatchObject([{ counts: { created: 500 }, line: 501 }]);
    expect(await countIn(api)).toBe(500);
  });

  it('whose import is interrupted says what was written', () => {
    const counts = { created: 7, updated: 1, unchanged: 0, failed: 0 };
    const after = (...lines: number[]) => {
      const refused = lines.map((line) => ({ row: { line, cells: [] }, faults: [] }));
      return interruption('a.csv', { bytes: 0, counts, refused, line: 501, isUncertain: false });
    };
    expect(interruption('a.csv', undefined)).toBe(
      'The import of a.csv was interrupted before any answer came; look at the list for what was written.',
    );
    expect(after()).toContain(
      'The rows up to line 501 have been written: 7 created, 1 changed, 0 unchanged.',
    );
    expect(after(5, 700)).toContain('written except line 5, which was refused: 7 created');
    expect(after(5, 6)).toContain('written except the 2 that were refused (lines 5, 6): 7');
    const many = Array.from({ length: 21 }, (_, n) => n + 2);
    expect(after(...many)).toContain('except the 21 that were refused (the first are lines 2, 3, ');
  });
});

describe('the kinds of events', () => {
  it('are each in one group of the form of a webhook', () => {
    const inGroups = EVENT_GROUPS.flatMap(({ types }) => types);
    expect([...inGroups].sort()).toEqual(Object.keys(KINDS).sort());
  });

  it('have a name for a single event', () => {
    const names = ['user.created', 'group.member_added', 'webhook.test'].map(eventName);
    expect(names).toEqual(['User created', 'Group member added', 'Webhook test']);
  });
});

describe('the outcome of an attempt', () => {
  const delivery = { attempts: 1, state: 'pending', lastStatus: null, lastError: null } as Delivery;

  it('is said in words, each reason in its own', () => {
    const said = DELIVERY_ERRORS.map((lastError) =>
      outcomeOf({ ...delivery, lastError, lastStatus: lastError === 'status' ? 503 : null }),
    );
    expect(said).toEqual([
      'The receiver responded with status 503',
      'The name of the receiver has no address',
      'The receiver refused the connection',
      'The receiver ended the connection without a response',
      'The receiver did not respond within 15 seconds',
      'The receiver has no valid certificate, or no TLS at this port',
      'The address of the receiver is not allowed',
      'The receiver did not respond in HTTP',
    ]);
  });

  it('is said in a word or a status in the list', () => {
    const said = DELIVERY_ERRORS.map((lastError) =>
      resultOf({ ...delivery, lastError, lastStatus: lastError === 'status' ? 503 : null }),
    );
    expect(said[0]).toBe('503');
    expect(new Set(said).size).toBe(DELIVERY_ERRORS.length);
    expect([resultOf({ ...delivery, attempts: 0 }), resultOf(delivery)]).toEqual(['', 'no response']);
  });

  it('is that there was none, or that nobody has recorded one', () => {
    expect(outcomeOf({ ...delivery, attempts: 0 })).toBe('Not sent yet');
    expect(outcomeOf({ ...delivery, attempts: 0, state: 'failed' })).toContain('disabled before');
    expect(outcomeOf(delivery)).toBe('There is no response');
    expect(outcomeOf({ ...delivery, lastError: 'of a later release' as 'dns' })).toBe('There is no response');
  });
});

describe('the rows of a list of tokens', () => {
  const aToken = (id: string, fields: Partial<Token> = {}) =>
    ({ id, parentId: null, rotatedFrom: null, state: 'active', ...fields }) as Token;
  const shown = (rows: Listed[]) => rows.map(({ id, below }) => (below ? `${id} below its ${below}` : id));
  const childrenOf = (parentId: string, count: number) =>
    Array.from({ length: count }, (_, n) => aToken(`${parentId}${n}`, { parentId }));

  it('have those that a token has issued below it, at the place of the token', () => {
    const rows = tokenRowsOf([...childrenOf('a', 1), aToken('b'), aToken('a')], [], new Set());
    expect(shown(rows)).toEqual(['b', 'a', 'a0 below its parent']);
  });

  it('have a token of another page at the place of the first that it has issued, if it could be fetched', () => {
    const page = [aToken('b'), ...childrenOf('a', 2), ...childrenOf('gone', 1)];
    const rows = tokenRowsOf(page, [aToken('a')], new Set());
    expect(shown(rows)).toEqual(['b', 'a', 'a0 below its parent', 'a1 below its parent', 'gone0']);
  });

  it('hide issued ones that are many, until they are asked for', () => {
    const page = [aToken('a', { rotatedFrom: 'old' }), aToken('old'), ...childrenOf('a', 4)];
    const folded = tokenRowsOf(page, [], new Set());
    expect(shown(folded)).toEqual(['a', 'old below its replacement']);
    expect(folded[0]).toMatchObject({ issued: 4, isOpen: false });
    expect(tokenRowsOf(page, [], new Set(['a']))).toHaveLength(6);
  });
});

describe('the lives that a new token may have', () => {
  const never: Life = ['never', 'Never', Infinity];
  const titles = (maxDays: number | null) =>
    livesWithin([...DAYS, CUSTOM, never], maxDays).map(([, title]) => title);

  it('are all there are, unless the operator has set a limit, which is then the longest', () => {
    expect(titles(null)).toEqual(['30 days', '90 days', '365 days', 'Custom …', 'Never']);
    expect(titles(90)).toEqual(['30 days', '90 days', 'Custom …']);
    expect(titles(60)).toEqual(['30 days', '60 days, the longest', 'Custom …']);
    expect(titles(1)).toEqual(['1 day, the longest', 'Custom …']);
    expect(titles(400)).toEqual(['30 days', '90 days', '365 days', '400 days, the longest', 'Custom …']);
  });
});

describe('an admin token', () => {
  it('is the last one if no other one is active for longer than the longest overlap of a rotation', async () => {
    const HOUR = 3_600_000;
    const inHours = (hours: number) => new Date(Date.now() + hours * HOUR);
    const rows: [string, boolean, ('admin' | 'users:read')[], object][] = [
      ['lacks the scope admin', true, ['users:read'], {}],
      ['is revoked', true, ['admin'], { revoked_at: inHours(-1) }],
      ['has expired', true, ['admin'], { expires_at: inHours(-1) }],
      ['expires within the overlap', true, ['admin'], { expires_at: inHours(167) }],
      ['expires later', false, ['admin'], { expires_at: inHours(169) }],
      ['never expires', false, ['admin'], {}],
    ];
    for (const [other, expected, scopes, columns] of rows) {
      const client = clientOf(await service.client());
      const { id } = await client.tokens.create({ name: 'Other', scopes });
      for (const [column, value] of Object.entries(columns))
        await service.dataSource.query(`UPDATE tokens SET ${column} = $2 WHERE id = $1`, [id, value]);
      const isLast = await isLastAdmin(client, await client.tokens.current());
      expect([other, isLast]).toEqual([other, expected]);
    }
  });

  it('is none without the scope admin', async () => {
    const client = clientOf(await service.client());
    const token = await client.tokens.create({ name: 'CI', scopes: ['users:read'] });
    expect(await isLastAdmin(client, token)).toBe(false);
  });
});

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
