/**
 * @slow it waits for receivers
 */
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Background } from '../../src/platform/background/background';
import { MAX_ATTEMPT_MS } from '../../src/webhooks/address/post';
import { WebhooksService } from '../../src/webhooks/webhooks.service';
import type { Client } from '../support/client';
import {
  createWebhook as create,
  type Delivery,
  deliveriesOf,
  LATER,
  useWebhooks,
  WEBHOOKS,
} from '../support/webhooks';

const { service, clock, receive, hooked } = useWebhooks();

const servers: Server[] = [];
const sockets = new Set<Socket>();
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  for (const socket of sockets) socket.destroy();
  jest.restoreAllMocks();
});

async function portOf(server: Server): Promise<number> {
  servers.push(server.on('connection', (socket) => sockets.add(socket)));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

/** The port of a receiver that does this when it has got something. */
const portThat = (act: (socket: Socket) => unknown) =>
  portOf(createServer((socket) => socket.on('error', () => {}).once('data', () => act(socket))));

async function closedPort(): Promise<number> {
  const port = await portThat(() => {});
  await new Promise((done) => servers.pop()!.close(done));
  return port;
}

/** Sends a test to a URL, and returns the delivery after its first attempt. */
async function attempt(api: Client, url: string): Promise<Delivery> {
  const { id } = await create(api, { url });
  await api.post(`${WEBHOOKS}/${id}/test`).expect(202);
  const [delivery] = await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
  return delivery;
}

const lastErrors = ({ organizationId }: Client) =>
  service.app.get(WebhooksService, { strict: false }).lastErrors(organizationId);

it('says why a receiver could not be reached, or has not answered', async () => {
  const api = await service.client();
  const pem = readFileSync('test/support/self-signed.pem');
  const hungUp = await portThat((socket) => socket.end());
  const cutOff = await portThat((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le'));
  const noHttp = await portThat((socket) => socket.end('220 mail.example.com ESMTP\r\n'));
  const upgrade = await portThat((socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  );
  const selfSigned = await portOf(createTlsServer({ key: pem, cert: pem }));
  const { url } = await receive();
  for (const [url_, lastError] of [
    ['http://nowhere.invalid/', 'dns'],
    [`http://127.0.0.1:${await closedPort()}/`, 'refused'],
    [`http://127.0.0.1:${hungUp}/`, 'reset'],
    [`http://127.0.0.1:${cutOff}/`, 'reset'],
    [`http://127.0.0.1:${noHttp}/`, 'protocol'],
    [`http://127.0.0.1:${upgrade}/`, 'protocol'],
    [url.replace('http:', 'https:'), 'tls'],
    [`https://127.0.0.1:${selfSigned}/`, 'tls'],
    [`https://10.1.2.3:${hungUp}/`, 'address'],
    [`http://[::ffff:10.1.2.3]:${hungUp}/`, 'address'],
  ] as const)
    expect([url_, await attempt(api, url_)]).toEqual([
      url_,
      expect.objectContaining({
        state: 'pending',
        attempts: 1,
        lastStatus: null,
        lastError,
        lastDurationMs: expect.any(Number),
        nextAttemptAt: expect.any(String),
      }),
    ]);
});

it('says that the time was over, wherever the receiver was silent', async () => {
  const wait = globalThis.setTimeout;
  const MS = 400;
  jest
    .spyOn(globalThis, 'setTimeout')
    .mockImplementation((run, ms, ...rest) => wait(run, ms === MAX_ATTEMPT_MS ? MS : ms, ...rest));
  const api = await service.client();
  const silent = await portThat(() => {});
  for (const scheme of ['http', 'https']) {
    const { lastError, lastDurationMs } = await attempt(api, `${scheme}://127.0.0.1:${silent}/`);
    expect([scheme, lastError]).toEqual([scheme, 'timeout']);
    expect(lastDurationMs).toBeGreaterThanOrEqual(MS - 1);
  }
});

it('says which status has come, and keeps nothing else of an answer', async () => {
  const [api, receiver] = [await service.client(), await receive()];
  for (const [status, state] of [
    [500, 'pending'],
    [404, 'pending'],
    [302, 'pending'],
    [410, 'failed'],
  ] as const) {
    receiver.answer((response) => response.writeHead(status, { location: receiver.url }).end('Grace Hopper'));
    expect(await attempt(api, receiver.url)).toMatchObject({
      state,
      lastStatus: status,
      lastError: 'status',
    });
  }
  const rows = await service.dataSource.query('SELECT * FROM webhook_deliveries WHERE organization_id = $1', [
    api.organizationId,
  ]);
  expect(JSON.stringify(rows)).not.toContain('Grace');
});

it('has nothing to say before the first attempt, and about the last one alone after it', async () => {
  const { api, receiver, id } = await hooked();
  let answer = () => {};
  receiver.answer((response) => (answer = () => response.writeHead(500, LATER).end()));
  await api.createUser();
  await receiver.until(1);
  const [before] = await deliveriesOf(api, id, () => true);
  expect(before).toMatchObject({ attempts: 0, lastStatus: null, lastError: null, lastDurationMs: null });
  expect(await lastErrors(api)).toEqual({});
  answer();
  const [refused] = await deliveriesOf(api, id, ([first]) => first.attempts === 1);
  expect(refused).toMatchObject({ lastStatus: 500, lastError: 'status' });
  expect(await lastErrors(api)).toEqual({ [id]: 'status' });

  receiver.answer((response) => response.socket!.destroy());
  await clock.pass(700);
  const [cutOff] = await deliveriesOf(api, id, ([first]) => first.attempts === 2);
  expect(cutOff).toMatchObject({ lastStatus: null, lastError: 'reset' });
  expect(await lastErrors(api)).toEqual({ [id]: 'reset' });

  receiver.answer((response) => response.writeHead(204).end());
  await clock.pass(700);
  const [delivered] = await deliveriesOf(api, id, ([first]) => first.state === 'delivered');
  expect(delivered).toMatchObject({ lastStatus: 204, lastError: null, lastDurationMs: expect.any(Number) });
  expect(await lastErrors(api)).toEqual({});
});

it('a webhook that is gone has failed last, until it is enabled again', async () => {
  const { api, receiver, id } = await hooked();
  receiver.answer((response) => response.writeHead(410).end());
  await api.createUser();
  await deliveriesOf(api, id, ([first]) => first?.state === 'failed');
  expect(await lastErrors(api)).toEqual({ [id]: 'status' });
  expect(await lastErrors(await service.client())).toEqual({});
  await api.patch(`${WEBHOOKS}/${id}`, { enabled: true }).expect(200);
  expect(await lastErrors(api)).toEqual({});
});

it('an event that is kept no longer has no attempt, and so no reason, and its webhook that of the last one', async () => {
  const { api, receiver, id } = await hooked();
  receiver.answer((response) => response.writeHead(500, LATER).end());
  await api.createUser();
  await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
  await service.dataSource.query('DELETE FROM events WHERE organization_id = $1', [api.organizationId]);
  await clock.pass(700);
  const [failed] = await deliveriesOf(api, id, ([first]) => first.state === 'failed');
  expect(failed).toMatchObject({ lastStatus: null, lastError: null, lastDurationMs: null });
  expect(await lastErrors(api)).toEqual({ [id]: 'status' });
});

it('an attempt that the end of its replica has cut off leaves what was said before', async () => {
  const { api, receiver, id } = await hooked();
  receiver.answer((response) => response.writeHead(503).end());
  await api.createUser();
  const [failed] = await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
  receiver.answer(() => {});
  await clock.pass(60);
  await receiver.until(2);
  await service.app.get(Background, { strict: false }).beforeApplicationShutdown(); // nothing is sent after this test
  const [left] = await deliveriesOf(api, id, () => true);
  expect(left).toEqual(failed);
});
