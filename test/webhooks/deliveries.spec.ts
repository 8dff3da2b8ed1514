import { WebhookSecrets } from '../../src/webhooks/webhook/webhook-secrets';
import { runJob } from '../support/background';
import { aUser } from '../support/client';
import { dumpOf } from '../support/dump';
import { verified } from '../support/receiver';
import {
  createWebhook as create,
  deliveriesOf,
  LATER,
  twoLooks,
  useWebhooks,
  WEBHOOKS,
} from '../support/webhooks';

const { service, clock, receive, hooked } = useWebhooks();

describe('a delivery', () => {
  it('is the event as the feed has it, signed as Standard Webhooks defines it', async () => {
    const [api, receiver] = [await service.client(), await receive()];
    await api.createUser(); // before
    const { id, secret } = await create(api, { url: receiver.url });
    const user = await api.createUser({ name: 'Ünal 🎉' });
    await api.patch(`/api/v1/users/${user.id}`, { name: 'Other' });
    const [message] = await receiver.until(1);
    const { body: event } = await api.get(`/api/v1/events/${message.id}`).expect(200);
    expect(verified(secret, message)).toEqual(event);
    expect(event).toMatchObject({ type: 'user.created', target: { id: user.id } });
    expect(message.headers).toMatchObject({
      'content-type': 'application/json',
      host: new URL(receiver.url).host,
    });
    const [delivery] = await deliveriesOf(api, id, ([first]) => first.state === 'delivered');
    expect(delivery).toEqual({
      id: expect.stringMatching(/^dlv_/),
      eventId: message.id,
      type: 'user.created',
      state: 'delivered',
      attempts: 1,
      lastStatus: 204,
      lastError: null,
      lastDurationMs: expect.any(Number),
      nextAttemptAt: null,
      createdAt: expect.any(String),
    });
    const { body } = await api.get(`${WEBHOOKS}/${id}`);
    expect(body).toMatchObject({ lastSuccessAt: expect.any(String), failingSince: null });
    expect(receiver.received).toHaveLength(1);
  });

  it('has the person for whom the caller acts', async () => {
    const { api, receiver, id } = await hooked();
    await api.post('/api/v1/users', aUser()).set('X-On-Behalf-Of', 'ada@example.com').expect(201);
    const [{ event }] = await receiver.until(1);
    expect(event).toMatchObject({ type: 'user.created', onBehalfOf: 'ada@example.com' });
    await api.post(`${WEBHOOKS}/${id}/test`).set('X-On-Behalf-Of', 'ada@example.com').expect(202);
    const [, test] = await receiver.until(2);
    expect(test.event).toMatchObject({ type: 'webhook.test', onBehalfOf: null });
  });

  it('leaves out everything personal if it is to be thin', async () => {
    const { api, receiver, id } = await hooked({ payload: 'thin' });
    const user = aUser({ name: 'Grace Hopper' });
    await api.post('/api/v1/users', user).set('X-On-Behalf-Of', 'ada@example.com').expect(201);
    const [{ event, body }] = await receiver.until(1);
    expect(Object.keys(event)).toEqual([
      'id',
      'sequence',
      'type',
      'occurredAt',
      'source',
      'actor',
      'target',
      'requestId',
    ]);
    expect(body).not.toMatch(/Grace|ada@/);
    await api.post(`${WEBHOOKS}/${id}/test`).expect(202);
    const [, test] = await receiver.until(2);
    expect(test.event).toMatchObject({ type: 'webhook.test' });
    expect(test.event).not.toHaveProperty('data');
    expect(test.event).not.toHaveProperty('onBehalfOf');
  });

  it('comes for every type with *, those of webhooks and tokens included', async () => {
    const [api, receiver] = [await service.client(), await receive()];
    const { id } = await create(api, { url: receiver.url, types: ['*'], ordering: 'organization' });
    await api.patch(`${WEBHOOKS}/${id}`, { description: 'New' });
    await api.post('/v1/tokens', { name: 'One', scopes: ['admin'] }).expect(201);
    const received = await receiver.until(3);
    expect(received.map(({ event }) => event.type)).toEqual([
      'webhook.created',
      'webhook.updated',
      'token.created',
    ]);
    expect(JSON.stringify(received)).not.toMatch(/whsec_|umt_[0-9A-Za-z]{38}/);
  });

  it('is signed by both secrets during an overlap, never by more than two', async () => {
    const { api, receiver, id, secret } = await hooked();
    const rotate = async (body?: object): Promise<string> =>
      (await api.post(`${WEBHOOKS}/${id}/rotate-secret`, body).expect(200)).body.secret;
    const second = await rotate();
    await api.createUser();
    const [both] = await receiver.until(1);
    for (const one of [secret, second]) verified(one, both);
    const third = await rotate({ overlap: '168h' });
    await api.createUser();
    const [, later] = await receiver.until(2);
    for (const one of [second, third]) verified(one, later);
    expect(() => verified(secret, later)).toThrow();
    const fourth = await rotate({ overlap: '0h' });
    await api.createUser();
    const [, , last] = await receiver.until(3);
    verified(fourth, last);
    expect(() => verified(third, last)).toThrow();
    await rotate();
    await clock.pass(24 * 60 * 60);
    await api.createUser();
    const [, , , over] = await receiver.until(4);
    expect(over.headers['webhook-signature'].split(' ')).toHaveLength(1);
    await api.post(`${WEBHOOKS}/${id}/rotate-secret`, { overlap: '169h' }).expect(400);
  });

  it('needs no key of a secret that signs no longer', async () => {
    const { api, receiver, id } = await hooked();
    const { secret } = (await api.post(`${WEBHOOKS}/${id}/rotate-secret`).expect(200)).body;
    await service.dataSource.query(`UPDATE webhooks SET previous_secret = 'ffffffff.AAAA' WHERE id = $1`, [
      id,
    ]);
    const secrets = service.app.get(WebhookSecrets, { strict: false });
    await expect(secrets.rewrap()).rejects.toThrow('the key ffffffff');
    await clock.pass(24 * 60 * 60);
    expect(await secrets.rewrap()).toBe(1);
    expect(await secrets.rewrap()).toBe(0);
    await api.createUser();
    verified(secret, (await receiver.until(1))[0]);
  });

  it('of a purged user has no data, even if it was waiting', async () => {
    const { api, receiver, id } = await hooked();
    receiver.answer((response) => response.writeHead(500, LATER).end());
    const user = await api.createUser({ name: 'Katherine Johnson' });
    expect((await receiver.until(1))[0].body).toContain('Katherine');
    await deliveriesOf(api, id, ([first]) => first.attempts === 1);
    await api.delete(`/api/v1/users/${user.id}`).expect(204);
    await api.delete(`/api/v1/deleted-users/${user.id}`).expect(204);
    expect(JSON.stringify(await dumpOf(service.dataSource))).not.toContain('Katherine');
    receiver.answer((response) => response.writeHead(200).end());
    await clock.pass(700);
    const [, second] = await receiver.until(2);
    expect(second.event).toMatchObject({ id: receiver.received[0].id, data: null });
  });
});

it('goes on although the clock of the database was ahead by a year, and has been set back', async () => {
  const [api, receiver] = [await service.client(), await receive()];
  receiver.answer((response) => response.writeHead(503).end());
  const YEAR = 365 * 24 * 60 * 60;
  await clock.pass(YEAR);
  const { id } = await create(api, { url: receiver.url });
  await api.createUser();
  await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
  receiver.answer((response) => response.writeHead(200).end());
  await clock.pass(-YEAR);
  await receiver.until(2);
  await deliveriesOf(api, id, ([first]) => first.state === 'delivered');
});

it('a webhook that is deleted sends nothing that waits', async () => {
  const { api, receiver, id } = await hooked();
  receiver.answer((response) => response.writeHead(500).end());
  await api.createUser();
  await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
  await api.delete(`${WEBHOOKS}/${id}`).expect(204);
  await clock.pass(10);
  await twoLooks(service);
  expect(receiver.received).toHaveLength(1);
});

it('deliveries are removed after 30 days, unless they are pending and have a webhook', async () => {
  const api = await service.client();
  const { id } = await create(api, { enabled: false });
  const rows = [
    ['dlv_young', id, 'delivered', 29],
    ['dlv_old', id, 'delivered', 31],
    ['dlv_failed', id, 'failed', 31],
    ['dlv_pending', id, 'pending', 31],
    ['dlv_orphan', 'whk_gone', 'pending', 31],
  ];
  for (const [delivery, webhook, state, days] of rows)
    await service.dataSource.query(
      `INSERT INTO webhook_deliveries (organization_id, id, webhook_id, event_id, type, is_beside, state, created_at)
       VALUES ($1, $2, $3, 'evt_x', 'user.created', false, $4, now() - $5 * interval '1 day')`,
      [api.organizationId, delivery, webhook, state, days],
    );
  await api.get('/api/v1/events').expect(200); // which numbers an event, so the organization has a head
  await runJob(service.app, 'remove old deliveries');
  const left = await service.dataSource.query(
    'SELECT id FROM webhook_deliveries WHERE organization_id = $1 ORDER BY id',
    [api.organizationId],
  );
  expect(left).toEqual([{ id: 'dlv_pending' }, { id: 'dlv_young' }]);
});

describe('with an order', () => {
  it('the next event is sent only when the one before it has succeeded, and tests go beside', async () => {
    const { api, receiver, id } = await hooked({ ordering: 'organization' });
    receiver.answer((response, { event }) => {
      if (event.type === 'webhook.test') response.writeHead(200).end();
      else response.writeHead(500, LATER).end();
    });
    const users = [await api.createUser(), await api.createUser(), await api.createUser()];
    await receiver.until(1);
    await api.post(`${WEBHOOKS}/${id}/test`).expect(202);
    const [, test] = await receiver.until(2);
    expect(test.event.type).toBe('webhook.test');
    await twoLooks(service);
    expect(receiver.received).toHaveLength(2);
    receiver.answer((response) => response.writeHead(200).end());
    await clock.pass(700);
    const received = await receiver.until(5);
    expect(received.map(({ event }) => event.target.id)).toEqual([
      users[0].id,
      id,
      ...users.map((user) => user.id),
    ]);
  });
});
