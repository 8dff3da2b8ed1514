/**
 * @only embedded postgres: the distributed tables of a cluster have no triggers
 */
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { aUser, type Client } from '../support/client';
import { startService, type TestService } from '../support/service';
import { connectTo } from '../support/socket';

let service: TestService;
let api: Client;
beforeAll(async () => {
  service = await startService();
  api = await service.client();
});
afterAll(() => service.close());

/** What is logged about a request beside its own line. */
const aboutFailure = () =>
  service.logs.map((line) => JSON.parse(line)).filter(({ level, route }) => level >= 40 && !route);

describe('the log of a failure', () => {
  beforeEach(() => service.logs.splice(0));

  it.each([
    ['57P03', 503, false],
    ['55000', 500, true],
  ])(
    'is an error if the database reports %s, which is a %d, with a stack: %j',
    async (state, status, has) => {
      await service.dataSource.query(
        `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'of no use' USING ERRCODE = '${state}'; END $$`,
      );
      await service.dataSource.query('CREATE TRIGGER fail BEFORE INSERT ON users EXECUTE FUNCTION fail()');
      try {
        await api.post('/api/v1/users', aUser()).expect(status);
      } finally {
        await service.dataSource.query('DROP FUNCTION fail CASCADE');
      }
      const [{ level, error }, ...others] = aboutFailure();
      expect([level, error.message, others]).toEqual([50, `SQLSTATE ${state}`, []]);
      expect('stack' in error).toBe(has);
    },
  );

  it('has nothing about a body that the HTTP parser refuses while it is read', async () => {
    const socket = await connectTo(service.url);
    const head = [
      'POST /api/v1/users HTTP/1.1',
      'Host: a',
      `Authorization: Bearer ${api.tokenValue}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
      'Expect: 100-continue',
    ];
    socket.write([...head, '\r\n'].join('\r\n'));
    await once(socket, 'readable'); // 100 Continue: the body is being read
    socket.read();
    socket.write('1\r\n{\r\nno size\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    await api.get('/api/v1/users?limit=1').expect(200);
    expect(aboutFailure()).toEqual([]);
  });
});
