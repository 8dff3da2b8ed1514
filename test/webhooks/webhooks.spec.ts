import { WebhookSecrets } from '../../src/webhooks/webhook/webhook-secrets';
import { dumpOf } from '../support/dump';
import { aUser } from '../support/client';
import { verified } from '../support/receiver';
import { aWebhook, createWebhook as create, deliveriesOf, useWebhooks, WEBHOOKS } from '../support/webhooks';

const { service, receive, hooked } = useWebhooks();

describe('POST /api/v1/webhooks', () => {
  it('returns the record with its secret, this one time', async () => {
    const api = await service.client();
    const { body, headers } = await api.post(WEBHOOKS, aWebhook({ description: ' The list ' })).expect(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^whk_[0-9a-z]{26}$/),
      url: 'https://example.com/hook',
      types: ['user.created'],
      description: 'The list',
      enabled: true,
      payload: 'full',
      ordering: 'none',
      disabledReason: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      lastSuccessAt: null,
      failingSince: null,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    expect(headers.location).toBe(`${WEBHOOKS}/${body.id}`);
    const { secret, ...record } = body;
    expect((await api.get(`${WEBHOOKS}/${body.id}`).expect(200)).body).toEqual(record);
    expect((await api.get(WEBHOOKS).expect(200)).body).toEqual({ data: [record], nextCursor: null });
    const dump = JSON.stringify(await dumpOf(service.dataSource));
    expect(dump).not.toContain(secret.slice(6));
    expect(dump).not.toContain(Buffer.from(secret.slice(6), 'base64').toString('hex'));
    const { body: events } = await api.get('/api/v1/events?type=webhook.created').expect(200);
    expect(events.data).toMatchObject([
      { target: { type: 'webhook', id: body.id }, data: { webhook: record } },
    ]);
    expect(JSON.stringify(events)).not.toContain('whsec_');
  });

  it('refuses any other body', async () => {
    const api = await service.client();
    const rows: [object, string, string][] = [
      ...['ftp://example.com', 'https://user@example.com/', 'https://@example.com/', 'example.com'].map(
        (url): [object, string, string] => [{ url }, 'url', 'invalid'],
      ),
      [{ url: 'https://example.com/#' }, 'url', 'invalid'],
      [{ types: ['user.made'] }, 'types', 'invalid'],
      [{ types: ['webhook.test'] }, 'types', 'invalid'],
      [{ types: ['user.created', 'user.created'] }, 'types', 'invalid'],
      [{ types: ['*', 'user.created'] }, 'types', 'invalid'],
      [{ secret: 'whsec_' }, 'secret', 'immutable'],
      [{ disabledReason: 'gone' }, 'disabledReason', 'unknown'],
    ];
    for (const [fields, field, code] of rows) {
      const { body } = await api.post(WEBHOOKS, aWebhook(fields)).expect(400);
      expect({ fields, errors: body.errors }).toMatchObject({ fields, errors: [{ field, code }] });
    }
    const url = `https://example.com/${'x'.repeat(2028)}`; // the longest one
    expect((await create(api, { url })).url).toBe(url);
  });

  it('refuses an Idempotency-Key, because the secret is shown once', async () => {
    const api = await service.client();
    const { id } = await create(api);
    for (const path of [WEBHOOKS, `${WEBHOOKS}/${id}/rotate-secret`]) {
      const body = path === WEBHOOKS ? aWebhook() : {};
      const refused = await api.post(path, body).set('Idempotency-Key', 'one').expect(400);
      expect(refused.body.errors[0].field).toBe('Idempotency-Key');
    }
  });

  it('lets an organization have exactly 20, however many are created at once', async () => {
    const api = await service.client();
    const answers = await Promise.all(Array.from({ length: 30 }, () => api.post(WEBHOOKS, aWebhook())));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(10);
    const [{ id }] = (await api.get(WEBHOOKS)).body.data;
    await api.delete(`${WEBHOOKS}/${id}`).expect(204);
    await create(api);
  });
});

describe('PATCH /api/v1/webhooks/{id}', () => {
  it('changes the fields in the body, and says so in an event', async () => {
    const api = await service.client();
    const { id, updatedAt, secret: _secret, ...rest } = await create(api);
    const { body } = await api
      .patch(`${WEBHOOKS}/${id}`, { types: ['*'], payload: 'thin', description: 'New' })
      .expect(200);
    expect(body).toEqual({
      ...rest,
      id,
      types: ['*'],
      payload: 'thin',
      description: 'New',
      updatedAt: expect.any(String),
    });
    expect(body.updatedAt >= updatedAt).toBe(true);
    const { body: events } = await api.get('/api/v1/events?type=webhook.updated').expect(200);
    expect(events.data[0].data).toEqual({
      webhook: body,
      previous: { types: ['user.created'], payload: 'full', description: null },
    });
  });

  it('changes nothing if every value is as it was', async () => {
    const api = await service.client();
    const { id, updatedAt, url, types } = await create(api);
    const { body } = await api.patch(`${WEBHOOKS}/${id}`, { url, types, enabled: true }).expect(200);
    expect(body.updatedAt).toBe(updatedAt);
    expect((await api.get('/api/v1/events?type=webhook.updated')).body.data).toEqual([]);
  });
});

describe('POST /api/v1/webhooks/{id}/test', () => {
  it('sends an event that stands in no feed, whatever the types', async () => {
    const { api, receiver, id, secret } = await hooked();
    const { body } = await api.post(`${WEBHOOKS}/${id}/test`).expect(202);
    const [message] = await receiver.until(1);
    expect(message.id).toBe(body.eventId);
    expect(verified(secret, message)).toMatchObject({
      type: 'webhook.test',
      target: { type: 'webhook', id },
    });
    expect(message.event).not.toHaveProperty('sequence');
    await api.get(`/api/v1/events/${body.eventId}`).expect(404);
    await api.get('/api/v1/events?type=webhook.test').expect(400);
    await deliveriesOf(api, id, ([first]) => first.type === 'webhook.test' && first.state === 'delivered');
  });
});

describe('POST /api/v1/webhooks/{id}/redeliver', () => {
  it('sends one event again, of any type', async () => {
    const { api, receiver, id } = await hooked();
    const user = await api.createUser();
    await receiver.until(1);
    const { body: feed } = await api.get('/api/v1/events?type=webhook.created');
    for (const eventId of [receiver.received[0].id, feed.data[0].id])
      expect((await api.post(`${WEBHOOKS}/${id}/redeliver`, { eventId }).expect(202)).body).toEqual({
        eventId,
      });
    const [, ...again] = await receiver.until(3);
    expect(again.map(({ event }) => event.target.id).sort()).toEqual([user.id, id].sort());
    await api.post(`${WEBHOOKS}/${id}/redeliver`, { eventId: 'evt_00000000000000000000000000' }).expect(404);
  });

  it('sends what happened in a time, if its type matches', async () => {
    const [api, receiver] = [await service.client(), await receive()];
    const users = [await api.createUser(), await api.createUser(), await api.createUser()];
    await api.patch(`/api/v1/users/${users[1].id}`, { name: 'Other' });
    const { body: feed } = await api.get('/api/v1/events?type=user.created');
    const [first, second, third] = feed.data.map(({ occurredAt }: { occurredAt: string }) => occurredAt);
    expect(new Set([first, second, third]).size).toBe(3);
    const { id } = await create(api, { url: receiver.url });
    await api.post(`${WEBHOOKS}/${id}/redeliver`, { since: second, until: third }).expect(202);
    const [message] = await receiver.until(1);
    expect(message.event.target.id).toBe(users[1].id);
    await api.post(`${WEBHOOKS}/${id}/redeliver`, { since: first }).expect(202);
    await receiver.until(4);
    expect(
      receiver.received
        .slice(1)
        .map(({ event }) => event.target.id)
        .sort(),
    ).toEqual(users.map(({ id }) => id).sort());
  });

  it('holds up no new event, whatever the order', async () => {
    for (const ordering of ['none', 'organization']) {
      const [api, receiver] = [await service.client(), await receive()];
      const users = Array.from({ length: 450 }, () => aUser());
      await api.post('/api/v1/users/batch', { users }).expect(200);
      let isHeld = true;
      const held: (() => void)[] = [];
      receiver.answer((response) => {
        const end = () => void response.writeHead(204).end();
        if (isHeld) held.push(end);
        else end();
      });
      const { id } = await create(api, { url: receiver.url, ordering });
      await api.post(`${WEBHOOKS}/${id}/redeliver`, { since: '2026-01-01T00:00:00Z' }).expect(202);
      await receiver.until(1);
      const user = await api.createUser();
      await api.get('/api/v1/events?order=desc').expect(200); // which numbers its event, so that it can be sent
      isHeld = false;
      for (const end of held) end();
      await receiver.until(451);
      const place = receiver.received.findIndex(({ event }) => event.target.id === user.id);
      expect(place).toBeLessThan(250); // behind those for which deliveries had been made
    }
  });

  it('refuses any other body', async () => {
    const api = await service.client();
    const { id } = await create(api);
    const since = '2026-01-31T09:30:00Z';
    const eventId = 'evt_00000000000000000000000000';
    for (const body of [{}, { until: since }, { eventId: 'x' }, { since: 'now' }, { eventId, since }])
      await api.post(`${WEBHOOKS}/${id}/redeliver`, body).expect(400);
  });
});

it('a secret is that of its webhook alone', async () => {
  const api = await service.client();
  const [{ id }, other] = [await create(api), await create(api)];
  const [{ secret }] = await service.dataSource.query('SELECT secret FROM webhooks WHERE id = $1', [id]);
  const secrets = service.app.get(WebhookSecrets, { strict: false });
  const row = { organizationId: api.organizationId, secret, previousSecret: null, isOverlapping: null };
  expect(secrets.open({ ...row, id })).toHaveLength(1);
  expect(() => secrets.open({ ...row, id: other.id })).toThrow();
  expect(() => secrets.open({ ...row, id, organizationId: 'org_x' })).toThrow();
});
