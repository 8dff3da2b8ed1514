/**
 * @slow it starts a process
 * @only embedded postgres: it tests sockets
 */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { aUser, Client } from '../support/client';
import { copyOfTemplate, type TestDatabase } from '../support/database';
import { describeOn } from '../support/engine';
import { run, type Running, start, stop } from '../support/process';
import { connectTo, readSlowly, untilClosed } from '../support/socket';
import { until } from '../support/until';

/** A page of the users below has a little more, and ends before 1 MB. */
const PAGE = 1_000_000;

/** What Node chooses itself in a container with the memory of deploy/base. On a larger machine it lets garbage lie. */
const NODE_OPTIONS = '--max-old-space-size=192';

/**
 * What the slow reader reads, 200 KB a second: more than the buffers of the system hold, for longer than 60 seconds.
 */
const SLOWLY = 3_600_000 * 4;

/** The state of a connection that is open, in /proc/net/tcp. */
const ESTABLISHED = '01';

describeOn('postgres', 'responses that nobody reads', () => {
  let database: TestDatabase;
  let service: Running;
  let value: string;
  /** A token of another organization. */
  let other: string;

  beforeAll(async () => {
    database = await copyOfTemplate();
    value = (await run(['tokens', 'generate'], {})).stdout.trim();
    service = await start({ ...database.env, BOOTSTRAP_TOKEN: value, LOG_LEVEL: 'warn', NODE_OPTIONS });
    const json = async (...args: string[]) =>
      JSON.parse((await run([...args, '--json'], database.env)).stdout);
    const { id } = await json('organizations', 'create', 'Other');
    const { token } = await json(
      ...['tokens', 'create', '--organization', id, '--name', 'Other', '--scopes', 'admin'],
    );
    other = token;
    // 200 users have 3.2 MB in either organization.
    const numbers = Array.from({ length: 940 }, (_, i) => 1e15 + i);
    for (const token of [value, other]) {
      const api = new Client(service.url, { value: token });
      for (let i = 0; i < 200; i++)
        await api.post('/api/v1/users', aUser({ metadata: { numbers } })).expect(201);
    }
  });
  afterAll(async () => {
    expect(await stop(service)).toBe(0);
    await database.drop();
  });

  const residentMB = () =>
    Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${service.process.pid}/status`, 'utf8'))![1]) / 1024;

  const askForPages = async (count: number, token = value): Promise<Socket> => {
    const socket = await connectTo(service.url);
    const page = `GET /api/v1/users?limit=200 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    socket.write(page.repeat(count));
    return socket;
  };

  /** Resolves when a part of a response has arrived, or the service has closed the connection. */
  const answered = (socket: Socket) =>
    Promise.race([new Promise((done) => socket.once('readable', done)), untilClosed(socket)]);

  /** Whether the service has closed the connection, of which one that does not read learns nothing. */
  const isClosedByService = ({ localPort }: Socket): boolean => {
    const addressAt = (port: number) => `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    const connection = `${addressAt(Number(new URL(service.url).port))} ${addressAt(localPort!)} ${ESTABLISHED}`;
    return !readFileSync('/proc/net/tcp', 'utf8').includes(connection);
  };

  /** Reads what has arrived before the service closed the connection, or so many bytes; returns their number. */
  const readToEnd = async (socket: Socket, most: number): Promise<number> => {
    let read = 0;
    socket.on('data', (chunk) => {
      read += chunk.length;
      if (read >= most) socket.destroy();
    });
    socket.resume();
    await untilClosed(socket);
    return read;
  };

  it('leave the process small and its other callers alone, and their connections are closed', async () => {
    const slow = await askForPages(15, other);
    const slowlyRead = readSlowly(slow, SLOWLY, SLOWLY / 70);

    const unread = await Promise.all(Array.from({ length: 9 }, () => askForPages(100)));
    let most = 0;
    await until(() => {
      most = Math.max(most, residentMB());
      return unread.every(isClosedByService);
    }, 500);
    expect(most).toBeLessThan(384);

    const received = await Promise.all(unread.map((socket) => readToEnd(socket, 30 * PAGE)));
    for (const bytes of received) expect(bytes).toBeLessThan(30 * PAGE);
    expect(await slowlyRead).toBe(SLOWLY);
    slow.destroy();
  });

  it('are dropped for others before they take too much', async () => {
    const unread: Socket[] = [];
    // The buffers of the system take the first pages of each connection.
    while (unread.length < 90) {
      const more = await Promise.all(Array.from({ length: 5 }, () => askForPages(9)));
      await Promise.all(more.map(answered));
      unread.push(...more);
    }
    const api = new Client(service.url, { value: other });
    for (let i = 0; i < 10; i++) {
      const { body } = await api.get('/api/v1/users?limit=200').expect(200);
      expect(body.data.length).toBeGreaterThan(50);
      expect(residentMB()).toBeLessThan(384);
    }
    const whole = await Promise.all(
      unread.map(async (socket) => (await readToEnd(socket, 9 * PAGE)) >= 9 * PAGE),
    );
    expect(whole).toContain(false);
    expect(whole).toContain(true);
  });

  it('are dropped while they are sent in parts, too', async () => {
    const api = new Client(service.url, { value: other });
    const { body: user } = await api.post('/api/v1/users', aUser()).expect(201);
    for (let first = 1; first <= 250; first++) {
      const metadata = { numbers: Array.from({ length: 940 }, (_, i) => first * 1e12 + i) };
      await api.patch(`/api/v1/users/${user.id}`, { metadata }).expect(200);
    }
    const request = `GET /api/v1/users/${user.id}/export HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${other}\r\n\r\n`;
    const unread = await Promise.all(Array.from({ length: 300 }, () => connectTo(service.url)));
    for (const socket of unread) socket.write(request);
    let most = 0;
    await until(() => {
      most = Math.max(most, residentMB());
      return unread.filter(isClosedByService).length > 200;
    }, 500);
    expect(most).toBeLessThan(384);
    for (const socket of unread) socket.destroy();
  });

  it('are of requests that arrive a byte at a time, too, which are a 408', async () => {
    const post = ['POST /api/v1/users HTTP/1.1', 'Host: a', `Authorization: Bearer ${value}`];
    const body = [...post, 'Content-Type: application/json', 'Content-Length: 1000', '\r\n'].join('\r\n');
    const answers = ['GET /livez HTTP/1.1\r\nX-Slow: ', body].map(async (bytes) => {
      const socket = await connectTo(service.url);
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk)).resume();
      socket.write(bytes);
      const drops = setInterval(() => socket.write('x'), 200);
      await untilClosed(socket).finally(() => clearInterval(drops));
      return answer;
    });
    for (const answer of await Promise.all(answers))
      expect(answer).toMatch(/^HTTP\/1.1 408 [^]*^x-request-id: \S/im);
  });
});
