/**
 * @only embedded: it tests what happens before the database is asked
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Database } from '../../src/platform/database/database';
import { aUser, type Client } from '../support/client';
import { exchange } from '../support/oauth';
import { startService, type TestService } from '../support/service';
import { connectTo, exchange as exchangeBytes, untilClosed } from '../support/socket';
import { until } from '../support/until';

let service: TestService;
let api: Client;
let other: Client;
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' });
});
beforeEach(async () => {
  api = await service.client();
  other = await service.client();
});
afterAll(() => service.close());

const FORM = 'application/x-www-form-urlencoded';
const BATCH = '/api/v1/users/batch';

/** A body of this many bytes. */
const batchOf = (bytes: number) => JSON.stringify({ users: [aUser()] }).padEnd(bytes);

const head = (path: string, length: number, token = api.tokenValue) =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    'Expect: 100-continue',
    '\r\n',
  ].join('\r\n');

/** A request whose body the service reads, and whose last byte does not come. */
async function stalled(path: string, body: string, token = api.tokenValue): Promise<Socket> {
  const socket = await connectTo(service.url);
  socket.write(head(path, body.length, token));
  await once(socket, 'readable'); // 100 Continue
  socket.read();
  socket.write(body.slice(0, -1));
  return socket;
}

/** Holds the handlers that write, and returns what lets each of them go on. */
function holdHandlers(): (() => void)[] {
  const database = service.app.get(Database);
  const { write } = database;
  const handlers: (() => void)[] = [];
  jest.spyOn(database, 'write').mockImplementation(async (...args) => {
    await new Promise<void>((finish) => handlers.push(finish));
    return write.apply(database, args);
  });
  return handlers;
}

const post = (path: string, body: string, client = api) => client.post(path).type('json').send(body);

describe.each([
  ['over 64 KB', batchOf(64 * 1024 + 1), 2],
  ['of 64 KB', batchOf(64 * 1024), 16],
])('of bodies %s', (_size, body, count) => {
  it(`${count} of an organization are worked on at once, and others are a 503 after a while`, async () => {
    const handlers = holdHandlers();
    const worked = Array.from({ length: count }, () => post(BATCH, body).then(({ status }) => status));
    await until(() => handlers.length === count);
    const refusal = await post(BATCH, body);
    expect(refusal.status).toBe(503);
    expect(refusal.headers['retry-after']).toBe('2');
    expect(refusal.body.code).toBe('unavailable');
    const { requestId, detail: message } = refusal.body;
    const logged = service.logs
      .map((line) => JSON.parse(line))
      .filter((line) => line.requestId === requestId);
    expect(logged.filter(({ route }) => !route)).toEqual([
      { level: 40, time: expect.any(String), context: 'Error', requestId, message },
    ]);
    const served = post(BATCH, body, other).then(({ status }) => status);
    await until(() => handlers.length === count + 1);
    handlers[count]();
    expect(await served).toBe(200);

    const waiting = post(BATCH, batchOf(body.length)).then(({ status }) => status);
    handlers[0]();
    await until(() => handlers.length === count + 2);
    for (const finish of handlers) finish();
    expect(await Promise.all([waiting, ...worked])).toEqual(Array(count + 1).fill(200));
  });

  it('they find room while others of the organization stall', async () => {
    const sockets = await Promise.all(Array.from({ length: count }, () => stalled(BATCH, body)));
    await post(BATCH, body).expect(200);
    await post(BATCH, body, other).expect(200);
    for (const socket of sockets) socket.destroy();
  });
});

it('small bodies find room whatever organizations do with large ones', async () => {
  const clients = await Promise.all([1, 2, 3, 4, 5].map(() => service.client()));
  const handlers = holdHandlers();
  const sent = clients.flatMap((client) => [1, 2].map(() => post(BATCH, batchOf(1024 * 1024), client)));
  const worked = sent.map((request) => request.then(({ status }) => status));
  await until(() => handlers.length === 4);
  // One of another organization, and of each whose large ones are at work or wait.
  for (const client of [api, ...clients]) {
    const count = handlers.length;
    const user = post('/api/v1/users', JSON.stringify(aUser()), client).then(({ status }) => status);
    await until(() => handlers.length > count);
    handlers[count]();
    expect(await user).toBe(201);
  }
  let isOver = false;
  const all = Promise.all(worked).finally(() => (isOver = true));
  await until(() => {
    for (const finish of handlers) finish();
    return isOver;
  });
  expect((await all).filter((status) => status === 200).length).toBeGreaterThanOrEqual(4);
});

it.each([
  ['/api/v1/users', 64 * 1024, 413],
  [BATCH, 1024 * 1024, 413],
  ['/scim/v2/Users', 64 * 1024, 413],
  ['/oauth/token', 64 * 1024, 400],
])('a body of %s without a length is refused as soon as it is over %i bytes', async (path, limit, status) => {
  const socket = await connectTo(service.url);
  const type = path.startsWith('/oauth') ? FORM : 'application/json';
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    `Authorization: Bearer ${api.tokenValue}`,
    `Content-Type: ${type}`,
    'Transfer-Encoding: chunked',
  ];
  const bytes = limit + 1;
  socket.write(`${lines.join('\r\n')}\r\n\r\n${bytes.toString(16)}\r\n${'x'.repeat(bytes)}`);
  await once(socket, 'readable');
  expect(String(socket.read())).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*connection: close\r\n`, 'i'));
  await untilClosed(socket.resume());
});

it('a body without a token counts by what has arrived: those that stall do not keep their network out', async () => {
  const stalled = Array.from({ length: 100 }, async () => {
    const socket = await connectTo(service.url);
    const lines = ['POST /oauth/token HTTP/1.1', 'Host: a', `Content-Type: ${FORM}`, 'Content-Length: 65536'];
    socket.write(`${lines.join('\r\n')}\r\nExpect: 100-continue\r\n\r\n`);
    await once(socket, 'readable'); // 100 Continue
    socket.write('a');
    return socket;
  });
  const sockets = await Promise.all(stalled);
  const form = { grant_type: 'client_credentials', client_id: api.tokenId, client_secret: api.tokenValue };
  expect((await exchange(service.url, form)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

describe('a body in small chunks', () => {
  const chunked = (path: string, sizes: number[]) =>
    [
      `POST ${path} HTTP/1.1`,
      'Host: a',
      `Authorization: Bearer ${api.tokenValue}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      '',
      ...sizes.flatMap((size) => [size.toString(16), 'x'.repeat(size)]),
      '',
    ].join('\r\n');
  const ones = (count: number) => Array.from({ length: count }, () => 1);
  /** The status lines of what is answered until the connection ends. */
  const statusesOf = async (bytes: string) =>
    [...(await exchangeBytes(service.url, bytes)).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) =>
      Number(status),
    );

  it('is refused where it has more than 256, and one for each 256 bytes', async () => {
    const few = [...ones(256), 255, ...ones(1), ...Array.from({ length: 100 }, () => 400)];
    const end = '0\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    expect(await statusesOf(chunked('/api/v1/users', few) + end)).toEqual([400, 200]);
    const answer = await exchangeBytes(service.url, chunked('/api/v1/users', ones(258)));
    expect(answer).toMatch(/^HTTP\/1.1 400 [^]*connection: close\r\n[^]*too many small chunks/i);
  });

  it.each(['/livez', '/nowhere', BATCH])('is not read to its end where nobody reads it: %s', async (path) => {
    const statuses = await statusesOf(chunked(path, ones(20_000)));
    expect([404, 405, 401, 400]).toContain(statuses[0]);
  });

  it('costs no more of its packet, and its parser reads the bodies of later connections', async () => {
    for (let i = 0; i < 5; i++) await statusesOf(chunked('/api/v1/users', ones(2_000)));
    await post('/api/v1/users', JSON.stringify(aUser())).expect(201);
  });
});

describe('bodies that stall', () => {
  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  /** So many of each organization. */
  async function stall(clients: Client[], path: string, bytes: number, count: number) {
    const begun = clients.flatMap(({ tokenValue }) =>
      Array.from({ length: count }, () => stalled(path, batchOf(bytes), tokenValue)),
    );
    sockets.push(...(await Promise.all(begun)));
  }
  const organizations = (count: number) => Promise.all(Array.from({ length: count }, () => service.client()));

  /** Waits for a response, and returns its head. */
  const headOf = (socket: Socket) => once(socket, 'readable').then(() => String(socket.read()));

  it('do not keep other organizations out, whether they are large or small', async () => {
    await stall(await organizations(4), BATCH, 64 * 1024, 16);
    await stall(await organizations(6), BATCH, 1024 * 1024, 2);
    for (const bytes of [100, 64 * 1024, 64 * 1024 + 1, 1024 * 1024])
      await post(BATCH, batchOf(bytes)).expect(200);
    expect(sockets.filter(({ readyState }) => readyState === 'open')).toHaveLength(76);
  });

  it('are a 503 at once beyond 16 MB, the oldest of the organization that has most', async () => {
    const [few, many, ...rest] = await organizations(9);
    await stall([few], BATCH, 1_000_000, 1);
    await stall([many], BATCH, 1_000_000, 2);
    const [, oldest] = sockets;
    await stall(rest, BATCH, 1_000_000, 1);
    await stall(rest.slice(1), BATCH, 1_000_000, 1);
    const answer = headOf(oldest);
    expect(sockets.filter(({ readyState }) => readyState !== 'open')).toEqual([]);
    await stall([api], BATCH, 1_000_000, 1);
    expect(await answer).toMatch(/^HTTP\/1\.1 503 [^]*connection: close\r\n[^]*retry-after: 2\r\n/i);
    await untilClosed(oldest.resume());
    expect(sockets.filter(({ readyState }) => readyState === 'open')).toHaveLength(16);
    await post(BATCH, batchOf(1_000_000), other).expect(200);
  });
});

it('the memory of a body is held while its handler works, also when the caller has left', async () => {
  const handlers = holdHandlers();
  for (let i = 1; i <= 2; i++) {
    const left = await stalled(BATCH, batchOf(100_000));
    left.write(' ');
    await until(() => handlers.length === i);
    left.destroy();
    await once(left, 'close');
  }
  await post(BATCH, batchOf(100_000)).expect(503);
  for (const finish of handlers) finish();
  jest.restoreAllMocks();
  await post(BATCH, batchOf(100_000)).expect(200);
});

it('a connection that stays open keeps no body in memory, whether it was accepted or refused', async () => {
  const requests: { body?: unknown }[] = [];
  const keep = (request: object) => requests.push(request);
  const server = service.app.getHttpServer();
  server.on('request', keep);
  await post(BATCH, batchOf(100_000)).expect(200);
  await post('/api/v1/users', '{"name":1}').expect(400);
  server.off('request', keep);
  expect(requests).toHaveLength(2);
  await until(() => requests.every(({ body }) => body === undefined));
});
