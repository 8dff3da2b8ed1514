import { spawn } from 'node:child_process';
import { createHook } from 'node:async_hooks';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server as TcpServer,
  Socket,
} from 'node:net';
import tls from 'node:tls';
import { type Unanswered, unansweredBy } from '../../src/webhooks/address/delivery-error';
import { addressesIn, lookUp, type LookUp, lookUpPrivately } from '../../src/webhooks/address/look-up';
import { Post } from '../../src/webhooks/address/post';
import { GLOBAL_IPV6, isPublic, Reach, SPECIAL_IPV4, SPECIAL_IPV6 } from '../../src/webhooks/address/reach';
import { until } from '../support/until';

const PEM = 'test/support/self-signed.pem';

const never = new AbortController().signal;
const toLoopback = new Post(new Reach(['127.0.0.0/8']), async () => ['127.0.0.1']);

const asNumber = (address: string) => address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
const asIpv4 = (number: number) =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');

const expectPublic = (addresses: string, expected: boolean) => {
  for (const address of addresses.trim().split(/\s+/))
    expect([address, isPublic(address)]).toEqual([address, expected]);
};

describe('a public address', () => {
  it('is none of a special network, and its neighbours are', () => {
    expectPublic(
      `8.8.8.8 1.1.1.1 93.184.215.14 2606:4700::1111 2a00:1450:4001::8a 2001:4860:4860::8888
       9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 168.63.129.15
       168.63.129.17 172.15.255.255 172.32.0.0 223.255.255.255 2000::1 3ffe:ffff::1`,
      true,
    );
    // One in each network of the registries, as people know it.
    expectPublic(
      `0.0.0.1 10.0.0.1 100.64.0.1 127.0.0.1 168.63.129.16 169.254.169.254 172.16.0.1 192.0.0.9
       192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.1.1 192.175.48.1 198.18.0.1
       198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 2001::1 2001:1ff::1 2001:db8::1
       2002::1 2620:4f:8000::1 3fff::1 1fff:ffff::1 4000::`,
      false,
    );
  });

  it('is not the first or last of a special network, whichever way IPv6 writes it', () => {
    for (const cidr of SPECIAL_IPV4) {
      const [network, prefix] = cidr.split('/');
      const first = asNumber(network);
      const last = first + 2 ** (32 - Number(prefix)) - 1;
      for (const ipv4 of [first, last].map(asIpv4))
        expectPublic(`${ipv4} ::ffff:${ipv4} 64:ff9b::${ipv4} 0:0:0:0:0:FFFF:${ipv4}`, false);
    }
    for (const cidr of SPECIAL_IPV6) expectPublic(cidr.split('/')[0], false);
    expect(GLOBAL_IPV6).toBe('2000::/3');
  });

  it('is a mapped one, or one of NAT64, that carries a public IPv4 address, and no other form', () => {
    expectPublic('::ffff:8.8.8.8 ::ffff:808:808 64:ff9b::8.8.8.8 64:ff9b::808:808', true);
    // Compatible, translated, 6to4, local NAT64, Teredo.
    expectPublic('::8.8.8.8 ::ffff:0:8.8.8.8 2002:808:808::1 64:ff9b:1::8.8.8.8 2001:0:808:808::1', false);
    // Not global, with a zone, no address.
    expectPublic(
      `::1 :: ::ffff:5 64:ff9b:: fd00::1 fe80::1 fe80::1%eth0 2606:4700::1111%1 fec0::1 ff02::1
       100::1 5f00::1 example.com`,
      false,
    );
    expect(isPublic('')).toBe(false);
  });
});

describe('networks that the operator allows', () => {
  const reach = new Reach(['10.1.0.0/16', 'fd00:1::/32']);

  it('are reached by http, too; the others are not', () => {
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', 'fd00:1::5'])
      expect([reach.includes(address, false), reach.includes(address, true)]).toEqual([true, true]);
    for (const address of ['10.2.0.1', 'fd00:2::5', '127.0.0.1'])
      expect([reach.includes(address, false), reach.includes(address, true)]).toEqual([false, false]);
    expect([reach.includes('8.8.8.8', false), reach.includes('8.8.8.8', true)]).toEqual([false, true]);
  });
});

describe('a message', () => {
  let server: Server;
  let requests: string[];
  let connections: number;
  beforeEach(async () => {
    requests = [];
    connections = 0;
    server = createServer((request, response) => {
      requests.push(request.headers.host!);
      response.writeHead(200).end();
    }).on('connection', () => connections++);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterEach(() => {
    jest.useRealTimers();
    server.closeAllConnections();
    server.close();
  });
  /** The event loop goes on. */
  const holdTime = () => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  const portOf = (server: Server) => (server.address() as AddressInfo).port;
  const loopback = new Reach(['127.0.0.0/8']);
  const message = (url: string) => ({ url, headers: {}, body: '{}' });
  const here = () => `http://a.example:${portOf(server)}/`;
  const statusOf = async (url: string, post = toLoopback) => (await post.send(message(url), never)).status;
  /** Why there is no answer. */
  const reasonOf = (url: string, post = toLoopback) => statusOf(url, post).catch(({ reason }) => reason);

  it('goes to the address that was judged, with the name of the URL', async () => {
    const port = portOf(server);
    expect(await statusOf(`http://receiver.example:${port}/x`, toLoopback)).toBe(200);
    expect(requests).toEqual([`receiver.example:${port}`]);
  });

  it('does not reach loopback, however it is written, unless the operator allows it', async () => {
    const LOCAL = `127.0.0.1 localhost 2130706433 0x7f000001 0177.0.0.1 127.1 [::ffff:127.0.0.1] [::1] 0.0.0.0
      ①②⑦.0.0.1`;
    const post = new Post(new Reach([]), async (name) => (name === 'localhost' ? ['127.0.0.1'] : [name]));
    for (const host of LOCAL.split(/\s+/))
      for (const scheme of ['http', 'https']) {
        const url = `${scheme}://${host}:${portOf(server)}/`;
        await expect(statusOf(url, post)).rejects.toThrow('may not reach');
        expect(await reasonOf(url, post)).toBe('address');
      }
    expect(connections).toBe(0);
  });

  it('is not sent if one of the addresses of its name is not public', async () => {
    for (const addresses of [
      ['8.8.8.8', '127.0.0.1'],
      ['127.0.0.1', '2606:4700::1111'],
    ]) {
      const post = new Post(new Reach([]), async () => addresses);
      await expect(statusOf(`https://a.example:${portOf(server)}/`, post)).rejects.toThrow('may not reach');
    }
    expect(connections).toBe(0);
  });

  it('is judged by the look-up of the connection, whatever the name said before', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['10.0.0.1']];
    let asked = 0;
    const post = new Post(loopback, async () => answers[asked++]);
    const url = `http://changing.example:${portOf(server)}/`;
    await post.send(message(url), never);
    expect(await reasonOf(url, post)).toBe('refused'); // nobody listens at that address, which is the one it asks
    await expect(statusOf(url, post)).rejects.toThrow('may not reach');
    expect([asked, connections]).toEqual([3, 1]);
  });

  it('is not sent over a connection that has got to another address', async () => {
    let judged = 0;
    // As if the addresses had been judged, and the connection were to another one.
    const reach = { includes: () => judged++ === 0 } as unknown as Reach;
    const post = new Post(reach, async () => ['127.0.0.1']);
    await expect(statusOf(here(), post)).rejects.toThrow('may not reach');
    expect(requests).toEqual([]);
  });

  it('is sent to receivers with a certificate of their name alone', async () => {
    const pem = readFileSync(PEM);
    const names: (string | false)[] = [];
    const secure = createTlsServer({
      key: pem,
      cert: pem,
      SNICallback: (name, done) => (names.push(name), done(null)),
    });
    await new Promise<void>((done) => secure.listen(0, '127.0.0.1', done));
    const url = `https://a.example:${portOf(secure)}/`;
    await expect(statusOf(url)).rejects.toThrow(/self.signed/);
    expect(await reasonOf(url)).toBe('tls');
    expect(names).toEqual(['a.example', 'a.example']);
    secure.close();
  });

  it('does not go through a proxy of the environment', async () => {
    process.env.HTTP_PROXY = process.env.http_proxy = 'http://127.0.0.1:9';
    expect(await statusOf(here())).toBe(200);
    delete process.env.HTTP_PROXY;
    delete process.env.http_proxy;
  });

  it('has its answer before a body that never ends, which is not read', async () => {
    let sent = 0;
    let isClosed = false;
    server.removeAllListeners('request').on('request', (_request, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(64 * 1024);
      const write = () => {
        sent += chunk.length;
        if (response.write(chunk)) setImmediate(write);
      };
      response.on('drain', write).on('close', () => (isClosed = true));
      write();
    });
    expect(await statusOf(here())).toBe(200);
    await until(() => isClosed);
    expect(sent).toBeLessThan(20 * 1024 * 1024);
  });

  it('fails if the receiver hangs up, or answers with no HTTP or TLS', async () => {
    const hangUp = (socket: Socket) => void socket.resetAndDestroy();
    const say = (text: string) => (socket: Socket) => void socket.end(text);
    for (const [receive, plain, secure = 'tls'] of [
      [hangUp, 'reset', 'reset'],
      [(socket: Socket) => void socket.once('data', () => hangUp(socket)), 'reset', 'reset'],
      [say(''), 'reset'],
      [say('HTTP/1.1 2'), 'reset'],
      [say('HTTP/1.1 200 OK\r\nContent-Le'), 'reset'],
      [say('nonsense\r\n\r\n'), 'protocol'],
      [say(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`), 'protocol'],
    ] as const) {
      const tcp = createTcpServer((socket) => receive(socket.on('error', () => {})));
      await new Promise<void>((done) => tcp.listen(0, '127.0.0.1', done));
      const { port } = tcp.address() as AddressInfo;
      expect(await reasonOf(`http://a.example:${port}/`)).toBe(plain);
      expect(await reasonOf(`https://a.example:${port}/`)).toBe(secure);
      tcp.close();
    }
    expect(await reasonOf(here().replace('http:', 'https:'))).toBe('tls');
    expect(requests).toEqual([]);
  });

  it('is cut off, not kept from its address, if the connection ends as soon as it is open', async () => {
    // What Node.js asks the system for, which then knows no other side.
    jest.spyOn(Socket.prototype as unknown as { _getpeername(): object }, '_getpeername').mockReturnValue({});
    expect(await reasonOf(here())).toBe('reset');
    expect(requests).toEqual([]);
  });

  it('is refused if nobody listens at any address of its name', async () => {
    const tcp = createTcpServer();
    await new Promise<void>((done) => tcp.listen(0, '127.0.0.1', done));
    const { port } = tcp.address() as AddressInfo;
    await new Promise((done) => tcp.close(done));
    for (const addresses of [['127.0.0.1'], ['127.0.0.1', '127.0.0.2']])
      expect(await reasonOf(`http://a.example:${port}/`, new Post(loopback, async () => addresses))).toBe(
        'refused',
      );
  });

  it('waits for an address that is far away, although the next one of its name leads nowhere', async () => {
    const receiver = spawn(process.execPath, [
      '-e',
      `const server = require('http').createServer((_request, response) => response.end());
       server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => console.log(server.address().port));`,
    ]);
    const port = Number((await once(receiver.stdout, 'data'))[0]);
    receiver.kill('SIGSTOP');
    // With these, the system drops the first packet of the next one, and gets another after a second.
    const others = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    await Promise.all(others.map((socket) => once(socket, 'connect')));
    const post = new Post(new Reach(['127.0.0.0/8', '::1/128']), async () => ['127.0.0.1', '::1']);
    const end = reasonOf(`http://a.example:${port}/`, post);
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate); // until the first packet is sent
    receiver.kill('SIGCONT');
    expect(await end).toBe(200);
    for (const socket of others) socket.destroy();
    receiver.kill('SIGKILL');
  });

  it('is not sent to a name without an address', async () => {
    expect(await reasonOf(here(), new Post(loopback, async () => []))).toBe('dns');
    expect(await reasonOf('http://nowhere.invalid/', new Post(loopback, lookUp))).toBe('dns');
    expect(connections).toBe(0);
  });

  it('is given up when the process ends', async () => {
    const asked = new Promise((done) => server.removeAllListeners('request').on('request', done));
    const end = new AbortController();
    holdTime();
    const sent = toLoopback.send(message(here()), end.signal);
    await asked;
    end.abort();
    await expect(sent).rejects.toThrow();
  });

  it('ends after 15 seconds at most, whatever is silent', async () => {
    const tcp = createTcpServer(() => {});
    await new Promise<void>((done) => tcp.listen(0, '127.0.0.1', done));
    const { port } = tcp.address() as AddressInfo;
    holdTime();
    const silentNameServer: LookUp = async (_host, signal) => {
      await once(signal, 'abort');
      return [];
    };
    const silent = [
      toLoopback.send(message(`http://a.example:${port}/`), never),
      toLoopback.send(message(`https://a.example:${port}/`), never),
      new Post(loopback, silentNameServer).send(message(`http://a.example:${port}/`), never),
    ];
    let ended = 0;
    const results = Promise.allSettled(silent.map((attempt) => attempt.finally(() => ended++)));
    const pass = async (ms: number) => {
      jest.advanceTimersByTime(ms);
      for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    };
    await pass(14_900);
    expect(ended).toBe(0);
    await pass(200);
    expect(await results).toMatchObject(Array(3).fill({ status: 'rejected', reason: { reason: 'timeout' } }));
    tcp.close();
  });
});

// Every receiver here ends with a complete response, so an attempt fails only because it is ended.
describe('a receiver', () => {
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
  const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

  const servers: TcpServer[] = [];
  afterEach(() => servers.splice(0).forEach((server) => server.close()));

  /** The status that an attempt gets, or why it gets none. */
  const statusFrom = (scheme: string, port: number) =>
    toLoopback.send({ url: `${scheme}://a.example:${port}/`, headers: {}, body: '{}' }, never).then(
      ({ status }) => status,
      ({ reason }: Unanswered) => reason,
    );

  /** Lets a receiver answer in this way. */
  async function receive(answer: (socket: Socket) => unknown, scheme = 'http') {
    const serve = (socket: Socket) => {
      socket.setNoDelay(true).on('error', () => {});
      socket.once('data', () => answer(socket));
    };
    const pem = readFileSync(PEM);
    const server =
      scheme === 'https' ? tls.createServer({ key: pem, cert: pem }, serve) : createTcpServer(serve);
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

  beforeEach(() => {
    const { connect } = tls;
    const trusting = (options: tls.ConnectionOptions) => connect({ ...options, rejectUnauthorized: false });
    jest.spyOn(tls, 'connect').mockImplementation(trusting as typeof connect);
  });

  it('may send ten informational responses', async () => {
    for (const scheme of ['http', 'https']) {
      expect(await receive((socket) => socket.write(CONTINUE.repeat(10) + OK), scheme)).toBe(200);
      expect(await receive(inParts([...Array<string>(50).fill(CONTINUE), OK]), scheme)).toBe('protocol');
      // Several reads, each with many.
      expect(await receive(inParts([CONTINUE.repeat(10_000), OK]), scheme)).toBe('protocol');
    }
  });

  it('may send its headers line by line, but not byte by byte', async () => {
    const headers = Array.from({ length: 100 }, (_, number) => `X-${number}: y\r\n`);
    const lines = ['HTTP/1.1 200 OK\r\n', ...headers, 'Content-Length: 0\r\n\r\n'];
    expect(await receive(inParts(lines))).toBe(200);
    expect(await receive(inParts(lines.join('')))).toBe('protocol');
    // Nor line ends instead, which the parser skips.
    expect(await receive(inParts([...Array<string>(1_000).fill('\r\n'), OK]))).toBe('protocol');
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

  it('may send a few session tickets, but not thousands', async () => {
    for (const [tickets, status] of [
      [2, 200],
      [2_000, 'protocol'],
    ]) {
      const options = ['-accept', '127.0.0.1:0', '-cert', PEM, '-key', PEM, '-num_tickets', String(tickets)];
      const server = spawn('openssl', ['s_server', ...options], { stdio: ['pipe', 'pipe', 'ignore'] });
      server.stdin.on('error', () => {});
      server.stdin.write(OK); // it sends this once somebody is connected
      let port: string | undefined;
      for await (const text of server.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false }))
        if ((port = /ACCEPT .*:(\d+)/.exec(text)?.[1])) break;
      server.stdout.resume();
      try {
        expect([tickets, await statusFrom('https', Number(port))]).toEqual([tickets, status]);
      } finally {
        server.kill();
        await once(server, 'exit');
      }
    }
  });
});

it('an attempt ends for the most telling reason of all addresses that were tried', () => {
  const failure = (code: string) => Object.assign(new Error(code), { code });
  for (const [codes, reason] of [
    ['EHOSTUNREACH', 'refused'],
    ['ENETUNREACH ETIMEDOUT', 'timeout'],
    ['ETIMEDOUT ECONNREFUSED', 'refused'],
    ['ECONNRESET', 'reset'],
  ] as const) {
    const all = codes.split(' ').map(failure);
    const error = all.length > 1 ? new AggregateError(all) : all[0];
    expect([codes, unansweredBy(error, 'connect').reason]).toEqual([codes, reason]);
  }
});

it('a name that no name server knows is looked up without the few threads of the system', async () => {
  for (const ask of ['resolve4', 'resolve6'] as const)
    jest.spyOn(Resolver.prototype, ask).mockRejectedValue(new Error('ENOTFOUND'));
  const begun: string[] = [];
  const hook = createHook({ init: (_id, type) => void begun.push(type) }).enable();
  try {
    expect(await lookUpPrivately('localhost', never)).toContain('127.0.0.1');
    expect(await lookUpPrivately('nowhere.example', never)).toEqual([]);
  } finally {
    hook.disable();
  }
  expect(begun).toContain('FSREQPROMISE'); // of the hosts file
  expect(begun).not.toContain('GETADDRINFOREQWRAP');
});

it('a hosts file has addresses, each with its names, and need not have localhost', () => {
  const hosts = [
    '# 10.0.0.9 a.example',
    '127.0.0.1\tlocalhost',
    '::1  localhost ip6-localhost\r',
    '  10.0.0.1 A.example b.example # c.example',
    '10.0.0.2 a.example',
    '10.0.0.2 a.example',
    'a.example b.example',
    '',
  ].join('\n');
  const names = ['localhost', 'a.example', 'B.example', 'c.example', '10.0.0.1', 'example', '', '#'];
  expect(names.map((name) => addressesIn(hosts, name))).toEqual([
    ['127.0.0.1', '::1'],
    ['10.0.0.1', '10.0.0.2'],
    ['10.0.0.1'],
    ...Array(5).fill([]),
  ]);
  expect(addressesIn('# 127.0.0.1 localhost\r\n', 'LocalHost')).toEqual(['127.0.0.1', '::1']);
  expect(addressesIn('10.0.0.1 localhost', 'localhost')).toEqual(['10.0.0.1']);
});
