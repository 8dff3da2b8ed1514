// The heaviest requests of the API: users, groups, batches, tokens, events, webhooks, and organizations.
import { DENSE, elements, FULL, KB, keys, list, longName, MB, person } from './bodies.mjs';

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

/** The ids of as many new users with full metadata as a batch takes. */
const createdMany = async (scene) => {
  const ids = [];
  for (let n = 0; n < 10; n++) {
    const users = Array.from({ length: 50 }, () => person({ metadata: FULL }));
    const { results } = await scene.send('POST', '/api/v1/users/batch', { users });
    ids.push(...results.map(({ id }) => id));
  }
  return { users: ids.map((id) => ({ id })) };
};

export const USERS = {
  'GET /api/v1/users': {
    'full metadata': () => ({ query: PAGE }),
    'short metadata, long names': ({ short }) => ({ token: short.token, query: PAGE }),
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
  },
  'DELETE /api/v1/users/:id': {
    'full metadata': async (scene) => ({ id: await created(scene, { metadata: FULL }) }),
  },
  'GET /api/v1/users/:id/export': { '200 full events': ({ heavy }) => ({ id: heavy.users[0] }) },
  'POST /api/v1/users/batch-delete': {
    '500 with full metadata': async (scene) => ({ body: await createdMany(scene) }),
  },
  'POST /api/v1/deleted-users/batch-restore': {
    '500 with full metadata': async (scene) => {
      const body = await createdMany(scene);
      await scene.send('POST', '/api/v1/users/batch-delete', body);
      return { body };
    },
  },
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
  'GET /api/v1/settings': { 'all of them': () => ({}) },
  'GET /api/v1/statistics': { '100,000 users': ({ large }) => ({ token: large.token }) },
};

const MOST = 500;
const WORDS = { a: 'word '.repeat(370) };
const dry = { mode: 'upsert', dryRun: true };

const batch = (users, more) => ({ body: { users, ...more } });
const many = () => list(MOST, () => person({ metadata: WORDS }));
const allOf = ({ heavy }, more) => heavy.emails.map((email) => ({ email, ...more }));
/** Users of whom the service knows no field. */
const unknownFields = `[${list(MOST, () => `{${keys(2_080, 138)}}`)}]`;
const WRONG = { name: 1, email: 1, externalId: 1, role: 1, active: 1, metadata: 1, id: 1, version: 1 };

export const BATCH = {
  'POST /api/v1/users/batch': {
    'dense metadata': () => batch(list(69, () => person({ metadata: DENSE }))),
    'full metadata': () => batch(list(49, () => person({ metadata: FULL }))),
    '500 users, with a key': () => ({
      ...batch(many()),
      headers: { 'Idempotency-Key': person().email.padEnd(255, 'x') },
    }),
    '500 users, atomic, dry': () => batch(many(), { atomic: true, ...dry }),
    '500 long names and external ids': () => {
      const long = () => person({ name: longName(200), externalId: person().name.padEnd(200, '😀') });
      return { ...batch(list(MOST, long), { mode: 'upsert', by: 'externalId' }), status: [200, 400] };
    },
    'unknown fields, dry': () => ({ body: `{"users":${unknownFields},"dryRun":true}` }),
    'every field wrong': () => batch(list(MOST, () => WRONG)),
    'objects as users': () => ({ body: `{"users":${elements(MB - 20)}}`, status: 400 }),
    'objects as metadata': () => ({
      body: `{"users":[{"name":"a","email":"a@example.com","metadata":{"a":${elements(MB - 80)}}}]}`,
      status: [200, 400],
    }),
    'full users are looked at': (scene) => batch(allOf(scene, { name: 'Changed' }), dry),
    'full users are changed': (scene, n) =>
      batch(allOf(scene, { role: n % 2 ? 'admin' : 'viewer' }), { mode: 'upsert' }),
  },
};

const scopes = ['users:read', 'users:write', 'users:delete', 'admin'];
const token = () => ({ name: longName(100), scopes });
const networks = (count) => Array.from({ length: count }, (_, i) => `2001:db8:${i}::/48`);
const newToken = (scene) => scene.send('POST', '/v1/tokens', token());
const newTokenId = async (scene) => ({ id: (await newToken(scene)).id });

export const ADMINISTRATION = {
  'GET /v1/tokens': { 'long names': () => ({ query: PAGE }) },
  'POST /v1/tokens': {
    'a long name': () => ({ body: token() }),
    'many scopes': () => ({ body: `{"name":"a","scopes":${elements(63 * KB, '"admin"')}}`, status: 400 }),
  },
  'GET /v1/tokens/current': { 'a long name': async (scene) => ({ token: (await newToken(scene)).token }) },
  'DELETE /v1/tokens/current': { 'a long name': async (scene) => ({ token: (await newToken(scene)).token }) },
  'GET /v1/tokens/:id': { 'a long name': newTokenId },
  'PATCH /v1/tokens/:id': {
    'everything changes': async (scene) => ({
      ...(await newTokenId(scene)),
      body: { name: longName(100), scopes: ['admin'], rateLimit: 1, allowedNetworks: networks(20) },
    }),
    'many networks': async (scene) => ({
      ...(await newTokenId(scene)),
      body: `{"allowedNetworks":${elements(63 * KB, '"::1"')}}`,
      status: 400,
    }),
  },
  'DELETE /v1/tokens/:id': { 'a long name': newTokenId },
  'POST /v1/tokens/:id/rotate': { 'a long name': newTokenId },
  'GET /api/v1/events': {
    'of users with full metadata': () => ({ query: `${PAGE}&type=user.updated` }),
    'many types': () => ({
      query: `${PAGE}&type=${list(1_000, () => 'user.updated')}`,
      status: [200, 400],
    }),
  },
  'GET /api/v1/events/:id': { 'of a user with full metadata': ({ heavy }) => ({ id: heavy.events[0] }) },
};

const WEBHOOK_TYPES = elements(62 * KB, '"user.updated"');

const webhook = (more) => ({
  url: `https://example.com/${'x'.repeat(2_000)}`,
  types: ['user.created', 'user.updated', 'user.deleted', 'user.restored', 'user.purged', 'group.created'],
  description: longName(200),
  enabled: false,
  ...more,
});

/** Removes all others before, because an organization has few. */
async function removeOthers(scene) {
  const { data } = await scene.send('GET', `/api/v1/webhooks?${PAGE}`);
  const others = data.filter(({ id }) => id !== scene.heavy.webhook);
  for (const { id } of others) await scene.send('DELETE', `/api/v1/webhooks/${id}`);
}
async function newWebhook(scene, more) {
  await removeOthers(scene);
  return { id: (await scene.send('POST', '/api/v1/webhooks', webhook(more))).id };
}
const enabled = (scene) => newWebhook(scene, { enabled: true });
const known = ({ heavy }) => ({ id: heavy.webhook });

export const WEBHOOKS = {
  'GET /api/v1/webhooks': {
    'long addresses': async (scene) => {
      await removeOthers(scene);
      for (let n = 1; n < 20; n++) await scene.send('POST', '/api/v1/webhooks', webhook());
      return { query: PAGE };
    },
  },
  'POST /api/v1/webhooks': {
    'a long address': async (scene) => {
      await removeOthers(scene);
      return { body: webhook() };
    },
    'many types': () => ({ body: `{"url":"https://example.com","types":${WEBHOOK_TYPES}}`, status: 400 }),
    'too long an address': () => ({
      body: webhook({ url: `https://${'a.'.repeat(30 * KB)}b` }),
      status: 400,
    }),
  },
  'GET /api/v1/webhooks/:id': { 'a long address': known },
  'PATCH /api/v1/webhooks/:id': {
    'a long address': async (scene) => ({
      ...(await newWebhook(scene)),
      body: webhook({ description: longName(199) }),
    }),
  },
  'DELETE /api/v1/webhooks/:id': { 'a long address': (scene) => newWebhook(scene) },
  'POST /api/v1/webhooks/:id/rotate-secret': { 'a long address': known },
  'POST /api/v1/webhooks/:id/test': { 'a long address': enabled },
  'GET /api/v1/webhooks/:id/deliveries': {
    '10,000 deliveries': (scene) => ({ ...known(scene), query: PAGE }),
  },
  'POST /api/v1/webhooks/:id/redeliver': {
    'every event': async (scene) => ({ ...(await enabled(scene)), body: { since: '2020-01-01T00:00:00Z' } }),
  },
};

const ORGANIZATIONS = '/v1/organizations';

/** Makes a request of the operator. */
const by = (make) => async (scene) => ({ token: scene.operatorToken, ...(await make(scene)) });

const organization = () => ({ name: longName(100) });
const newOrganizationId = async ({ sendAsOperator }) =>
  (await sendAsOperator('POST', ORGANIZATIONS, organization())).id;
const ofNew = (request) => by(async (scene) => ({ id: await newOrganizationId(scene), ...request }));

const suspendedId = async (scene) => {
  const id = await newOrganizationId(scene);
  await scene.sendAsOperator('PATCH', `${ORGANIZATIONS}/${id}`, { suspended: true });
  return { id };
};
const tokenOfNew = async (scene) => {
  const tokens = `${ORGANIZATIONS}/${await newOrganizationId(scene)}/tokens`;
  const { id } = await scene.sendAsOperator('POST', tokens, { name: longName(100), scopes: ['admin'] });
  return { path: `${tokens}/${id}` };
};

export const OPERATOR = {
  [`GET ${ORGANIZATIONS}`]: { 'long names': by(() => ({ query: PAGE })) },
  [`POST ${ORGANIZATIONS}`]: { 'a long name': by(() => ({ body: organization() })) },
  [`GET ${ORGANIZATIONS}/:id`]: { 'a long name': ofNew() },
  [`PATCH ${ORGANIZATIONS}/:id`]: { 'a long name': ofNew({ body: { ...organization(), suspended: true } }) },
  [`DELETE ${ORGANIZATIONS}/:id`]: { 'a suspended one': by(suspendedId) },
  [`GET ${ORGANIZATIONS}/:id/tokens`]: {
    'of many': by(({ heavy }) => ({ id: heavy.organization, query: PAGE })),
  },
  [`POST ${ORGANIZATIONS}/:id/tokens`]: {
    'a long name': ofNew({ body: { name: longName(100), scopes: ['admin'] } }),
  },
  [`DELETE ${ORGANIZATIONS}/:id/tokens/:tokenId`]: { 'a long name': by(tokenOfNew) },
};
