// A tenant that creates a few users, and what its receiver and the host's subscriber get of it.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { newWebhook } from './requests.mjs';

/** How long its events may take before a run gives up. */
const GIVE_UP_MS = 30_000;

/** `subscriber` emits what the subscriber of the host gets. */
export async function startQuietTenant({ quiet }, url, subscriber) {
  const worker = new Worker(new URL('quiet-tenant.worker.mjs', import.meta.url), {
    workerData: { url, token: quiet.admin },
  });
  const [{ port }] = await once(worker, 'message');
  await newWebhook(url, quiet.admin, {
    url: `http://127.0.0.1:${port}/`,
    types: ['user.created'],
    ordering: 'organization', // so that an order is promised
  });
  const created = [];
  const arrived = { receiver: [], subscriber: [] };
  let isDone;
  worker.on('message', ({ what, ...rest }) => {
    if (what === 'created') created.push(rest);
    else if (what === 'received') arrived.receiver.push(rest);
    else isDone();
  });
  subscriber.on('message', (event) => arrived.subscriber.push(event));

  return {
    /**
     * Creates users, one every so often, and waits until all their events have arrived, or until it is over: by default
     * half a minute after the last one. Returns what has happened until then.
     */
    async run({ count, everyMs = 250 }, isOver = () => false) {
      const [first, before] = [created.length, { ...lengthsOf(arrived) }];
      const done = new Promise((resolve) => (isDone = resolve));
      worker.postMessage({ count, everyMs });
      let giveUpAt = Infinity;
      void done.then(() => (giveUpAt = performance.now() + GIVE_UP_MS));
      const isComplete = () =>
        giveUpAt < Infinity &&
        Object.entries(arrived).every(([place, list]) => list.length - before[place] >= count);
      while (!isComplete() && !isOver() && performance.now() < giveUpAt) await sleep(10);
      const made = created.slice(first);
      const part = (place) => outcomeOf(made, arrived[place].slice(before[place]));
      const outcome = { receiver: part('receiver'), subscriber: part('subscriber') };
      await done;
      return { ...outcome, statuses: created.slice(first).map(({ status }) => status), count };
    },
    stop: () => worker.terminate(),
  };
}

const lengthsOf = (lists) =>
  Object.fromEntries(Object.entries(lists).map(([place, { length }]) => [place, length]));

/** The events in the order of their arrival, and how late they were after the response, in milliseconds. */
function outcomeOf(created, arrived) {
  const times = new Map(created.map(({ email, at }) => [email, at]));
  const own = arrived.filter(({ email }) => times.has(email));
  const late = own.map(({ email, at }) => Math.max(0, at - times.get(email))).sort((a, b) => a - b);
  const quantile = (share) => late[Math.min(late.length - 1, Math.floor(late.length * share))];
  return {
    sequences: arrived.map(({ sequence }) => sequence),
    p50: quantile(0.5),
    p99: quantile(0.99),
    max: quantile(1),
  };
}
