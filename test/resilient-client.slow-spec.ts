import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { DataSource } from 'typeorm';
import { ResilientClient } from '../src/database/resilient-client';
import { describeOnServer } from './support/database';

describeOnServer('a connection whose statement the server cancels', () => {
  it('is not used again', async () => {
    const dataSource = await new DataSource({
      type: 'postgres',
      url: process.env.UMS_TEST_SERVER!,
      poolSize: 1,
      installExtensions: false,
      extra: { Client: ResilientClient, statement_timeout: 100 },
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

describeOnServer('a connection that falls silent', () => {
  it('fails the statement that waits for it, and not the next one', async () => {
    const { hostname, port } = new URL(process.env.UMS_TEST_SERVER!);
    const sockets: Socket[] = [];
    let silent = false;
    // The first connection swallows what the server answers from some moment on.
    const proxy = createServer((client) => {
      const isFirst = sockets.length === 0;
      const server = connect(Number(port), hostname);
      sockets.push(client, server);
      for (const socket of [client, server]) socket.on('error', () => {});
      client.on('close', () => server.destroy());
      client.pipe(server);
      server.on('data', (data) => (isFirst && silent) || client.write(data));
    });
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
    const url = new URL(process.env.UMS_TEST_SERVER!);
    url.hostname = '127.0.0.1';
    url.port = String((proxy.address() as AddressInfo).port);
    const dataSource = await new DataSource({
      type: 'postgres',
      url: url.href,
      poolSize: 1,
      installExtensions: false,
      extra: { Client: ResilientClient, query_timeout: 500 },
    }).initialize();
    try {
      await dataSource.query('SELECT 1');
      silent = true;
      const results = await Promise.allSettled([1, 2, 3].map((n) => dataSource.query(`SELECT ${n} AS n`)));
      expect(results).toMatchObject([
        { status: 'rejected', reason: { message: 'Query read timeout' } },
        { status: 'fulfilled', value: [{ n: 2 }] },
        { status: 'fulfilled', value: [{ n: 3 }] },
      ]);
    } finally {
      await dataSource.destroy();
      for (const socket of sockets) socket.destroy();
      proxy.close();
    }
  });
});
