/**
 * @slow it waits for receivers
 */
import type { ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { Background } from '../../src/platform/background/background';
import { MAX_ATTEMPT_MS } from '../../src/webhooks/address/post';
import { outcomeOf } from '../../src/webhooks/deliveries/attempt-outcome';
import { Attempts } from '../../src/webhooks/deliveries/attempts';
import { LIMITS } from '../../src/platform/fairness/limits';
import { WebhookClaims } from '../../src/webhooks/deliveries/webhook-claims';
import { aUser, type Client } from '../support/client';
import { movableClock } from '../support/clock';
import type { Receiver } from '../support/receiver';
import { itNotOn } from '../support/engine';
import { createWebhook as create, deliveriesOf, twoLooks, useWebhooks, WEBHOOKS } from '../support/webhooks';
import { until } from '../support/until';

const { service, clock, receive, hooked } = useWebhooks([beforeEach, afterEach]);

/**
 * Lets the sender wait for held answers as long as a test may last: a busy machine may not get far enough in 15
 * seconds. With `lateAfterMs`, they also keep their places.
 */
function waitForHeld(...others: number[]): void {
  const wait = globalThis.setTimeout;
  const isLong = (ms = 0) => ms === MAX_ATTEMPT_MS || others.includes(ms);
  jest
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation((run, ms, ...rest) => wait(run, isLong(ms) ? 280_000 : ms, ...rest));
}

/** Lets a receiver hold its answers back, and returns those that are waited for. */
function hold(receiver: Receiver): Set<ServerResponse> {
  const held = new Set<ServerResponse>();
  receiver.answer((response) => {
    held.add(response);
    response.on('close', () => held.delete(response));
  });
  return held;
}

const succeed = (responses: Iterable<ServerResponse>) => {
  for (const response of responses) response.writeHead(204).end();
};

/** Claims a webhook as another process does. */
async function claimed(api: Client, webhookId: string) {
  const claims = service.app.get(WebhookClaims, { strict: false });
  const attempts = service.app.get(Attempts, { strict: false });
  const due = { organizationId: api.organizationId, id: webhookId };
  const claim = await until(() => claims.claim(due)); // the service itself may have it for a moment
  return { claims, attempts, due, claim };
}

/** Waits until the service sends to a webhook of the organization. */
async function untilClaimed({ organizationId }: Client): Promise<void> {
  const claimed = 'SELECT FROM webhooks WHERE organization_id = $1 AND claimed_until > now()';
  await until(async () => (await service.dataSource.query(claimed, [organizationId])).length > 0);
}

const createUsers = (api: Client, count: number) =>
  api.post('/api/v1/users/batch', { users: Array.from({ length: count }, () => aUser()) }).expect(200);

it('sends at most 10 at once to a webhook', async () => {
  waitForHeld();
  const { api, receiver } = await hooked();
  const held = hold(receiver);
  await createUsers(api, 30);
  await receiver.until(10);
  await twoLooks(service);
  expect(held.size).toBe(10);
});

it('holds up no delivery for slow ones of the same webhook', async () => {
  waitForHeld();
  const { api, receiver } = await hooked();
  receiver.answer((response) => {
    if (receiver.received.length > 3) response.writeHead(204).end();
  });
  await createUsers(api, 30);
  await receiver.until(30);
});

it('sends one after the other to a receiver whose last answer took more than 2 seconds, until one takes less', async () => {
  const monotonicClock = movableClock();
  const { api, receiver } = await hooked();
  const held = hold(receiver);
  await createUsers(api, 30);
  await receiver.until(10);
  monotonicClock.pass(2_100);
  succeed(held);
  for (let count = 11; count <= 12; count++) {
    await receiver.until(count);
    await twoLooks(service);
    expect(held.size).toBe(1);
    monotonicClock.pass(2_100);
    if (count === 11) succeed(held);
  }
  receiver.answer((response) => response.writeHead(204).end());
  succeed(held);
  await receiver.until(30);
});

it('keeps nobody waiting for receivers that do not answer, however many there are', async () => {
  waitForHeld();
  const held: Set<ServerResponse>[] = [];
  const slow: Client[] = [];
  for (let i = 0; i < 2; i++) {
    const [api, receiver] = [await service.client(), await receive()];
    for (let n = 0; n < 5; n++) await create(api, { url: receiver.url });
    slow.push(api);
    held.push(hold(receiver));
  }
  const { api, receiver } = await hooked();
  for (const each of slow) await createUsers(each, 20);
  const all = () => held.reduce((sum, { size }) => sum + size, 0);
  await until(() => all() >= 50); // all slots, and none has answered
  await api.createUser();
  await receiver.until(1);
});

it('sends a bounded number at once, of which no organization has all, and each has its turn', async () => {
  waitForHeld(LIMITS.attempts.lateAfterMs);
  const [first, second, third] = [await service.client(), await service.client(), await service.client()];
  const [one, other, late] = [await receive(), await receive(), await receive()];
  hold(one);
  const held = hold(other);
  for (let i = 0; i < 5; i++) await create(first, { url: one.url });
  for (let i = 0; i < 5; i++) await create(second, { url: other.url });
  await create(third, { url: late.url });
  await createUsers(first, 20);
  await one.until(25);
  await createUsers(second, 20);
  await other.until(25);
  await third.createUser();
  await untilClaimed(third); // from now on it waits for a connection
  await twoLooks(service);
  expect([one, other, late].map(({ received }) => received.length)).toEqual([25, 25, 0]);
  succeed([...held].slice(0, 3));
  await late.until(1);
  expect(one.received.length + other.received.length).toBeLessThanOrEqual(53);
});

it('gives receivers that fail or are slow fewer connections, so that the others always get one', async () => {
  waitForHeld();
  const [apis, held]: [Client[], Set<ServerResponse>[]] = [[], []];
  for (let i = 0; i < 3; i++) {
    const [api, receiver] = [await service.client(), await receive()];
    apis.push(api);
    held.push(hold(receiver));
    for (let n = 0; n < 12; n++) await create(api, { url: receiver.url });
  }
  for (const change of [
    'is_slow = true WHERE organization_id = $1',
    'failing_since = now() WHERE organization_id <> $1',
  ])
    await service.dataSource.query(`UPDATE webhooks SET ${change}`, [apis[0].organizationId]);
  const [api, healthy] = [await service.client(), await receive()];
  await create(api, { url: healthy.url });
  for (const failing of apis) await failing.createUser();
  const counts = () => held.map(({ size }) => size);
  const all = () => counts().reduce((sum, count) => sum + count, 0);
  await until(() => all() >= 20);
  await twoLooks(service);
  expect(all()).toBeLessThanOrEqual(20);
  expect(Math.max(...counts())).toBeLessThanOrEqual(10);
  await createUsers(api, 10);
  await healthy.until(10);
  expect(all()).toBeLessThanOrEqual(20);
});

it('sends nothing to a receiver that has asked for quiet, not even what waited for a connection', async () => {
  waitForHeld(LIMITS.attempts.lateAfterMs);
  const api = await service.client();
  const receivers = [await receive(), await receive(), await receive()];
  const held = receivers.map(hold);
  for (const { url } of receivers) await create(api, { url });
  await createUsers(api, 10);
  const count = () => receivers.reduce((sum, { received }) => sum + received.length, 0);
  await until(() => count() >= 25); // the share of one organization
  await twoLooks(service);
  expect(count()).toBe(25);
  const short = receivers.findIndex(({ received }) => received.length < 10);
  const before = receivers[short].received.length;
  [...held[short]][0].writeHead(429, { 'retry-after': '60' }).end();
  await twoLooks(service);
  expect(receivers[short].received).toHaveLength(before);
});

it('lets one process at a time send to a webhook, as long as its claim lasts', async () => {
  await service.app.get(Background, { strict: false }).beforeApplicationShutdown(); // or the service claims it, too
  const api = await service.client();
  const { id: webhookId } = await create(api, { enabled: true, url: 'https://webhook.invalid/' });
  const { claims, attempts, due, claim: first } = await claimed(api, webhookId);
  expect(await claims.claim(due)).toBeUndefined();
  await clock.pass(20);
  await claims.renew(first);
  await clock.pass(20);
  expect(await claims.claim(due)).toBeUndefined();
  await clock.pass(11);
  const second = (await claims.claim(due))!;
  expect(second.number).not.toBe(first.number);
  expect(await claims.dueDeliveries(first)).toBeUndefined();
  await api.post(`${WEBHOOKS}/${webhookId}/test`).expect(202);
  const [{ id }] = await deliveriesOf(api, webhookId, () => true);
  expect(await attempts.read(first, id)).toBeUndefined();
  expect(await attempts.read(second, id)).toBeDefined();
  await clock.pass(20);
  const claimedUntil = () =>
    service.dataSource.query('SELECT claimed_until FROM webhooks WHERE id = $1', [webhookId]);
  const before = await claimedUntil();
  await claims.renew(first);
  await claims.release(first);
  expect(await claimedUntil()).toEqual(before);
  expect(await claims.claim(due)).toBeUndefined(); // the second still has it
  await claims.release(second);
  expect(await claims.claim(due)).toBeDefined();
});

it('sends what a process has left behind that died, although nothing else happens', async () => {
  const { api, receiver, id: webhookId } = await hooked();
  const { claims, claim } = await claimed(api, webhookId);
  await createUsers(api, 3);
  await until(async () => (await claims.dueDeliveries(claim))!.queues.length === 3); // made its deliveries, and died
  await twoLooks(service);
  expect(receiver.received).toHaveLength(0);
  await clock.pass(31);
  await receiver.until(3);
});

it('records an attempt once, whoever else has made it, and keeps quiet for as long as the longest wish of several', async () => {
  const api = await service.client();
  const { id: webhookId } = await create(api, { url: 'https://webhook.invalid/' });
  const { claims, attempts, claim } = await claimed(api, webhookId);
  for (let i = 0; i < 3; i++) await api.post(`${WEBHOOKS}/${webhookId}/test`).expect(202);
  const { queues } = (await claims.dueDeliveries(claim))!;
  const [first, second, third] = await Promise.all(
    queues.map(async ([id]) => (await attempts.read(claim, id))!),
  );
  for (let i = 0; i < 2; i++)
    await attempts.recordFailed(claim, first, outcomeOf({ status: 500, tookMs: 1 }, 1));
  const deliveries = await deliveriesOf(api, webhookId, () => true);
  expect(deliveries.filter(({ attempts }) => attempts > 0)).toMatchObject([
    { attempts: 1, lastStatus: 500, state: 'pending' },
  ]);
  await attempts.recordFailed(claim, second, outcomeOf({ status: 429, retryAfter: '3600', tookMs: 1 }, 1));
  await attempts.recordFailed(claim, third, outcomeOf({ status: 429, tookMs: 1 }, 1));
  const quiet = `SELECT FROM webhooks WHERE id = $1 AND blocked_until > now() + interval '59 minutes'`;
  expect(await service.dataSource.query(quiet, [webhookId])).toHaveLength(1);
});

it('counts no attempt that the end of the process has cut off', async () => {
  waitForHeld();
  const { api, receiver, id } = await hooked();
  hold(receiver);
  await api.createUser();
  await receiver.until(1);
  await service.app.get(Background, { strict: false }).beforeApplicationShutdown();
  const [delivery] = await deliveriesOf(api, id, () => true);
  expect(delivery).toMatchObject({ attempts: 0, state: 'pending' });
  expect((await api.get(`${WEBHOOKS}/${id}`)).body.failingSince).toBeNull();
});

it('makes no more deliveries while 10,000 wait', async () => {
  const { api, receiver, id } = await hooked();
  await service.dataSource.query(
    `INSERT INTO webhook_deliveries (organization_id, id, webhook_id, event_id, type, is_beside, attempts, next_attempt_at)
     SELECT $1, 'dlv_' || n, $2, 'evt_' || n, 'user.created', false, 1, now() + interval '1 hour' FROM generate_series(1, 10000) AS n`,
    [api.organizationId, id],
  );
  const { body } = await api.get('/api/v1/events?limit=1').expect(200);
  const requests = [
    api.post(`${WEBHOOKS}/${id}/test`),
    api.post(`${WEBHOOKS}/${id}/redeliver`, { eventId: body.data[0].id }),
    api.post(`${WEBHOOKS}/${id}/redeliver`, { since: '2026-01-01T00:00:00Z' }),
  ];
  for (const refused of await Promise.all(requests)) {
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain('10,000 pending deliveries');
  }
  await api.createUser();
  await twoLooks(service);
  await twoLooks(service);
  expect(receiver.received).toEqual([]);
  await service.dataSource.query(`UPDATE webhook_deliveries SET state = 'failed' WHERE id = 'dlv_1'`);
  await api.post(`${WEBHOOKS}/${id}/test`).expect(202);
  await receiver.until((received) => received.some(({ event }) => event.type === 'user.created'));
});

it('claims a webhook whose first event has failed no more until that is due, however many wait behind it', async () => {
  const { api, receiver, id } = await hooked({ ordering: 'organization' });
  receiver.answer((response) => response.writeHead(500).end());
  await createUsers(api, 5);
  await clock.pass(10);
  await deliveriesOf(api, id, (all) => all.some(({ attempts }) => attempts === 2));
  await twoLooks(service);
  const claimsOf = async () =>
    (await service.dataSource.query('SELECT claim FROM webhooks WHERE id = $1', [id]))[0].claim;
  const before = await claimsOf();
  await twoLooks(service);
  expect(await claimsOf()).toBe(before);
  receiver.answer((response) => response.writeHead(204).end());
  await clock.pass(400);
  await deliveriesOf(api, id, (all) => all.every(({ state }) => state === 'delivered'));
});

it('lets a receiver rest that fails five times in a row, and asks it one by one', async () => {
  const { api, receiver } = await hooked();
  receiver.answer((response) => response.writeHead(500).end());
  // A claim lasts for longer than a rest.
  const rests = `SELECT FROM webhooks WHERE claimed_until > now() AND claimed_until <= now() + interval '5 seconds'`;
  const receivedAtRest = async () => {
    await until(async () => (await service.dataSource.query(rests)).length > 0);
    return receiver.received.length;
  };
  await createUsers(api, 60);
  await receiver.until(10); // at once, before it was known to fail
  let before = await receivedAtRest();
  expect(before).toBeLessThan(20);
  for (let turn = 0; turn < 2; turn++) {
    await clock.pass(5);
    await receiver.until(before + 5);
    expect(await receivedAtRest()).toBe(before + 5);
    before += 5;
  }
  receiver.answer((response) => response.writeHead(204).end());
  await clock.pass(400); // the pause after the second attempt
  await receiver.until(before + 60);
});

it('goes on after as many events as one claim sends', async () => {
  const { api, receiver } = await hooked();
  for (let i = 0; i < 3; i++) await createUsers(api, 400);
  await receiver.until((received) => new Set(received.map(({ id }) => id)).size === 1_200, 280_000);
});

itNotOn('embedded', 'sends the next events of an order while successes are being recorded', async () => {
  const { api, receiver, id } = await hooked({ ordering: 'organization' });
  const held: ServerResponse[] = [];
  receiver.answer((response) => void held.push(response));
  await createUsers(api, 30);
  await receiver.until(1);
  await service.dataSource.transaction(async (manager) => {
    const lock = 'SELECT FROM webhooks WHERE organization_id = $1 AND id = $2 FOR UPDATE';
    await manager.query(lock, [api.organizationId, id]);
    receiver.answer((response) => response.writeHead(204).end());
    for (const response of held) response.writeHead(204).end();
    await receiver.until((received) => new Set(received.map(({ id }) => id)).size === 10);
  });
  await deliveriesOf(api, id, (all) => all.length === 30 && all.every(({ state }) => state === 'delivered'));
  const sequences = receiver.received.map(({ event }) => event.sequence);
  const first = sequences.filter((sequence, i) => sequences.indexOf(sequence) === i); // on a busy machine, some come again
  expect(first).toEqual([...first].sort((a, b) => a - b));
});

it('lets a webhook rest for half a minute whose turn fails, and no other one', async () => {
  const [api, receiver] = [await service.client(), await receive()];
  const damaged = await create(api, { url: receiver.url });
  await create(api, { url: receiver.url });
  await service.dataSource.query(
    `UPDATE webhooks SET secret = split_part(secret, '.', 1) || '.AAAA' WHERE organization_id = $1 AND id = $2`,
    [api.organizationId, damaged.id],
  );
  const failed = jest.spyOn(Logger.prototype, 'warn');
  const failures = () =>
    failed.mock.calls.filter(([{ message, id }]) => /^cannot send/.test(message) && id === damaged.id).length;
  for (let count = 1; count <= 3; count++) {
    await api.createUser();
    await receiver.until(count);
    await twoLooks(service);
    await until(failures);
  }
  expect(failures()).toBe(1);
  await clock.pass(10); // the rest passes by itself, too
  await twoLooks(service);
  expect(failures()).toBe(1);
  await clock.pass(21);
  await until(() => failures() === 2);
});
