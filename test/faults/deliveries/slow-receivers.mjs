// Three organizations with twenty webhooks each, whose receivers succeed, but slowly.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../load.mjs';
import { SHORT } from '../scene.mjs';
import { newWebhook, post, SILENT } from './requests.mjs';

const ORGANIZATIONS = 3;
const WEBHOOKS = 20;
const TESTS = SHORT ? 2 : 5;

/** The short form holds the answers until the quiet tenant has its events; the service allows 15 s. */
const HELD_MS = SHORT ? Infinity : 14_000;
/** A receiver that takes longer than two seconds is slow. */
const SLOW_MS = 2_500;

/** A server that answers each request after a while. `state.ended` counts those that the service has given up. */
async function startReceivers(t) {
  const state = { holdMs: HELD_MS, held: new Set(), ended: 0, answered: new Set(), most: 0 };
  const answer = (response) => {
    if (!state.held.delete(response)) return;
    state.answered.add(response.req.url);
    response.writeHead(204).end();
  };
  const server = createServer((request, response) => {
    request.resume();
    state.held.add(response);
    state.most = Math.max(state.most, state.held.size);
    response.once('close', () => state.held.delete(response) && state.ended++);
    if (state.holdMs < Infinity) setTimeout(answer, state.holdMs, response).unref();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { ...server.address(), state, answerAll: () => [...state.held].forEach(answer) };
}

/** Waits until the service opens no more connections. */
async function settled(state) {
  let before = -1;
  while (state.held.size === 0 || state.held.size > before) {
    before = state.held.size;
    await sleep(1_000);
  }
}

/** With `areKnown`, the service has seen that each receiver is slow. */
export const slowReceivers =
  ({ areKnown }) =>
  async ({ t, url, place }) => {
    const { port, state, answerAll } = await startReceivers(t);
    const webhooks = [];
    for (let n = 0; n < ORGANIZATIONS; n++) {
      const { admin } = await place.newOrganization(`Slow ${n}`);
      for (let i = 0; i < WEBHOOKS; i++) {
        const webhook = { ...SILENT, url: `http://127.0.0.1:${port}/${n}/${i}` };
        webhooks.push({ admin, id: await newWebhook(url, admin, webhook) });
      }
    }
    const test = (count) =>
      Promise.all(
        webhooks.flatMap(({ admin, id }) =>
          Array.from({ length: count }, () => post(url, `/api/v1/webhooks/${id}/test`, admin)),
        ),
      );
    if (areKnown) {
      state.holdMs = SLOW_MS;
      await test(1);
      await until(() => state.answered.size === webhooks.length);
      state.holdMs = HELD_MS;
    }
    return {
      async begin() {
        await test(TESTS);
        await settled(state);
        return {
          isOver: () => state.ended > 0,
          async end() {
            const outcome = { 'held at once': state.most, 'given up': state.ended };
            answerAll();
            return outcome;
          },
        };
      },
    };
  };
