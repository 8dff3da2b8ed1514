/**
 * @only embedded: it uses no database
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import tls from 'node:tls';
import { Post } from '../../src/webhooks/address/post';
import { Reach } from '../../src/webhooks/address/reach';

const PEM = 'test/support/self-signed.pem';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

const post = new Post(new Reach(['127.0.0.0/8']), async () => ['127.0.0.1']);

/** The status that an attempt gets, or undefined if it fails. */
const statusFrom = (scheme: string, port: number) =>
  post
    .send({ url: `${scheme}://a.example:${port}/`, headers: {}, body: '{}' }, new AbortController().signal)
    .then(
      ({ status }) => status,
      () => undefined,
    );

/** Lets a receiver answer in this way. */
async function receive(answer: (socket: Socket) => unknown, scheme = 'http') {
  const serve = (socket: Socket) => {
    socket.setNoDelay(true).on('error', () => {});
    socket.once('data', () => answer(socket));
  };
  const pem = readFileSync(PEM);
  const server = scheme === 'https' ? tls.createServer({ key: pem, cert: pem }, serve) : createServer(serve);
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return statusFrom(scheme, (server.address() as AddressInfo).port);
}

/** Writes parts one after the other, so that each is a read of the other side. */
const inParts = (parts: Iterable<string>) => async (socket: Socket) => {
  for (const part of parts) {
    if (socket.destroyed) return;
    socket.write(part);
    await new Promise(setImmediate);
  }
};

// Every receiver here ends with a complete response, so an attempt fails only because it is ended.
describe('a receiver', () => {
  beforeEach(() => {
    const { connect } = tls;
    const trusting = (options: tls.ConnectionOptions) => connect({ ...options, rejectUnauthorized: false });
    jest.spyOn(tls, 'connect').mockImplementation(trusting as typeof connect);
  });

  it.each(['http', 'https'])('may send ten informational responses, by %s', async (scheme) => {
    expect(await receive((socket) => socket.write(CONTINUE.repeat(10) + OK), scheme)).toBe(200);
    expect(await receive(inParts([...Array<string>(50).fill(CONTINUE), OK]), scheme)).toBeUndefined();
    // Several reads, each with many.
    expect(await receive(inParts([CONTINUE.repeat(10_000), OK]), scheme)).toBeUndefined();
  });

  it('may send its headers line by line, but not byte by byte', async () => {
    const headers = Array.from({ length: 100 }, (_, number) => `X-${number}: y\r\n`);
    const lines = ['HTTP/1.1 200 OK\r\n', ...headers, 'Content-Length: 0\r\n\r\n'];
    expect(await receive(inParts(lines))).toBe(200);
    expect(await receive(inParts(lines.join('')))).toBeUndefined();
  });

  it('may not send line ends instead, which the parser skips', async () => {
    expect(await receive(inParts([...Array<string>(1_000).fill('\r\n'), OK]))).toBeUndefined();
  });

  it('is not waited for once it leaves HTTP', async () => {
    let isOver = false;
    const closed = new Promise((done) => {
      void receive((socket) => {
        socket.on('close', done);
        socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
      }).finally(() => (isOver = true));
    });
    await closed;
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(isOver).toBe(true);
  });

  it.each([
    [2, 200],
    [2_000, undefined],
  ])('that sends %d session tickets gets %p', async (tickets, status) => {
    const options = ['-accept', '127.0.0.1:0', '-cert', PEM, '-key', PEM, '-num_tickets', String(tickets)];
    const server = spawn('openssl', ['s_server', ...options], { stdio: ['pipe', 'pipe', 'ignore'] });
    server.stdin.on('error', () => {});
    server.stdin.write(OK); // it sends this once somebody is connected
    let port: string | undefined;
    for await (const text of server.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false }))
      if ((port = /ACCEPT .*:(\d+)/.exec(text)?.[1])) break;
    server.stdout.resume();
    try {
      expect(await statusFrom('https', Number(port))).toBe(status);
    } finally {
      server.kill();
      await once(server, 'exit');
    }
  });
});
