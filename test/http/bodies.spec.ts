/**
 * @only embedded: it tests what happens before the database is asked
 */
import { once } from 'node:events';
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { aUser, type Client } from '../support/client';
import { startService, type TestService } from '../support/service';
import { connectTo } from '../support/socket';

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

const post = (path: string, body: string, client = api) => client.post(path).type('json').send(body);

describe.each([
  ['over 64 KB', BATCH, batchOf(64 * 1024 + 1), 2],
  ['of 64 KB', BATCH, batchOf(64 * 1024), 16],
])('of bodies %s', (_size, path, body, count) => {
  it(`${count} of an organization are read at once, and others are a 503 after a while`, async () => {
    const sockets = await Promise.all(Array.from({ length: count }, () => stalled(path, body)));
    const [refusal, served] = await Promise.all([post(path, body), post(path, body, other)]);
    expect(refusal.status).toBe(503);
    expect(refusal.headers['retry-after']).toBe('2');
    expect(refusal.body.code).toBe('unavailable');
    expect(served.status).toBe(200);
    const { requestId, detail: message } = refusal.body;
    const logged = service.logs
      .map((line) => JSON.parse(line))
      .filter((line) => line.requestId === requestId);
    expect(logged.filter(({ route }) => !route)).toEqual([
      { level: 40, time: expect.any(String), context: 'Error', requestId, message },
    ]);

    // The room of a request whose caller leaves, and of one that ends.
    const waiting = post(path, batchOf(body.length)).then(({ status }) => status);
    sockets.pop()!.destroy();
    expect(await waiting).toBe(200);
    sockets.pop()!.write(' ');
    await post(path, batchOf(body.length)).expect(200);
    for (const socket of sockets) socket.destroy();
  });
});

it('bodies that hardly arrive give way to another organization, and are a 503', async () => {
  const holders = [api, api, other, other];
  const sockets = await Promise.all(
    holders.map(({ tokenValue }) => stalled(BATCH, batchOf(100_000), tokenValue)),
  );
  const third = await service.client();
  await post(BATCH, batchOf(100_000), third).expect(200);

  const [stopped] = await Promise.race(
    sockets.map((socket) => once(socket, 'readable').then(() => [socket])),
  );
  expect(String(stopped.read())).toMatch(/^HTTP\/1\.1 503 [^]*retry-after: 2[^]*arrives too slowly/i);
  if (!stopped.readableEnded) await once(stopped.resume(), 'end');
  expect(sockets.filter((socket) => socket.readyState === 'open')).toHaveLength(3);
  for (const socket of sockets) socket.destroy();
});

it('32 bodies of an organization wait, and more are a 503 at once', async () => {
  const sockets = await Promise.all([stalled(BATCH, batchOf(100_000)), stalled(BATCH, batchOf(100_000))]);
  const waiting = await Promise.all(
    Array.from({ length: 32 }, async () => {
      const socket = await connectTo(service.url);
      socket.write(head(BATCH, 100_000));
      return socket;
    }),
  );
  await api.get('/api/v1/users').agent(new Agent()).expect(200); // a later connection: the others have arrived
  await post(BATCH, batchOf(100_000)).expect(503);

  for (const socket of sockets) socket.destroy();
  const answer = await Promise.race(
    waiting.map((socket) => once(socket, 'readable').then(() => String(socket.read()))),
  );
  expect(answer).toContain('100 Continue');
  for (const socket of waiting) socket.destroy();
});

it('the room of a body is kept while its handler works, also when the caller has left', async () => {
  const { transaction } = service.dataSource;
  let work!: () => void;
  const isWorking = new Promise<void>((done) => (work = done));
  let finish!: () => void;
  const isFinished = new Promise<void>((done) => (finish = done));
  service.dataSource.transaction = (async (...args: never[]) => {
    work();
    await isFinished;
    return (transaction as (...args: never[]) => unknown).apply(service.dataSource, args);
  }) as typeof transaction;
  try {
    const left = await stalled(BATCH, batchOf(100_000));
    left.write(' ');
    await isWorking;
    left.destroy();
    await once(left, 'close');
    const reading = await stalled(BATCH, batchOf(100_000));
    await post(BATCH, batchOf(100_000)).expect(503);
    reading.destroy();
  } finally {
    service.dataSource.transaction = transaction;
    finish();
  }
  await post(BATCH, batchOf(100_000)).expect(200);
});
