/**
 * @slow it waits for receivers
 * @only embedded postgres: it tests what receivers answer; turns tests who delivers
 */
import type { Client } from '../support/client';
import type { Receiver } from '../support/receiver';
import {
  createWebhook as create,
  deliveriesOf,
  LATER,
  twoLooks,
  useWebhooks,
  WEBHOOKS,
} from '../support/webhooks';

const HOURS = 60 * 60;
const DAYS = 24 * HOURS;

const { service, clock, receive, hooked } = useWebhooks();

const fail = (receiver: Receiver) => receiver.answer((response) => response.writeHead(500).end());
const failForLong = (receiver: Receiver) =>
  receiver.answer((response) => response.writeHead(500, LATER).end());
const succeed = (receiver: Receiver) => receiver.answer((response) => response.writeHead(200).end());
const webhookOf = async (api: Client, id: string) => (await api.get(`${WEBHOOKS}/${id}`).expect(200)).body;

describe('the clock of attempts', () => {
  it('has ten, each after the pause of the contract, give or take a fifth', async () => {
    const { api, receiver, id } = await hooked();
    fail(receiver);
    let before = await clock.now();
    await api.createUser();
    const pauses = [5, 300, 1_800, 2 * HOURS, 5 * HOURS, 10 * HOURS, 14 * HOURS, 20 * HOURS, 24 * HOURS];
    for (const [i, pause] of pauses.entries()) {
      const [delivery] = await deliveriesOf(api, id, ([first]) => first?.attempts === i + 1);
      expect(delivery).toMatchObject({ state: 'pending', lastStatus: 500 });
      const now = await clock.now();
      const next = Date.parse(delivery.nextAttemptAt!);
      expect(next).toBeGreaterThanOrEqual(Number(before) + pause * 800);
      expect(next).toBeLessThanOrEqual(Number(now) + pause * 1_200);
      const left = (next - Number(now)) / 1_000;
      if (pause >= 300) {
        await clock.pass(left / 2);
        await twoLooks(service);
        expect(receiver.received).toHaveLength(i + 1); // not before its time
      }
      before = await clock.now();
      await clock.pass(left);
    }
    const [last] = await deliveriesOf(api, id, ([first]) => first.attempts === 10);
    expect(last).toMatchObject({ state: 'failed', lastStatus: 500, nextAttemptAt: null });
    await clock.pass(3 * DAYS);
    await twoLooks(service);
    const ids = receiver.received.map(({ id }) => id);
    expect([ids.length, new Set(ids).size]).toEqual([10, 1]);
    const stamps = receiver.received.map(({ headers }) => headers['webhook-timestamp']);
    expect(new Set(stamps).size).toBeGreaterThan(1); // that of the attempt
    const failed = await api.get(`${WEBHOOKS}/${id}/deliveries?state=failed`).expect(200);
    expect(failed.body.data).toEqual([last]);
    expect((await api.get(`${WEBHOOKS}/${id}/deliveries?state=delivered`)).body.data).toEqual([]);
  });
});

describe('a receiver', () => {
  it('that is busy gets nothing at all for as long as Retry-After asks', async () => {
    const { api, receiver, id } = await hooked();
    receiver.answer((response) => response.writeHead(429, { 'retry-after': '3600' }).end());
    await api.createUser();
    await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
    succeed(receiver);
    await api.post(`${WEBHOOKS}/${id}/test`).expect(202);
    await clock.pass(1_800);
    await twoLooks(service);
    expect(receiver.received).toHaveLength(1);
    await clock.pass(1_800);
    await deliveriesOf(api, id, (all) => all.every(({ state }) => state === 'delivered'));
    expect(receiver.received).toHaveLength(3);
  });

  it('is not followed to another place', async () => {
    const [api, receiver, other] = [await service.client(), await receive(), await receive()];
    for (const status of [301, 302, 303, 307, 308]) {
      receiver.answer((response) => response.writeHead(status, { location: other.url }).end());
      const { id } = await create(api, { url: receiver.url });
      await api.post(`${WEBHOOKS}/${id}/test`).expect(202);
      const [delivery] = await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
      expect(delivery).toMatchObject({ state: 'pending', lastStatus: status });
    }
    expect(other.received).toEqual([]);
  });

  it('that closes in the middle has received the event if its status came, and otherwise has not', async () => {
    const { api, receiver, id } = await hooked();
    receiver.answer((response) => response.socket!.destroy());
    await api.createUser();
    const [first] = await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
    expect(first).toMatchObject({ state: 'pending', lastStatus: null });
    receiver.answer((response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('x', () => response.socket!.destroy());
    });
    await clock.pass(10);
    const [second] = await deliveriesOf(api, id, ([first]) => first.attempts === 2);
    expect(second).toMatchObject({ state: 'delivered', lastStatus: 200 });
  });

  it('that is gone is disabled at once, and what waits fails', async () => {
    const { api, receiver, id } = await hooked();
    failForLong(receiver);
    await api.createUser();
    await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
    receiver.answer((response) => response.writeHead(410).end());
    await api.createUser();
    const deliveries = await deliveriesOf(
      api,
      id,
      (all) => all.length === 2 && all.every(({ state }) => state === 'failed'),
    );
    expect(deliveries.map(({ nextAttemptAt }) => nextAttemptAt)).toEqual([null, null]);
    const body = await webhookOf(api, id);
    expect(body).toMatchObject({ enabled: false, disabledReason: 'gone' });
    const { body: events } = await api.get('/api/v1/events?type=webhook.disabled');
    expect(events.data).toMatchObject([
      { source: 'service', actor: { type: 'system' }, target: { id }, data: { webhook: body } },
    ]);
    await api.post(`${WEBHOOKS}/${id}/test`).expect(409);
  });

  it('that has asked for quiet has not asked for the next one', async () => {
    const [api, receiver, next] = [await service.client(), await receive(), await receive()];
    receiver.answer((response) => response.writeHead(429, { 'retry-after': '3600' }).end());
    const { id } = await create(api, { url: receiver.url });
    await api.createUser();
    await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
    await api.patch(`${WEBHOOKS}/${id}`, { url: next.url }).expect(200);
    await api.createUser();
    await next.until(1);
  });

  it('gets no event that is kept no longer', async () => {
    const { api, receiver, id } = await hooked();
    failForLong(receiver);
    await api.createUser();
    const [{ eventId }] = await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
    await service.dataSource.query('DELETE FROM events WHERE id = $1', [eventId]);
    await clock.pass(700);
    await deliveriesOf(api, id, ([first]) => first.state === 'failed');
    expect(receiver.received).toHaveLength(1);
  });

  it('says nothing about the next one, if the URL was changed while it was asked', async () => {
    const [api, receiver, next] = [await service.client(), await receive(), await receive()];
    let gone = () => {};
    receiver.answer((response) => (gone = () => response.writeHead(410).end()));
    const { id } = await create(api, { url: receiver.url });
    await api.createUser();
    await receiver.until(1);
    await api.patch(`${WEBHOOKS}/${id}`, { url: next.url }).expect(200);
    gone();
    await deliveriesOf(api, id, ([first]) => first.attempts === 1);
    expect(await webhookOf(api, id)).toMatchObject({
      enabled: true,
      disabledReason: null,
      failingSince: null,
    });
    await api.createUser();
    await next.until(1);
  });
});

describe('a webhook', () => {
  it('is disabled when two deliveries have failed, the first of them five days ago', async () => {
    const { api, receiver, id } = await hooked();
    fail(receiver);
    await api.createUser();
    await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
    await clock.pass(4.9 * DAYS);
    await api.createUser();
    await deliveriesOf(api, id, (all) => all.length === 2 && all[0].attempts > 0 && all[1].attempts > 1);
    expect(await webhookOf(api, id)).toMatchObject({ enabled: true, failingSince: expect.any(String) });
    await clock.pass(0.2 * DAYS);
    await deliveriesOf(api, id, (all) => all.every(({ state }) => state === 'failed'));
    expect(await webhookOf(api, id)).toMatchObject({ enabled: false, disabledReason: 'failing' });

    await api.createUser(); // while it is off
    receiver.received.splice(0);
    succeed(receiver);
    const { body } = await api.patch(`${WEBHOOKS}/${id}`, { enabled: true }).expect(200);
    expect(body).toMatchObject({ enabled: true, disabledReason: null, failingSince: null });
    const user = await api.createUser();
    const [{ event }] = await receiver.until(1);
    expect(event.target.id).toBe(user.id);
  });

  it('that is rarely used stays on, although its only delivery has failed for good', async () => {
    const { api, receiver, id } = await hooked();
    fail(receiver);
    await api.createUser();
    for (let attempts = 1; attempts <= 10; attempts++) {
      await deliveriesOf(api, id, ([first]) => first?.attempts === attempts);
      await clock.pass(1.5 * DAYS);
    }
    expect(await webhookOf(api, id)).toMatchObject({ enabled: true, failingSince: expect.any(String) });
    succeed(receiver);
    await api.createUser();
    await deliveriesOf(api, id, ([second]) => second.state === 'delivered');
    expect(await webhookOf(api, id)).toMatchObject({ enabled: true, failingSince: null });
  });

  it('counts as well again after one success', async () => {
    const { api, receiver, id } = await hooked();
    fail(receiver);
    for (let i = 0; i < 2; i++) await api.createUser();
    await deliveriesOf(api, id, (all) => all.length === 2 && all.every(({ attempts }) => attempts > 0));
    succeed(receiver);
    await clock.pass(4 * DAYS);
    await deliveriesOf(api, id, (all) => all.every(({ state }) => state === 'delivered'));
    fail(receiver);
    const before = await clock.now();
    await clock.pass(4 * DAYS);
    for (let i = 0; i < 2; i++) await api.createUser();
    await deliveriesOf(api, id, (all) => all.length === 4 && all.every(({ attempts }) => attempts > 0));
    const body = await webhookOf(api, id);
    expect(body.enabled).toBe(true);
    expect(Date.parse(body.failingSince)).toBeGreaterThan(Number(before));
  });
});
