// The heaviest requests of users, deleted users and groups.
import { DENSE, elements, FULL, KB, list, person } from '../bodies.mjs';

const PAGE = 'limit=200';
const search = (q, status = [200, 400]) => ({ query: `${PAGE}&q=${encodeURIComponent(q)}`, status });

const created = async (scene, more) => (await scene.send('POST', '/api/v1/users', person(more))).id;
const deleted = async (scene) => {
  const id = await created(scene, { metadata: FULL });
  await scene.send('DELETE', `/api/v1/users/${id}`);
  return id;
};

/** Tags in as many bytes as are allowed, the last of which is that of a new user. */
const TAGS = [...list(250, () => '"9"'), '"1"'].join();

const MERGE_PATCH = { 'Content-Type': 'application/merge-patch+json' };

/** The same keys, each of which a merge patch removes. */
const nulls = (metadata) => Object.fromEntries(Object.keys(metadata).map((key) => [key, null]));

export const USERS = {
  'GET /api/v1/users': {
    'full metadata': () => ({ query: PAGE }),
    'short metadata, long names': ({ short }) => ({ token: short.token, query: PAGE }),
    'full metadata, by name': () => ({ query: `${PAGE}&sort=name` }),
    'full metadata, of a group': ({ heavy }) => ({ query: `${PAGE}&sort=email&group=${heavy.groups[0]}` }),
    'full metadata, of a time': () => ({
      query: `${PAGE}&sort=updatedAt&updatedSince=2000-01-01T00:00:00Z&updatedUntil=2999-01-01T00:00:00Z`,
    }),
    'a long time': () => ({ query: `createdSince=2000-01-01T00:00:00.${'0'.repeat(12 * KB)}Z`, status: 400 }),
    'a long email': () => ({ query: `email=${'a.'.repeat(6 * KB)}a@example.com`, status: 400 }),
  },
  'POST /api/v1/users': {
    'dense metadata': () => ({ body: person({ metadata: DENSE }) }),
    'full metadata': () => ({ body: person({ metadata: FULL }) }),
    'metadata that folds into many letters': () => ({
      body: person({ metadata: { a: '\ufdfa'.repeat(5_400) } }),
    }),
    'metadata of marks': () => ({ body: person({ metadata: { a: '\u05b0\u0591'.repeat(4_000) } }) }),
    'full metadata, with a key': () => ({
      body: person({ metadata: FULL }),
      headers: { 'Idempotency-Key': person().email.padEnd(255, 'x') },
    }),
    'too many values': () => ({
      body: `{"name":"a","email":"a@example.com","metadata":{"a":${elements(63 * KB)}}}`,
      status: 400,
    }),
    'a long name': () => ({ body: person({ name: 'é'.repeat(31 * KB) }), status: 400 }),
    'a long email': () => ({ body: person({ email: `${'a.'.repeat(31 * KB)}@a.b` }), status: 400 }),
  },
  'GET /api/v1/users/search': {
    everybody: () => search('loop'),
    'everybody with short metadata': ({ short }) => ({ ...search('short'), token: short.token }),
    'two typos': () => search('lopo exmaple'),
    'ten words': () => search('example loop lop oop exa xam amp mpl ple com', [200, 503]),
    '200 Chinese characters': () => search('龘'.repeat(200)),
    'characters that become words': () => search('ﷺ '.repeat(100)),
    'a long text': () => search('a '.repeat(3_000), 400),
  },
  'GET /api/v1/users/:id': { 'full metadata': ({ heavy }) => ({ id: heavy.users[0] }) },
  'PATCH /api/v1/users/:id': {
    'dense metadata': async (scene) => ({ id: await created(scene), body: { metadata: DENSE } }),
    'full metadata': async (scene) => ({ id: await created(scene), body: { metadata: FULL } }),
    'full metadata, many tags': async (scene) => ({
      id: await created(scene),
      body: { metadata: FULL },
      headers: { 'If-Match': TAGS },
    }),
    'full metadata, merged': async (scene) => ({
      id: await created(scene, { metadata: DENSE }),
      body: { metadata: { ...FULL, b: null } },
      headers: MERGE_PATCH,
      status: [200, 400],
    }),
    'dense metadata, removed by a merge': async (scene) => ({
      id: await created(scene, { metadata: DENSE }),
      body: { metadata: nulls(DENSE) },
      headers: MERGE_PATCH,
    }),
    'a merge of too many values': async (scene) => ({
      id: await created(scene, { metadata: DENSE }),
      body: `{"metadata":{"a":${elements(63 * KB)}}}`,
      headers: MERGE_PATCH,
      status: 400,
    }),
  },
  'DELETE /api/v1/users/:id': {
    'full metadata': async (scene) => ({ id: await created(scene, { metadata: FULL }) }),
  },
  'GET /api/v1/users/:id/export': { '200 full events': ({ heavy }) => ({ id: heavy.users[0] }) },
  'GET /api/v1/deleted-users': { 'full metadata': () => ({ query: PAGE }) },
  'GET /api/v1/deleted-users/:id': { 'full metadata': async (scene) => ({ id: await deleted(scene) }) },
  'POST /api/v1/deleted-users/:id/restore': {
    'full metadata': async (scene) => ({ id: await deleted(scene) }),
  },
  'DELETE /api/v1/deleted-users/:id': { 'full metadata': async (scene) => ({ id: await deleted(scene) }) },
  'GET /api/v1/groups': {
    'long names': () => ({ query: PAGE }),
    'long names, of a user': ({ heavy }) => ({ query: `${PAGE}&user=${heavy.users[0]}` }),
  },
  'GET /api/v1/groups/:id': { 'a long name': ({ heavy }) => ({ id: heavy.groups[0] }) },
  'GET /api/v1/statistics': { '100,000 users': ({ large }) => ({ token: large.token }) },
};
