// A webhook for which very many deliveries wait, as in the database of a former release, which had no bound for them.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { ask, until } from '../load.mjs';
import { insertDeliveries, newWebhook, pendingOf } from './requests.mjs';

/** A receiver that is gone, and counts its requests. */
async function startGone(t) {
  const seen = { count: 0 };
  const server = createServer((request, response) => {
    seen.count++;
    request.resume();
    response.writeHead(410).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}/`, seen };
}

/** A new webhook of a new organization, with so many pending deliveries; `due` of them are sent at once. */
export async function waitingWebhook(t, { place, url }, count, due = 0) {
  const { id: organization, admin } = await place.newOrganization('Waiting');
  const receiver = await startGone(t);
  const webhook = { url: receiver.url, types: ['webhook.disabled'] };
  const id = await newWebhook(url, admin, webhook);
  await insertDeliveries(place.query, organization, id, count, due);
  const path = `/api/v1/webhooks/${id}`;
  const send = (method, more = '', body) => ask(url, `${path}${more}`, { method, token: admin, body });
  return {
    send,
    seen: receiver.seen,
    post: (what, body) => ask(url, `/api/v1/${what}`, { method: 'POST', token: admin, body }),
    events: async (type) =>
      JSON.parse((await ask(url, `/api/v1/events?type=${type}`, { token: admin })).text).data,
    /** Whether the service has disabled it because of its receiver. */
    isGone: async () =>
      (
        await place.query(`SELECT FROM webhooks WHERE id = $1 AND NOT enabled AND disabled_reason = 'gone'`, [
          id,
        ])
      ).length > 0,
    ended: () => until(async () => (await pendingOf(place.query, id)) === 0),
  };
}
