// The heaviest requests of webhooks.
import { elements, KB, longName } from '../bodies.mjs';

const PAGE = 'limit=200';
const TYPES = elements(62 * KB, '"user.updated"');

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
    'many types': () => ({ body: `{"url":"https://example.com","types":${TYPES}}`, status: 400 }),
    'wrong types': () => ({
      body: `{"url":"https://example.com","types":${elements(62 * KB)}}`,
      status: 400,
    }),
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
    'many types': (scene) => ({ ...known(scene), body: `{"types":${TYPES}}`, status: 400 }),
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
