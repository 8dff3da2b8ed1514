// The heaviest requests of the routes of tokens, events, webhooks and the dashboard, and of those without a token.
import { KB, list, objects } from './bodies.mjs';

const PAGE = 'limit=200';
const scopes = ['users:read', 'users:write', 'users:delete', 'admin'];
const longName = () => '😀'.repeat(100);
const repeated = (text, bytes) => list(Math.floor(bytes / (text.length + 3)), () => text);

const newToken = (s) => s.send('POST', '/v1/tokens', { name: longName(), scopes });
const webhook = (more) => ({
  url: `https://example.com/${'x'.repeat(2_000)}`,
  types: ['user.created', 'user.updated', 'user.deleted', 'group.created', 'group.updated'],
  description: longName(),
  enabled: false,
  ...more,
});
/** In the place of a former one, because an organization has few. */
async function newWebhook(s) {
  const { data } = await s.send('GET', `/api/v1/webhooks?${PAGE}`);
  for (const { id } of data) if (id !== s.heavy.webhook) await s.send('DELETE', `/api/v1/webhooks/${id}`);
  return s.send('POST', '/api/v1/webhooks', webhook());
}
const enabled = async (s) => {
  const { id } = await newWebhook(s);
  await s.send('PATCH', `/api/v1/webhooks/${id}`, { enabled: true });
  return id;
};

export const ADMINISTRATION = {
  'GET /v1/tokens': { 'long names': () => ({ query: PAGE }) },
  'POST /v1/tokens': {
    'long name': () => ({ body: { name: longName(), scopes } }),
    'a scope 5,000 times': () => ({ body: { name: 'a', scopes: repeated('admin', 60 * KB) }, status: 400 }),
    'wrong scopes': () => ({ body: `{"name":"a","scopes":${objects(60 * KB)}}`, status: 400 }),
  },
  'GET /v1/tokens/current': { 'as it is': () => ({}) },
  'DELETE /v1/tokens/current': { 'as it is': async (s) => ({ token: (await newToken(s)).token }) },
  'GET /v1/tokens/:id': { 'long name': async (s) => ({ id: (await newToken(s)).id }) },
  'DELETE /v1/tokens/:id': { 'long name': async (s) => ({ id: (await newToken(s)).id }) },
  'POST /v1/tokens/:id/rotate': { 'long name': async (s) => ({ id: (await newToken(s)).id }) },
  'GET /api/v1/events': {
    'of users with full metadata': () => ({ query: `${PAGE}&type=user.updated` }),
    'with the newest first': () => ({ query: `${PAGE}&type=user.updated&order=desc` }),
    'a type 1,000 times': () => ({ query: `${PAGE}&type=${list(1_000, () => 'user.updated').join()}`, status: [200, 400] }),
  },
  'GET /api/v1/events/:id': { full: (s) => ({ id: s.heavy.events[0] }) },
  'GET /api/v1/webhooks': { 'long addresses': () => ({ query: PAGE }) },
  'POST /api/v1/webhooks': {
    'long address': async (s) => (await newWebhook(s), { body: webhook() }),
    'a type 3,000 times': () => ({ body: webhook({ types: repeated('user.updated', 60 * KB) }), status: 400 }),
    'wrong types': () => ({ body: `{"types":${objects(60 * KB)}}`, status: 400 }),
    'very long address': () => ({ body: webhook({ url: `https://${'a.'.repeat(30 * KB)}b` }), status: 400 }),
  },
  'GET /api/v1/webhooks/:id': { 'long address': (s) => ({ id: s.heavy.webhook }) },
  'PATCH /api/v1/webhooks/:id': {
    'long address': (s, n) => ({ id: s.heavy.webhook, body: webhook({ description: `${n}` }) }),
    'a type 3,000 times': (s) => ({ id: s.heavy.webhook, body: { types: repeated('user.updated', 60 * KB) }, status: 400 }),
  },
  'DELETE /api/v1/webhooks/:id': { 'as it is': async (s) => ({ id: (await newWebhook(s)).id }) },
  'POST /api/v1/webhooks/:id/rotate-secret': { 'as it is': (s) => ({ id: s.heavy.webhook }) },
  'POST /api/v1/webhooks/:id/test': { 'as it is': async (s) => ({ id: await enabled(s) }) },
  'GET /api/v1/webhooks/:id/deliveries': { 'of 10,000': (s) => ({ id: s.heavy.webhook, query: PAGE }) },
  'POST /api/v1/webhooks/:id/redeliver': {
    'every event': async (s) => ({ id: await enabled(s), body: { since: '2020-01-01T00:00:00Z' } }),
  },
  'GET /livez': { 'as it is': () => ({}) },
  'GET /readyz': { 'as it is': () => ({}) },
  'GET /openapi.json': { 'as it is': () => ({}), 'many tags': () => ({ headers: { 'If-None-Match': list(2_000, () => '"9"').join() } }) },
  'GET /docs': { 'as it is': () => ({}) },
  'GET /docs/:file': { 'the largest': (s) => ({ path: s.largestOf('docs') }) },
  'GET /dashboard/session': { 'with many cookies': () => ({ headers: { Cookie: list(1_400, (n) => `a${n}=b`).join('; ') } }) },
  'POST /dashboard/session': {
    'with many cookies': () => ({
      headers: { Cookie: list(1_000, (n) => `a${n}=b`).join('; '), Origin: 'http://127.0.0.1:9' },
      body: { organizationId: 'x'.repeat(60 * KB) },
      status: [400, 401],
    }),
  },
  'GET /dashboard/sign-in': { 'a long way back': () => ({ query: `to=${'/dashboard/'.repeat(1_300)}`, status: [303, 502, 503] }) },
  'GET /dashboard/callback': {
    'a long cookie': () => ({
      query: `code=${'x'.repeat(7_000)}&state=${'x'.repeat(100)}`,
      headers: { Cookie: `ums-sign-in=${'x'.repeat(7_000)}` },
      status: [303, 400, 401, 403],
    }),
  },
};

/** What no controller serves: files of the dashboard, and the port of the metrics. */
export const OTHERS = {
  'GET /dashboard': { 'as it is': () => ({}) },
  'GET /dashboard/…': { 'the largest file': (s) => ({ path: s.largestOf('dashboard') }) },
  'GET /metrics': { 'as it is': () => ({ isManagement: true }) },
  'POST /unknown': { 'as it is': () => ({ body: objects(64 * KB), status: 404 }) },
};
