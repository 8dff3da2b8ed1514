/**
 * @only embedded: it tests what happens before the database is asked
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { aUser, type Client } from '../support/client';
import { startService, type TestService } from '../support/service';
import { connectTo, exchange, untilClosed } from '../support/socket';
import { until } from '../support/until';

let service: TestService;
let api: Client;
beforeAll(async () => {
  service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000' }, { limits: 'real' });
  api = await service.client();
});
afterAll(() => service.close());

const request = (line: string, headers: string[] = [], body = '') =>
  [
    `${line} HTTP/1.1`,
    'Host: a',
    `Authorization: Bearer ${api.tokenValue}`,
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
const post = (fields: object, line = 'POST /api/v1/users') =>
  request(line, ['Content-Type: application/json'], JSON.stringify(fields));
const last = () => request('GET /livez', ['Connection: close']);

const raw = (bytes: string, later?: string) => exchange(service.url, bytes, later);
const statusesIn = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
const idIn = (answer: string, i: number) =>
  [...answer.matchAll(/^X-Request-ID: (.*)\r$/gim)].map(([, id]) => id)[i];

/**
 * How many requests of users are in progress at once at most, while this runs. Each takes until another request, which
 * began later, has been answered.
 */
async function mostAtOnce(run: (begun: () => Promise<unknown>) => Promise<unknown>): Promise<number> {
  let [now, most] = [0, 0];
  const { query } = service.dataSource;
  // Every list asks the database once, behind the guards.
  service.dataSource.query = (async (...args: Parameters<typeof query>) => {
    if (!/FROM \S*users\b/.test(args[0])) return query.apply(service.dataSource, args);
    most = Math.max(most, ++now);
    await api.get('/api/v1/users?limit=0').expect(400); // behind the guards
    return query.apply(service.dataSource, args).finally(() => now--);
  }) as typeof query;
  await run(() => until(() => most > 0, 1)).finally(() => (service.dataSource.query = query));
  return most;
}

describe('pipelined requests', () => {
  it('are answered in order, one at a time', async () => {
    const lists = Array.from({ length: 20 }, (_, i) => request('GET /api/v1/users', [`X-Request-ID: r${i}`]));
    let answer = '';
    expect(await mostAtOnce(async () => (answer = await raw(lists.join('') + last())))).toBe(1);
    expect(statusesIn(answer)).toEqual(Array(21).fill('200'));
    lists.forEach((_list, i) => expect(idIn(answer, i)).toBe(`r${i}`));
  });

  it('see the writes of those before them', async () => {
    const { email } = aUser();
    const find = request(`GET /api/v1/users?email=${email}`);
    const answer = await raw(find + post(aUser({ email })) + find + post(aUser({ email })) + last());
    expect(statusesIn(answer)).toEqual(['200', '201', '200', '409', '200']);
    expect(answer.match(/"data":\[[^\]]/g)).toHaveLength(1);
  });

  it('may be more than fit into a packet, with bodies and refused ones among them', async () => {
    const some =
      request('GET /api/v1/users?limit=1') +
      request('HEAD /api/v1/users?limit=1') +
      post(aUser({ metadata: 'none' })) +
      request('GET /nothing', [], 'x'.repeat(2_000));
    const answer = await raw(some.repeat(60) + last());
    expect(statusesIn(answer)).toEqual([...Array(60).fill(['200', '200', '400', '404']).flat(), '200']);
  });

  it('are not served after one that closes the connection', async () => {
    const { email } = aUser();
    const large = request(
      'POST /api/v1/users',
      ['Content-Type: application/json', 'Connection: close'],
      'x'.repeat(70_000),
    );
    expect(statusesIn(await raw(last() + post(aUser({ email }))))).toEqual(['200']);
    expect(statusesIn(await raw(large + post(aUser({ email }))))).toEqual(['413']);
    // Here it is the service that closes it.
    const { id } = await api.createUser();
    const answer = await raw(request('GET ftp://a') + request(`DELETE /api/v1/users/${id}`));
    expect(statusesIn(answer)).toEqual(['400']);
    await api.delete(`/api/v1/users/${(await api.createUser()).id}`).expect(204); // one that begins later
    await api.get(`/api/v1/users/${id}`).expect(200);
  });

  it('are all answered before the refusal of what follows them and is not HTTP', async () => {
    const answer = await raw(`${request('GET /api/v1/users').repeat(3)}GARBAGE\r\n\r\n`);
    expect(statusesIn(answer)).toEqual(['200', '200', '200', '400']);
  });

  it('are refused at once if a body is not HTTP, though others come before it', async () => {
    const broken = `POST /api/v1/users HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.tokenValue}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n`;
    expect(statusesIn(await raw(request('GET /api/v1/users') + broken))).toEqual(['200', '400']);
  });

  it('are dropped with their connection', async () => {
    const socket = await connectTo(service.url);
    const { email } = aUser();
    const most = await mostAtOnce(async (begun) => {
      socket.write(request('GET /api/v1/users') + post(aUser({ email })));
      await begun();
      socket.resetAndDestroy();
      await raw(last());
    });
    expect(most).toBe(1);
    await api.get('/api/v1/users').expect(200);
  });

  it('in a flood of the shortest requests close the connection', async () => {
    const answer = await raw('GET /x HTTP/1.1\r\nHost:\r\n\r\n'.repeat(2_400) + last());
    expect(statusesIn(answer).length).toBeLessThan(1_000);
    await api.get('/livez').expect(200);
  });
});

describe('a connection on which nothing moves', () => {
  const server = (): Server => service.app.getHttpServer();
  afterAll(() => (server().timeout = 30_000));

  it('is closed, and the request is logged as aborted', async () => {
    for (let i = 0; i < 40; i++) await api.createUser({ metadata: { text: 'x'.repeat(16_000) } });
    expect(server().timeout).toBe(30_000);
    server().timeout = 300;
    const before = service.logs.length;
    const socket = await connectTo(service.url);
    // Twenty pages of 650 KB are more than the buffers of the system take.
    socket.write(request('GET /api/v1/users').repeat(20));
    const closed = await until(() => service.logs.slice(before).find((line) => JSON.parse(line).aborted));
    expect(JSON.parse(closed)).toMatchObject({ route: '/api/v1/users', aborted: true });
    socket.resume();
    await untilClosed(socket);
  });
});

describe('a request that takes longer than nothing may move', () => {
  const server = (): Server => service.app.getHttpServer();
  afterAll(() => (server().timeout = 30_000));

  it('gets its response', async () => {
    api = await service.client(); // without long users, whose page takes several statements
    server().timeout = 100;
    const { query } = service.dataSource;
    service.dataSource.query = (async (...args: Parameters<typeof query>) => {
      if (/FROM \S*users\b/.test(args[0])) await once(server(), 'timeout');
      return query.apply(service.dataSource, args);
    }) as typeof query;
    const answer = await raw(request('GET /api/v1/users', ['Connection: close'])).finally(
      () => (service.dataSource.query = query),
    );
    expect(statusesIn(answer)).toEqual(['200']);
  });
});

describe('a target', () => {
  it.each([
    'http://host/api/v1/users',
    'http://[/api/v1/users',
    'http://x:99999/api/v1/users',
    'http:///api/v1/users',
    'http://user@host/api/v1/users',
    'ftp://host/api/v1/users',
    '/api/v1/users#a',
    '*',
  ])('that is no path is a 400, and nothing is stored: %s', async (target) => {
    const { email } = aUser();
    const answer = await raw(post(aUser({ email }), `POST ${target}`));
    const [head, body] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 400 /);
    expect(JSON.parse(body)).toMatchObject({ status: 400, code: 'bad_request', requestId: idIn(answer, 0) });
    expect((await api.get(`/api/v1/users?email=${email}`).expect(200)).body.data).toEqual([]);
  });

  it('is * for OPTIONS', async () => {
    expect(statusesIn(await raw(request('OPTIONS *') + last()))).toEqual(['404', '200']);
  });
});
