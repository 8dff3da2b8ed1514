/**
 * @slow it waits for receivers
 */
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { Database } from '../../src/platform/database/database';
import { UsersService } from '../../src/users/users.service';
import { DeliveriesService } from '../../src/webhooks/deliveries/deliveries.service';
import { WebhookClaims } from '../../src/webhooks/deliveries/webhook-claims';
import { webhookLag } from '../../src/webhooks/webhook-lag';
import { runJob } from '../support/background';
import { aUser, type Client } from '../support/client';
import { until } from '../support/until';
import {
  createWebhook as create,
  deliveriesOf,
  LATER,
  twoLooks,
  useWebhooks,
  WEBHOOKS,
} from '../support/webhooks';

const { service, hooked } = useWebhooks();

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
  const { api, receiver, id } = await hooked({ enabled: false });
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
  const { api, id } = await hooked();
  await service.dataSource.query(
    `INSERT INTO webhook_deliveries (organization_id, id, webhook_id, event_id, type, is_beside, next_attempt_at)
     VALUES ($1, 'dlv_later', $2, 'evt_later', 'user.created', false, now() + interval '1 hour')`,
    [api.organizationId, id],
  );
  await api.patch(`${WEBHOOKS}/${id}`, { enabled: true, description: 'New' }).expect(200);
  expect(await states(id)).toEqual({ pending: 1 });
});

it('what waits for a receiver that fails or is slow does not count as late', async () => {
  const { api, id } = await hooked();
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

describe('what waits for a suspended organization', () => {
  const { service, clock, receive, hooked } = useWebhooks([beforeEach, afterEach]);
  const organizations = () => service.app.get(OrganizationsService);
  const createUser = (organizationId: string) =>
    service.app.get(UsersService).create(organizationId, aUser());

  it('while an organization is suspended, nothing is sent to its webhooks alone, and what waits goes on afterwards', async () => {
    const [api, receiver] = [await service.client(), await receive()];
    const { organizationId } = api;
    const { id } = await create(api, { url: receiver.url, types: ['*'] });
    const healthy = await create(api, { url: receiver.url, types: ['user.purged'] });
    await receiver.until(2); // their creation
    receiver.answer((response) => response.writeHead(500, LATER).end());
    const retried = await api.createUser();
    await receiver.until(3);
    await deliveriesOf(api, id, ([delivery]) => delivery.attempts === 1);

    await organizations().suspend(organizationId);
    receiver.answer((response) => response.writeHead(204).end());
    const happened = await createUser(organizationId);
    const deliveries = service.app.get(DeliveriesService);
    for (const webhookId of [id, healthy.id]) await deliveries.test(organizationId, webhookId);
    const claim = jest.spyOn(service.app.get(WebhookClaims, { strict: false }), 'claim');
    await clock.pass(700); // the retry is due
    await twoLooks(service);
    expect(receiver.received).toHaveLength(3);
    expect(claim).not.toHaveBeenCalled(); // or processes would claim and release them all the time
    claim.mockRestore();
    expect(await webhookLag(service.app.get(Database))).toBe(0);
    const [other, unaffected] = [await service.client(), await receive()];
    await create(other, { url: unaffected.url });
    await other.createUser();
    await unaffected.until(1);

    await organizations().resume(organizationId);
    await receiver.until(9);
    const sent = receiver.received.slice(3).map(({ event }) => `${event.type} ${event.target?.id ?? ''}`);
    expect(sent.sort()).toEqual(
      [
        `organization.resumed ${organizationId}`,
        `organization.suspended ${organizationId}`,
        `user.created ${happened.id}`,
        `user.created ${retried.id}`,
        `webhook.test ${id}`,
        `webhook.test ${healthy.id}`,
      ].sort(),
    );
    await deliveriesOf(api, id, (all) => all.every(({ state }) => state === 'delivered'));
  });

  it('an organization that is suspended while its webhook is being called gets no further call, and the order is kept', async () => {
    const { api, receiver } = await hooked({ ordering: 'organization' });
    const { organizationId } = api;
    let answer: () => void = () => {};
    receiver.answer((response) => (answer = () => response.writeHead(204).end()));
    const before = [await api.createUser(), await api.createUser()];
    await receiver.until(1);
    await organizations().suspend(organizationId);
    const during = await createUser(organizationId);
    answer();
    await twoLooks(service);
    expect(receiver.received).toHaveLength(1);

    receiver.answer((response) => response.writeHead(204).end());
    await organizations().resume(organizationId);
    const after = await api.createUser();
    await receiver.until(4);
    expect(receiver.received.map(({ event }) => event.target.id)).toEqual(
      [...before, during, after].map(({ id }) => id),
    );
  });

  it('a suspension of weeks does not count towards the five days after which a webhook is disabled', async () => {
    const { api, receiver, id } = await hooked();
    const { organizationId } = api;
    receiver.answer((response) => response.writeHead(500).end());
    for (let i = 1; i <= 2; i++) {
      await api.createUser();
      await receiver.until(i);
    }
    await deliveriesOf(api, id, (all) => all.every(({ attempts }) => attempts > 0));
    await organizations().suspend(organizationId);
    await clock.pass(20 * 24 * 60 * 60);
    await organizations().resume(organizationId);

    const count = receiver.received.length;
    await receiver.until(count + 2);
    await twoLooks(service);
    const webhook = async () => (await api.get(`${WEBHOOKS}/${id}`).expect(200)).body;
    expect(await webhook()).toMatchObject({ enabled: true, disabledReason: null });

    await clock.pass(6 * 24 * 60 * 60);
    await receiver.until(count + 3);
    await until(async () => !(await webhook()).enabled, 100);
    expect(await webhook()).toMatchObject({ enabled: false, disabledReason: 'failing' });
  });
});
