/**
 * @only embedded: it uses no database
 */
import { changesOf } from '../../dashboard/activity/changes';
import { type Entry, sentenceOf, targetNameOf } from '../../dashboard/activity/sentence';

const TOKEN: Entry['actor'] = { type: 'token', id: 'tok_1', name: 'Nightly sync' };
const system = (name: string): Entry['actor'] => ({ type: 'system', id: null, name });

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

const spell = (entry: Entry) =>
  sentenceOf(entry)
    .map((part) => (typeof part === 'string' ? part : part.name))
    .join('');

describe('the sentence of an event', () => {
  it.each<[string, Entry]>([
    ['Nightly sync created Ada Lovelace', user('created')],
    [
      'Nightly sync changed the role of Ada Lovelace from member to admin',
      user('updated', { role: 'member' }),
    ],
    [
      'Nightly sync changed the email of Ada Lovelace from a@example.com to ada@example.com',
      user('updated', { email: 'a@example.com' }),
    ],
    ['Nightly sync renamed Ada Byron to Ada Lovelace', user('updated', { name: 'Ada Byron' })],
    ['Nightly sync changed the metadata of Ada Lovelace', user('updated', { metadata: { plan: 'pro' } })],
    [
      'Nightly sync changed the name, email, and role of Ada Lovelace',
      user('updated', { name: 'A', email: 'a@example.com', role: 'viewer' }),
    ],
    ['Nightly sync changed Ada Lovelace', user('updated', {})],
    ['Nightly sync deactivated Ada Lovelace', user('updated', { active: true })],
    [
      'Nightly sync activated Ada Lovelace',
      entry('user.updated', { user: { ...USER, active: true }, previous: { active: false } }),
    ],
    [
      'Nightly sync changed the role and active of Ada Lovelace',
      user('updated', { role: 'viewer', active: true }),
    ],
    ['Nightly sync deleted Ada Lovelace', user('deleted')],
    ['Nightly sync restored Ada Lovelace', user('restored')],
    ['Nightly sync purged a deleted user', entry('user.purged', null)],
    ['Nightly sync created a user who has been purged', entry('user.created', null)],
    ['Nightly sync changed a user who has been purged', entry('user.updated', null)],
    ['Nightly sync deleted a user who has been purged', entry('user.deleted', null)],
    ['Nightly sync restored a user who has been purged', entry('user.restored', null)],
    ['Nightly sync created the token CI', token('created')],
    ['Nightly sync rotated the token CI', token('rotated')],
    ['Nightly sync revoked the token CI', token('revoked')],
    ['The token CI had 7 days left', token('expiring', { days: 7 })],
    ['The token CI had 1 day left', token('expiring', { days: 1 })],
    ['The token CI was about to expire', token('expiring')],
    ['The token CI expired', token('expired')],
    ['Nightly sync created the group Sales', group('created')],
    ['Nightly sync deleted the group Sales', group('deleted')],
    ['Nightly sync renamed the group Sale to Sales', group('updated', { previous: { displayName: 'Sale' } })],
    [
      'Nightly sync changed the external id of the group Sales',
      group('updated', { previous: { externalId: null } }),
    ],
    [
      'Nightly sync added the user usr_1 to the group Sales',
      group('member_added', { user: { id: 'usr_1' } }),
    ],
    [
      'Nightly sync removed the user usr_1 from the group Sales',
      group('member_removed', { user: { id: 'usr_1' } }),
    ],
    ['Nightly sync caused group.merged of the group group_1', entry('group.merged', { group: {} })],
    ['Nightly sync caused user.promoted of Ada Lovelace', user('promoted')],
    [
      'The operator suspended the organization Acme',
      entry('organization.suspended', { organization: { name: 'Acme' } }, { actor: system('operator') }),
    ],
    [
      'A command (ums organizations resume) resumed the organization Acme',
      entry(
        'organization.resumed',
        { organization: { name: 'Acme' } },
        { source: 'cli', actor: system('ums organizations resume') },
      ),
    ],
    [
      'A command (ums users import) created Ada Lovelace',
      user('created', undefined, { source: 'cli', actor: system('ums users import') }),
    ],
    [
      'The application created Ada Lovelace',
      user('created', undefined, { source: 'application', actor: system('application') }),
    ],
    ['The directory Nightly sync created Ada Lovelace', user('created', undefined, { source: 'scim' })],
    [
      'A sign-in (ada@example.com) created the token CI',
      { ...token('created'), source: 'sign-in', actor: system('ada@example.com') },
    ],
    [
      'The issuer https://token.example.com created the token CI',
      { ...token('created'), source: 'federation', actor: system('https://token.example.com') },
    ],
    [
      'The service purged a deleted user',
      entry('user.purged', null, { source: 'service', actor: system('x') }),
    ],
  ])('%s', (sentence, entry) => expect(spell(entry)).toBe(sentence));

  it('sets names apart, whatever they say', () => {
    const actor = { ...TOKEN, name: 'CI deleted Bob and' };
    expect(sentenceOf(user('created', undefined, { actor }))).toEqual([
      { name: 'CI deleted Bob and' },
      ' created ',
      { name: 'Ada Lovelace' },
    ]);
  });

  it('calls what has no name by its id', () => {
    expect([user('created'), entry('user.created', null)].map(targetNameOf)).toEqual([
      'Ada Lovelace',
      'user_1',
    ]);
  });
});

describe('the changes of an event', () => {
  it('are the changed fields of an update, with each key of the metadata', () => {
    const after = { ...USER, metadata: { plan: 'pro', seats: 5, beta: true } };
    const previous = { role: 'member', metadata: { plan: 'free', seats: 5, team: 'x' } };
    expect(changesOf(entry('user.updated', { user: after, previous }))).toEqual([
      { field: 'role', before: 'member', after: 'admin' },
      { field: 'metadata.plan', before: 'free', after: 'pro' },
      { field: 'metadata.team', before: 'x', after: undefined },
      { field: 'metadata.beta', before: undefined, after: true },
    ]);
  });

  it('are all fields of what was created, deleted or revoked', () => {
    const [name, email, role, active] = ['Ada Lovelace', 'ada@example.com', 'admin', false];
    const all = (side: 'before' | 'after') =>
      Object.entries({ name, email, role, active }).map(([field, value]) => ({ field, [side]: value }));
    expect(changesOf(user('created'))).toEqual(all('after'));
    expect(changesOf(user('deleted'))).toEqual(all('before'));
    expect(changesOf(token('revoked'))).toEqual([{ field: 'name', before: undefined, after: 'CI' }]);
  });

  it('are none if the user has been purged', () => {
    expect(changesOf(entry('user.deleted', null))).toEqual([]);
  });
});
