// The heaviest requests of the API's routes of users and groups.
import { DENSE, FULL, filled, KB, keys, list, MB, objects, person } from './bodies.mjs';

const PAGE = 'limit=200';
const tags = { 'If-Match': list(250, () => '"9"').join() + ',"1"' };

const created = (s, more) => s.send('POST', '/api/v1/users', person(more));
const deleted = async (s) => {
  const { id } = await created(s, { metadata: FULL });
  await s.send('DELETE', `/api/v1/users/${id}`);
  return id;
};
const batch = (users, more) => ({ body: { users, ...more } });
const search = (q) => ({ query: `${PAGE}&q=${encodeURIComponent(q)}` });

export const USERS = {
  'GET /api/v1/users': {
    'full metadata': () => ({ query: PAGE }),
    'by name': () => ({ query: `${PAGE}&sort=name` }),
    'of a group': (s) => ({ query: `${PAGE}&group=${s.heavy.groups[0]}&sort=email` }),
    'long email': () => ({ query: `email=${'a.'.repeat(120)}a@example.com`, status: 400 }),
  },
  'POST /api/v1/users': {
    'dense metadata': () => ({ body: person({ metadata: DENSE }) }),
    'full metadata': () => ({ body: person({ metadata: FULL }) }),
    'too many values': () => ({ body: `{"name":"a","email":"a@b.c","metadata":{"a":${objects(60 * KB)}}}`, status: 400 }),
    'long texts': () => ({ body: person({ name: 'é'.repeat(30 * KB) }), status: 400 }),
    'long email': () => ({ body: { name: 'a', email: `${'a.'.repeat(30 * KB)}@b.c` }, status: 400 }),
    'with a key': () => ({
      body: person({ metadata: FULL }),
      headers: { 'Idempotency-Key': `${person().email}`.padEnd(255, 'x') },
    }),
  },
  'POST /api/v1/users/batch': {
    '65 with dense metadata': () => batch(list(65, () => person({ metadata: DENSE }))),
    '60 with full metadata': () => batch(list(60, () => person({ metadata: FULL }))),
    '500 with metadata': () => batch(list(500, () => person({ metadata: { a: 'word '.repeat(370) } }))),
    '500 with 255 unknown keys': () =>
      ({ body: `{"users":[${filled(MB - 20, `{${keys(1_950)}},`).slice(0, -1)}]}` }),
    '500 with 255 unknown keys, dry': () =>
      ({ body: `{"dryRun":true,"users":[${filled(MB - 40, `{${keys(1_950)}},`).slice(0, -1)}]}` }),
    '1 MB of objects as users': () => ({ body: `{"users":${objects(MB - 20)}}`, status: 400 }),
    '1 MB of objects in a user': () => ({ body: `{"users":[{"name":"a","email":"a@b.c","metadata":{"a":${objects(MB - 80)}}}]}` }),
    '1 MB of objects in an unknown key': () => ({ body: `{"a":${objects(MB - 20)},"users":[]}`, status: 400 }),
    'atomic, every field wrong': () => ({
      body: { users: list(500, () => ({ name: 1, email: 1, role: 1, active: 1, metadata: 1, id: 1, version: 1 })), atomic: true },
      status: 400,
    }),
    'dry upsert of full users': (s) => ({
      body: { users: s.heavy.emails.map((email) => ({ email, name: 'Changed' })), mode: 'upsert', dryRun: true },
    }),
    'upsert of full users': (s, n) => ({
      body: { users: s.heavy.emails.map((email) => ({ email, role: n % 2 ? 'viewer' : 'admin' })), mode: 'upsert' },
    }),
    'with a key': () => ({
      ...batch(list(500, () => person({ metadata: { a: 'word '.repeat(370) } }))),
      headers: { 'Idempotency-Key': `${person().email}`.padEnd(255, 'x') },
    }),
  },
  'GET /api/v1/users/search': {
    'everybody': () => search('loop'),
    'ten words': () => search('example loop user 0é 1é 2é 3é 4é 5é 6é'),
    'two typos': () => search('lopo exmaple'),
    '200 characters': () => search('龘'.repeat(200)),
    'characters that become words': () => ({ ...search('ﷺ '.repeat(10)), status: [200, 400] }),
    'very long': () => ({ ...search('a '.repeat(5_000)), status: 400 }),
  },
  'GET /api/v1/users/:id': {
    full: (s) => ({ id: s.heavy.users[0] }),
    'many tags': (s) => ({ id: s.heavy.users[0], headers: { 'If-None-Match': tags['If-Match'] }, status: [200, 304] }),
  },
  'PATCH /api/v1/users/:id': {
    'dense metadata': (s, n) => ({ id: s.heavy.users[1], body: { metadata: { ...DENSE, b: n } } }),
    'full metadata': (s, n) => ({ id: s.heavy.users[1], body: { metadata: { ...FULL, b: n } } }),
    'many tags': async (s) => ({ id: (await created(s)).id, body: { metadata: FULL }, headers: tags }),
  },
  'DELETE /api/v1/users/:id': {
    full: async (s) => ({ id: (await created(s, { metadata: FULL })).id }),
  },
  'GET /api/v1/users/:id/export': { 'with 200 full events': (s) => ({ id: s.heavy.users[0] }) },
  'GET /api/v1/deleted-users': { full: () => ({ query: PAGE }) },
  'GET /api/v1/deleted-users/:id': { full: async (s) => ({ id: await deleted(s) }) },
  'POST /api/v1/deleted-users/:id/restore': { full: async (s) => ({ id: await deleted(s) }) },
  'DELETE /api/v1/deleted-users/:id': { full: async (s) => ({ id: await deleted(s) }) },
  'GET /api/v1/groups': {
    'long names and external ids': () => ({ query: PAGE }),
    'of a user': (s) => ({ query: `${PAGE}&user=${s.heavy.users[0]}` }),
  },
  'GET /api/v1/groups/:id': { 'long name and external id': (s) => ({ id: s.heavy.groups[0] }) },
  'GET /api/v1/statistics': { 'of 100,000 users': (s) => ({ token: s.large.token }) },
};
