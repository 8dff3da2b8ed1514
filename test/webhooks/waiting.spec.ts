/**
 * @slow it waits for receivers
 */
import { newId } from '../../src/platform/database/id';
import { Database } from '../../src/platform/database/database';
import { webhookLag } from '../../src/webhooks/webhook-lag';
import { runJob } from '../support/background';
import type { Client } from '../support/client';
import { statementsOf } from '../support/statements';
import { createWebhook as create, twoLooks, useWebhooks, WEBHOOKS } from '../support/webhooks';

const { service, receive } = useWebhooks();

/** Deliveries that wait for their next attempt, as a process has left them that died. */
const addPending = ({ organizationId }: Client, webhookId: string, count: number) =>
  service.dataSource.query(
    `INSERT INTO webhook_deliveries (organization_id, id, webhook_id, event_id, type, is_beside, attempts, next_attempt_at)
     SELECT $1, 'dlv_' || $2 || n, $2, 'evt_' || n, 'user.created', false, 1, now() + interval '1 hour' FROM generate_series(1, $3::integer) AS n`,
    [organizationId, webhookId, count],
  );

const states = async (webhookId: string) =>
  Object.fromEntries(
    (
      await service.dataSource.query(
        'SELECT state, count(*)::integer AS count FROM webhook_deliveries WHERE webhook_id = $1 GROUP BY state',
        [webhookId],
      )
    ).map(({ state, count }: { state: string; count: number }) => [state, count]),
  );

it('disabling a webhook fails its pending deliveries with the change, and nothing of another one', async () => {
  const api = await service.client();
  const [{ id }, other] = [await create(api, { enabled: false }), await create(api, { enabled: false })];
  for (const one of [id, other.id]) await addPending(api, one, 10_000); // as many as may be pending
  await service.dataSource.query('UPDATE webhooks SET enabled = true WHERE organization_id = $1', [
    api.organizationId,
  ]);
  await api.patch(`${WEBHOOKS}/${id}`, { enabled: false }).expect(200);
  expect([await states(id), (await states(other.id)).failed]).toEqual([{ failed: 10_000 }, undefined]);
});

it('what waited is not sent when the webhook is enabled again', async () => {
  const [api, receiver] = [await service.client(), await receive()];
  const { id } = await create(api, { url: receiver.url, enabled: false });
  await addPending(api, id, 1_500);
  await api.patch(`${WEBHOOKS}/${id}`, { enabled: true }).expect(200);
  expect(await states(id)).toEqual({ failed: 1_500 });
  const user = await api.createUser();
  await receiver.until(1);
  await twoLooks(service);
  expect(receiver.received.map(({ event }) => event.target.id)).toEqual([user.id]);
});

it('a job fails the rest where more were pending than there may be, and until then the webhook stays disabled', async () => {
  const api = await service.client();
  const { id } = await create(api, { enabled: false });
  await addPending(api, id, 12_500);
  const refusal = await api.patch(`${WEBHOOKS}/${id}`, { enabled: true }).expect(503);
  expect(refusal.body.detail).toMatch(/^Deliveries from before .* in a minute\.$/);
  await runJob(service.app, 'discard the deliveries of disabled webhooks');
  expect(await states(id)).toEqual({ failed: 12_500 });
  await api.patch(`${WEBHOOKS}/${id}`, { enabled: true }).expect(200);
});

it('a change of an enabled webhook fails nothing', async () => {
  const [api, receiver] = [await service.client(), await receive()];
  const { id } = await create(api, { url: receiver.url });
  await service.dataSource.query(
    `INSERT INTO webhook_deliveries (organization_id, id, webhook_id, event_id, type, is_beside, next_attempt_at)
     VALUES ($1, 'dlv_later', $2, 'evt_later', 'user.created', false, now() + interval '1 hour')`,
    [api.organizationId, id],
  );
  await api.patch(`${WEBHOOKS}/${id}`, { enabled: true, description: 'New' }).expect(200);
  expect(await states(id)).toEqual({ pending: 1 });
});

it('what waits for a receiver that fails or is slow does not count as late', async () => {
  const [api, receiver] = [await service.client(), await receive()];
  const { id } = await create(api, { url: receiver.url });
  await service.dataSource.query(`UPDATE webhooks SET claimed_until = now() + interval '30 seconds'`);
  await service.dataSource.query(
    `INSERT INTO webhook_deliveries (organization_id, id, webhook_id, event_id, type, is_beside, next_attempt_at)
     VALUES ($1, 'dlv_overdue', $2, 'evt_overdue', 'user.created', false, now() - interval '1 hour')`,
    [api.organizationId, id],
  );
  const lagIf = async (state: string) => {
    await service.dataSource.query(`UPDATE webhooks SET ${state} WHERE id = $1`, [id]);
    return Math.round(await webhookLag(service.app.get(Database)));
  };
  expect([
    await lagIf('is_slow = true'),
    await lagIf('is_slow = false, failing_since = now()'),
    await lagIf('failing_since = NULL'),
  ]).toEqual([0, 0, expect.closeTo(3_600, -2)]);
});

it('a range begins where it starts, however long the log before it is, and after it', async () => {
  const [api, receiver] = [await service.client(), await receive()];
  const { organizationId } = api;
  const DAY_MS = 24 * 60 * 60_000;
  const insert = async (daysAgo: number, count: number) => {
    const at = new Date(Date.now() - daysAgo * DAY_MS);
    jest.useFakeTimers({ now: at, doNotFake: ['setTimeout', 'setInterval', 'setImmediate', 'nextTick'] });
    const ids = Array.from({ length: count }, () => newId('evt'));
    jest.useRealTimers();
    await service.dataSource.query(
      `INSERT INTO events (organization_id, id, type, occurred_at, source, actor_name, target_id)
       SELECT $1, id, 'user.created', $2, 'cli', 'test', 'usr_' FROM unnest($3::text[]) AS id`,
      [organizationId, at, ids],
    );
    return ids;
  };
  await insert(200, 3_000);
  const wanted = await insert(100, 3);
  await insert(50, 3_000);
  const { id } = await create(api, { url: receiver.url });
  const [since, until] = [101, 99].map((days) => new Date(Date.now() - days * DAY_MS).toISOString());
  const statements = await statementsOf(service.dataSource, async () => {
    await api.post(`${WEBHOOKS}/${id}/redeliver`, { since, until }).expect(202);
    await receiver.until(3);
    const left = 'SELECT FROM webhook_replays WHERE organization_id = $1';
    while ((await service.dataSource.query(left, [organizationId])).length > 0) await twoLooks(service);
  });
  expect(new Set(receiver.received.map((received) => received.id))).toEqual(new Set(wanted));
  const reads = statements.filter(({ sql }) => /FROM events\s+WHERE .* ORDER BY id/s.test(sql));
  expect(reads).toHaveLength(2); // the range, and its end
});

it('a webhook is not claimed for events that have been removed', async () => {
  const api = await service.client();
  const { id } = await create(api);
  const claims = async () =>
    (await service.dataSource.query('SELECT claim FROM webhooks WHERE id = $1', [id]))[0].claim;
  const jump = (columns: string) =>
    service.dataSource.query(`UPDATE event_heads SET ${columns} WHERE organization_id = $1`, [
      api.organizationId,
    ]);
  await api.get('/api/v1/events').expect(200); // which numbers that of the webhook
  await jump('sequence = 10, removed = 10');
  await twoLooks(service);
  const before = await claims();
  await twoLooks(service);
  expect(await claims()).toBe(before);
  await jump('sequence = 11');
  while ((await claims()) === before) await twoLooks(service);
});
