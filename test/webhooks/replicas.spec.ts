/**
 * @slow it starts processes
 * @only embedded postgres: it tests what receivers answer; turns tests who delivers
 */
import { readFileSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import pg from 'pg';
import { aUser, Client } from '../support/client';
import { copyOfTemplate, emptyDirectory, type TestDatabase } from '../support/database';
import { describeOn } from '../support/engine';
import { run, type Running, start, stop } from '../support/process';
import { startReceiver, verified } from '../support/receiver';
import { createWebhook, type Delivery, deliveriesOf, useReceivers, WEBHOOKS } from '../support/webhooks';
import { until } from '../support/until';

const KEY = Buffer.alloc(32, 1).toString('base64');
const OTHER_KEY = Buffer.alloc(32, 2).toString('base64');

/** For ten thousand deliveries, which slow machines take a while for. */
const MANY_MS = 400_000;

describeOn('postgres', 'webhooks of several replicas', () => {
  let database: TestDatabase;
  let env: NodeJS.ProcessEnv;
  const replicas: Running[] = [];
  beforeEach(async () => {
    database = await copyOfTemplate();
    env = { ...database.env, WEBHOOK_ENCRYPTION_KEY: KEY, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
  });
  afterEach(async () => {
    for (const replica of replicas.splice(0)) if (replica.process.exitCode === null) await stop(replica);
    await database.drop();
  });

  const startReplica = async (more: NodeJS.ProcessEnv = {}) => {
    const replica = await start({ ...env, ...more }, '--json');
    replicas.push(replica);
    return replica;
  };
  const receive = useReceivers();
  const ums = async (args: string[], more: NodeJS.ProcessEnv = {}) => {
    const { code, stdout, stderr } = await run([...args, '--json'], { ...env, ...more });
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };
  /** Waits until the only replica has looked several times for webhooks that are due. */
  const severalLooks = async () => {
    const client = new pg.Client(database.env.DATABASE_URL);
    await client.connect();
    const looks = new Set<string>();
    const newest = `SELECT query_start::text AS at FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE '%SELECT webhooks.organization_id AS "organizationId"%'
        AND pid <> pg_backend_pid()`;
    await until(async () => {
      for (const { at } of (await client.query(newest)).rows) looks.add(at);
      return looks.size > 4;
    });
    await client.end();
  };
  const anAdmin = async () => {
    const organization = await ums(['organizations', 'create', 'Test']);
    const { token } = await ums([
      'tokens',
      'create',
      '--organization',
      organization.id,
      '--name',
      'a',
      '--scopes',
      'admin',
    ]);
    return { organizationId: organization.id as string, value: token as string };
  };

  it('get every event from whoever is left, also when one of these is killed', async () => {
    const [one, other] = [await startReplica(), await startReplica()];
    const admin = await anAdmin();
    const api = new Client(one.url, admin);
    const many = await Promise.all(Array.from({ length: 5 }, receive));
    const secrets: string[] = [];
    for (const [i, { url }] of many.entries()) {
      const fields = { url, types: ['user.created'], ordering: i < 2 ? 'organization' : 'none' };
      secrets.push((await api.post('/api/v1/webhooks', fields).expect(201)).body.secret);
    }
    // Slow, so that some are under way when the process is killed.
    for (const receiver of many)
      receiver.answer((response) => void setTimeout(() => response.writeHead(204).end(), 10));
    const ids = new Set<string>();
    const write = async (client: Client) => {
      const users = Array.from({ length: 500 }, () => aUser());
      const { body } = await client.post('/api/v1/users/batch', { users }).expect(200);
      for (const { id } of body.results) ids.add(id);
    };
    for (let i = 0; i < 2; i++) await write(api);
    await Promise.all(many.map((receiver) => receiver.until(1, MANY_MS)));
    await Promise.race(many.map((receiver) => receiver.until(100, MANY_MS)));
    const beforehand = many.map(({ received }) => received.length);
    one.process.kill('SIGKILL');
    for (let i = 0; i < 2; i++) await write(new Client(other.url, admin));
    expect([ids.size, Math.max(...beforehand) < 1_000]).toEqual([2_000, true]);
    for (const receiver of many)
      await receiver.until(
        (received) => received.length >= 2_000 && new Set(received.map(({ id }) => id)).size === 2_000,
        MANY_MS,
      );
    many.forEach(({ received }, i) => {
      for (const message of received) verified(secrets[i], message);
      expect(new Set(received.map(({ event }) => event.target.id))).toEqual(ids);
      expect(received.length - 2_000).toBeLessThanOrEqual(10); // what was under way
      if (i >= 2) return;
      const seen = new Set<string>();
      const sequences = received
        .filter(({ id }) => !seen.has(id) && seen.add(id))
        .map(({ event }) => event.sequence);
      expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    });
  }, 900_000);

  it('of one organization whose receivers are all silent slow down nobody else', async () => {
    const replica = await startReplica();
    const [bad, good] = [new Client(replica.url, await anAdmin()), new Client(replica.url, await anAdmin())];
    const [silent, receiver] = [await receive(), await receive()];
    const waiting = new Set<ServerResponse>();
    let [givenUp, mostWaiting] = [0, 0];
    silent.answer((response) => {
      mostWaiting = Math.max(mostWaiting, waiting.add(response).size);
      response.on('close', () => waiting.delete(response) && givenUp++);
    });
    for (let i = 0; i < 20; i++)
      await bad.post('/api/v1/webhooks', { url: silent.url, types: ['user.created'] }).expect(201);
    await good.post('/api/v1/webhooks', { url: receiver.url, types: ['user.created'] }).expect(201);
    const users = Array.from({ length: 15 }, () => aUser());
    await bad.post('/api/v1/users/batch', { users }).expect(200);
    await silent.until(25); // all that one organization may begin at once
    // An attempt at a silent receiver lasts 15 seconds. On a busy machine one may end in the meantime, but not each
    // time.
    for (let turn = 1, before = -1; before !== givenUp; turn++) {
      expect(turn).toBeLessThanOrEqual(5);
      before = givenUp;
      await good.createUser();
      await receiver.until(turn);
    }
    expect(mostWaiting).toBeLessThanOrEqual(20 * 10 + givenUp); // a place is free before the receiver notices
  });

  it('give up an attempt after 15 seconds, at receivers that are slower and at silent ones', async () => {
    const replica = await startReplica();
    const api = new Client(replica.url, await anAdmin());
    const [slow, silent] = [await receive(), await receive()];
    slow.answer((response) => void setTimeout(() => response.writeHead(204).end(), 20_000));
    silent.answer(() => {});
    const webhooks: string[] = [];
    for (const { url } of [slow, silent]) webhooks.push((await createWebhook(api, { url })).id);
    await api.createUser();
    for (const id of webhooks) {
      const [delivery] = await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
      expect(delivery).toMatchObject({ state: 'pending', lastStatus: null });
      expect((await api.get(`${WEBHOOKS}/${id}`)).body.failingSince).not.toBeNull();
    }
    await slow.until(2); // again
  });

  it('are finished by a shutdown, and continued by the next start', async () => {
    const first = await startReplica();
    const admin = await anAdmin();
    const api = new Client(first.url, admin);
    const receiver = await receive();
    receiver.answer((response) => void setTimeout(() => response.writeHead(204).end(), 300));
    const { body } = await api
      .post('/api/v1/webhooks', { url: receiver.url, types: ['user.created'], ordering: 'organization' })
      .expect(201);
    for (let i = 0; i < 6; i++) await api.createUser();
    await receiver.until(2);
    expect(await stop(first)).toBe(0);
    const before = receiver.received.length;
    expect(before).toBeLessThan(6);
    const second = await startReplica();
    await receiver.until(6);
    const areDelivered = (all: Delivery[]) => all.every(({ state }) => state === 'delivered');
    const deliveries = await deliveriesOf(new Client(second.url, admin), body.id, areDelivered);
    expect(receiver.received.map(({ event }) => event.sequence)).toEqual(
      [...new Set(receiver.received.map(({ event }) => event.sequence))].sort((a, b) => a - b),
    );
    expect(deliveries.map(({ attempts }) => attempts)).toEqual(Array(6).fill(1));
  });

  it('need the key: without it none is made, and another one is refused until the secrets are encrypted with it', async () => {
    const receiver = await receive();
    const first = await startReplica();
    const admin = await anAdmin();
    const { body } = await new Client(first.url, admin)
      .post('/api/v1/webhooks', { url: receiver.url, types: ['user.created'] })
      .expect(201);
    await stop(first);

    const without = await startReplica({ WEBHOOK_ENCRYPTION_KEY: '' });
    const refused = await new Client(without.url, admin)
      .post('/api/v1/webhooks', { url: receiver.url, types: ['*'] })
      .expect(503);
    expect(refused.body).toMatchObject({
      code: 'unavailable',
      detail: expect.stringContaining('WEBHOOK_ENCRYPTION_KEY'),
    });
    expect(refused.headers['retry-after']).toBeDefined();
    await new Client(without.url, admin).post(`/api/v1/webhooks/${body.id}/rotate-secret`).expect(503);
    await new Client(without.url, admin).createUser();
    const complaints = () => without.stdout().split('which is not in WEBHOOK_ENCRYPTION_KEY').length - 1;
    await until(() => complaints() > 0);
    await severalLooks(); // in which it rests
    expect(complaints()).toBe(1);
    expect(receiver.received).toEqual([]);
    await stop(without);

    const both = { WEBHOOK_ENCRYPTION_KEY: `${OTHER_KEY},${KEY}` };
    expect(await ums(['webhooks', 'rewrap'], both)).toEqual({ rewrapped: 1 });
    expect(await ums(['webhooks', 'rewrap'], both)).toEqual({ rewrapped: 0 });
    expect(await ums(['webhooks', 'list', '--organization', admin.organizationId])).toMatchObject([
      { id: body.id },
    ]);
    const last = await startReplica({ WEBHOOK_ENCRYPTION_KEY: OTHER_KEY });
    await new Client(last.url, admin).createUser();
    await new Client(last.url, admin)
      .post(`/api/v1/webhooks/${body.id}/redeliver`, { since: '2026-01-01T00:00:00Z' })
      .expect(202);
    const [message] = await receiver.until(1);
    verified(body.secret, message);
    expect(last.stdout() + without.stdout() + first.stdout()).not.toMatch(/whsec_/);
  });
});

it('the embedded database makes a key for the secrets of webhooks, and keeps it', async () => {
  const { env, drop } = await emptyDirectory();
  const receiver = await startReceiver();
  try {
    const generated = await run(['tokens', 'generate', '--json'], {});
    const { token: value } = JSON.parse(generated.stdout);
    const startIt = () =>
      start({ ...env, BOOTSTRAP_TOKEN: value, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' }, '--json');
    const first = await startIt();
    const { id, secret } = await createWebhook(new Client(first.url, { value }), { url: receiver.url });
    expect(await stop(first)).toBe(0);
    const file = join(env.DATA_DIR, 'webhook-key');
    expect(readFileSync(file, 'utf8')).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = await startIt();
    await new Client(second.url, { value }).post(`${WEBHOOKS}/${id}/test`).expect(202);
    verified(secret, (await receiver.until(1))[0]);
    expect(await stop(second)).toBe(0);
    expect(first.stdout() + second.stdout()).not.toMatch(/whsec_/);
  } finally {
    await receiver.close();
    await drop();
  }
});
