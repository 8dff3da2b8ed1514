import { type Event } from '../../../client/index';
import { changesOf as changesIn, durationOf, titleOfChange } from '../../../dashboard/activity/changes';
import { FORMATS } from '../../../dashboard/activity/export-rows';
import { boundsOf as boundsOfDays } from '../../../dashboard/activity/period';
import { runSentenceOf } from '../../../dashboard/activity/run-sentence';
import { type Entry, type Part, sentenceOf, targetNameOf } from '../../../dashboard/activity/sentence';
import { daysOf, dayTitleOf } from '../../../dashboard/activity/timeline';

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
