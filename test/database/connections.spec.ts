/**
 * @slow it waits for timeouts
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Response } from 'supertest';
import { DataSource } from 'typeorm';
import { ResilientClient } from '../../src/platform/database/connections/resilient-client';
import { aUser } from '../support/client';
import { withoutDatabase } from '../support/database';
import { describeOn } from '../support/engine';
import { startService, useService } from '../support/service';
import { until } from '../support/until';

/** A server in front of the tests' own, which may change what that one answers before the client gets it. */
async function startProxy(answer: (data: Buffer, server: Socket) => Buffer | undefined) {
  const sockets: Socket[] = [];
  const { hostname, port } = new URL(process.env.UMS_TEST_SERVER!);
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    sockets.push(client, server);
    for (const socket of [client, server]) socket.on('error', () => {});
    client.on('close', () => server.destroy());
    client.pipe(server);
    server.on('data', (data) => {
      const answered = answer(data, server);
      if (answered) client.write(answered);
    });
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const url = new URL(process.env.UMS_TEST_SERVER!);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  const close = () => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  };
  return { url: url.href, sockets, close };
}

describeOn('postgres', 'a connection whose statement the server cancels', () => {
  it('is not used again', async () => {
    const dataSource = await new DataSource({
      type: 'postgres',
      url: process.env.UMS_TEST_SERVER!,
      poolSize: 1,
      installExtensions: false,
      extra: { Client: ResilientClient, statement_timeout: 1_000 },
    }).initialize();
    try {
      const processOf = async () => (await dataSource.query('SELECT pg_backend_pid() AS pid'))[0].pid;
      const first = await processOf();
      expect(await processOf()).toBe(first);
      await expect(dataSource.query('SELECT pg_sleep(10)')).rejects.toMatchObject({ code: '57014' });
      expect(await processOf()).not.toBe(first);
    } finally {
      await dataSource.destroy();
    }
  });
});

describeOn('postgres', 'connections that fall silent', () => {
  it('fail the statement that waits for one of them, and not the next ones', async () => {
    const silent = new Set<Socket>();
    // It swallows what the server answers from some moment on.
    const proxy = await startProxy((data, server) => (silent.has(server) ? undefined : data));
    const dataSource = await new DataSource({
      type: 'postgres',
      url: proxy.url,
      poolSize: 2,
      installExtensions: false,
      extra: { Client: ResilientClient, query_timeout: 3_000, statement_timeout: 2_000 },
    }).initialize();
    const select = (n: number) => dataSource.query(`SELECT ${n} AS n, pg_sleep(0.1)`);
    try {
      await Promise.all([1, 2].map(select));
      proxy.sockets.forEach((socket) => silent.add(socket));
      await expect(select(0)).rejects.toThrow('Query read timeout');
      const results = await Promise.all([1, 2, 3].map(select));
      expect(results).toMatchObject([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
    } finally {
      await dataSource.destroy();
      proxy.close();
    }
  });
});

describeOn('postgres', 'a frequent statement', () => {
  it('stays prepared while callers repeat any number of others, of which a connection keeps few', async () => {
    const client = new ResilientClient({ connectionString: process.env.UMS_TEST_SERVER! });
    await client.connect();
    const prepared = async (condition = 'true') =>
      (await client.query(`SELECT name, prepare_time FROM pg_prepared_statements WHERE ${condition}`)).rows;
    const frequent = () => client.query('SELECT $1::integer + 200', [1]);
    const ofFrequent = `statement = 'SELECT $1::integer + 200'`;
    try {
      // As if ten tokens repeated each of their filters, the one a few times, the other for long.
      const texts = Array.from({ length: 1_000 }, (_, n) => `SELECT $1::integer AS "filter ${n}"`);
      for (const text of texts) for (let use = 0; use < 5; use++) await client.query(text, [1]);
      for (let use = 0; use < 5; use++) await frequent();
      const [first, ...others] = await prepared(ofFrequent);
      expect([first, others]).toEqual([expect.anything(), []]);
      for (let at = 0; at < texts.length; at += 10) {
        for (let use = 0; use < 5; use++)
          for (const text of texts.slice(at, at + 10))
            expect((await client.query(text, [use])).rows).toEqual([{ [text.slice(23, -1)]: use }]);
        await frequent();
      }
      expect(await prepared(ofFrequent)).toEqual([first]);
      expect(await prepared()).toHaveLength(200);
      // One that had to go, and comes again.
      expect((await client.query(texts[750], [1])).rows).toEqual([{ 'filter 750': 1 }]);
    } finally {
      await client.end();
    }
  });

  it('is prepared, but not behind a pooler, which tells another process id than that of the connection', async () => {
    /** How many statements a connection has prepared after it has run one ten times. */
    const preparedOn = async (url: string) => {
      const client = new ResilientClient({ connectionString: url });
      await client.connect();
      for (let i = 0; i < 10; i++) await client.query('SELECT $1::integer + 100', [i]);
      const { rowCount } = await client.query('SELECT FROM pg_prepared_statements');
      await client.end();
      return rowCount;
    };
    const BACKEND_KEY_DATA = Buffer.from([0x4b, 0, 0, 0, 12]);
    const pooler = await startProxy((data) => {
      const at = data.indexOf(BACKEND_KEY_DATA);
      if (at >= 0) data.writeInt32BE(1, at + BACKEND_KEY_DATA.length);
      return data;
    });
    try {
      expect(await preparedOn(process.env.UMS_TEST_SERVER!)).toBe(1);
      expect(await preparedOn(pooler.url)).toBe(0);
    } finally {
      pooler.close();
    }
  });
});

describeOn('postgres', 'a connection that breaks between two statements of a transaction', () => {
  const service = useService({});

  it('is a 503 and one warning without a stack', async () => {
    const api = await service.client();
    const { dataSource } = service;
    const create = dataSource.createQueryRunner.bind(dataSource);
    let broken = false;
    const runners = jest.spyOn(dataSource, 'createQueryRunner').mockImplementation((mode) => {
      const runner = create(mode);
      const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<never>;
      runner.query = async (sql: string, ...rest: unknown[]) => {
        if (!broken && /INSERT INTO "?users\b/.test(sql)) {
          broken = true;
          const [{ pid }] = (await query('SELECT pg_backend_pid() AS pid')) as { pid: number }[];
          await dataSource.query('SELECT pg_terminate_backend($1::int)', [pid]);
          await until(() => runner.isReleased, 5); // TypeORM refuses the statement
        }
        return query(sql, ...rest);
      };
      return runner;
    });
    service.logs.splice(0);
    try {
      await api.post('/api/v1/users', aUser()).expect(503);
    } finally {
      runners.mockRestore();
    }
    expect(broken).toBe(true);
    const failures = service.logs
      .map((line) => JSON.parse(line))
      .filter(({ level }) => /^(warn|error|fatal)$/.test(level));
    expect(failures).toEqual([
      expect.objectContaining({
        level: 'warn',
        msg: expect.stringContaining('connection to the database broke'),
      }),
    ]);
    expect(failures[0].error).not.toHaveProperty('stack');
  });
});

describeOn('postgres', 'an unavailable database', () => {
  it('causes a 503 with Retry-After until it is available again', async () => {
    const service = await startService();
    try {
      const api = await service.client();
      await withoutDatabase(service.dataSource, async () => {
        for (const path of ['/api/v1/users', '/readyz']) {
          const { body, headers } = await api.get(path).expect(503);
          expect([body.code, headers['retry-after']]).toEqual([
            'unavailable',
            expect.stringMatching(/^\d+$/),
          ]);
        }
        await api.get('/livez').expect(200);
      });
      await api.get('/api/v1/users').expect(200);
    } finally {
      await service.close();
    }
  });

  it('causes a 503 if a lock blocks the statement', async () => {
    const service = await startService({}, { limits: 'real' });
    /** Runs a request while a transaction holds a lock, and again afterwards. */
    async function blocked(sql: string, values: unknown[], request: () => Promise<Response>) {
      await service.dataSource.transaction(async (other) => {
        await other.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
        await other.query(sql, values);
        const { status, body } = await request();
        expect([status, body.code]).toEqual([503, 'unavailable']);
      });
      expect((await request()).status).toBe(200);
    }
    try {
      const api = await service.client();
      const { id } = await api.createUser();
      const row = 'SELECT FROM users WHERE organization_id = $1 AND id = $2 FOR UPDATE';
      await blocked(row, [api.organizationId, id], async () =>
        api.patch(`/api/v1/users/${id}`, { name: 'Grace' }),
      );
      await blocked('LOCK TABLE users', [], async () => api.get('/api/v1/users/search?q=grace'));
    } finally {
      await service.close();
    }
  });
});
