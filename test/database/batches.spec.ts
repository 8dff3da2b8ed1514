import { DataSource, type EntityManager } from 'typeorm';
import { ResilientClient } from '../../src/platform/database/connections/resilient-client';
import { withNext } from '../../src/platform/database/connections/statement-batch';
import { poolOf } from '../../src/platform/database/connections/pool';
import { describeOn } from '../support/engine';

describeOn('postgres', 'statements that are sent together', () => {
  let dataSource: DataSource;
  beforeEach(async () => {
    dataSource = await new DataSource({
      type: 'postgres',
      url: process.env.UMS_TEST_SERVER!,
      poolSize: 1,
      installExtensions: false,
      extra: { Client: ResilientClient, query_timeout: 5_000 },
    }).initialize();
    await dataSource.query('CREATE TEMP TABLE numbers (n integer UNIQUE)');
  });
  afterEach(() => dataSource.destroy());

  const insert = (manager: Pick<EntityManager, 'query'>, n: unknown) =>
    manager.query('INSERT INTO numbers VALUES ($1)', [n]);
  const insertWithNext = (manager: EntityManager, n: unknown) =>
    manager.query('INSERT INTO numbers VALUES ($1)', withNext([n]));
  const numbers = async () =>
    (await dataSource.query('SELECT n FROM numbers ORDER BY n')).map(({ n }: { n: number }) => n);

  const breaking = 'INSERT INTO breaking VALUES ($1)';

  /** How often the connection waits for the server meanwhile. */
  async function waits(run: () => Promise<unknown>): Promise<number> {
    const client = await poolOf(dataSource).connect();
    let count = 0;
    const counted = () => void count++;
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter };
    client.release();
    connection.on('readyForQuery', counted);
    await run();
    connection.off('readyForQuery', counted);
    return count;
  }

  it('wait once: the beginning with the first, and those that nobody waits for with the last or the COMMIT', async () => {
    const first = () =>
      dataSource.transaction('REPEATABLE READ', async (manager) => {
        expect(await manager.query('SELECT $1::integer AS n', [7])).toEqual([{ n: 7 }]);
        await insertWithNext(manager, 1);
        await insertWithNext(manager, 2);
      });
    expect(await waits(first)).toBe(2);
    expect(await numbers()).toEqual([1, 2]);
    const second = () =>
      dataSource.transaction(async (manager) => {
        await insertWithNext(manager, 3);
        expect(await manager.query('SELECT count(*)::integer AS n FROM numbers WHERE n > $1', [0])).toEqual([
          { n: 3 },
        ]);
      });
    expect(await waits(second)).toBe(2);
    expect(await waits(() => dataSource.transaction(async () => {}))).toBe(1);
    // Text without values can be several statements.
    await dataSource.transaction(async (manager) => {
      await insertWithNext(manager, 4);
      await manager.query('INSERT INTO numbers VALUES (5); INSERT INTO numbers VALUES (6)');
    });
    expect(await numbers()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('undo everything if one fails, whichever it is, and the connection goes on', async () => {
    await insert(dataSource, 1);
    const fail = (work: (manager: EntityManager) => Promise<unknown>, error: object = { code: '23505' }) =>
      expect(dataSource.transaction(work)).rejects.toMatchObject(error);
    for (let i = 0; i < 10; i++) {
      await fail((manager) => insert(manager, 1)); // with the beginning
      await fail(async (manager) => {
        await insert(manager, 2);
        await insertWithNext(manager, 1); // with the COMMIT
      });
      await fail(async (manager) => {
        await insertWithNext(manager, 2);
        await insertWithNext(manager, 1);
        await manager.query('SELECT $1::integer AS n', [i]); // which the server skips
      });
      await fail(
        async (manager) => {
          await insertWithNext(manager, 2);
          await insertWithNext(manager, { n: 3n }); // which cannot be sent
        },
        { message: expect.stringContaining('BigInt') },
      );
      for (const n of [1, 2])
        await fail(
          async (manager) => {
            await manager.query('SELECT $1::integer AS n', [n]);
            await insertWithNext(manager, n);
            throw new Error('no'); // before it is sent
          },
          { message: 'no' },
        );
    }
    expect(await numbers()).toEqual([1]);
    await dataSource.transaction((manager) => manager.query('SELECT $1::integer AS n', [1]));
  });

  it('leave no statement for prepared that the server has closed or never seen', async () => {
    const texts = ['first', 'second'].map((name) => `SELECT $1::integer AS ${name}`);
    const run = (values: unknown[]) =>
      dataSource.transaction(async (manager) => {
        await insertWithNext(manager, 1);
        for (const text of texts) await manager.query(text, withNext([...values]));
      });
    // A statement is prepared from its fifth use on.
    const other = new ResilientClient({ connectionString: process.env.UMS_TEST_SERVER! });
    await other.connect();
    for (let i = 0; i < 5; i++) for (const text of texts) await other.query(text, [i]);
    await other.end();
    await expect(run([{ n: 1n }])).rejects.toThrow('BigInt');
    await insert(dataSource, 1);
    await expect(run([7])).rejects.toMatchObject({ code: '23505' });
    for (const text of texts) expect(await dataSource.query(text, [7])).toHaveLength(1);
  });

  it('are few: many values go at once', async () => {
    const many = Array.from({ length: 51 }, (_, i) => `($${i + 1}::integer)`).join();
    const work = async (manager: EntityManager) => {
      await manager.query(
        `INSERT INTO numbers VALUES ${many}`,
        withNext(Array.from({ length: 51 }, (_, i) => i)),
      );
      await insertWithNext(manager, 100);
    };
    expect(await waits(() => dataSource.transaction(work))).toBe(2);
    const each = async (manager: EntityManager) => {
      for (let i = 200; i < 302; i++) await insertWithNext(manager, i);
    };
    expect(await waits(() => dataSource.transaction(each))).toBe(3);
    expect(await numbers()).toHaveLength(52 + 102);
  });

  it('keep their order, and their end, beside what the driver is asked for in another way', async () => {
    const runner = dataSource.createQueryRunner();
    const client = (await runner.connect()) as ResilientClient;
    await runner.startTransaction();
    await insert(runner.manager, 1);
    await runner.query('SET TRANSACTION READ ONLY');
    await runner.rollbackTransaction();
    await insert(runner.manager, 3); // alone
    await runner.startTransaction();
    await client.query({ text: 'INSERT INTO numbers VALUES ($1)', values: [2] });
    await runner.rollbackTransaction();
    await runner.release();
    expect(await numbers()).toEqual([3]);
  });

  it('undo a savepoint alone', async () => {
    await dataSource.transaction(async (manager) => {
      await insertWithNext(manager, 1);
      const nested = manager.transaction(async (nested) => {
        await insertWithNext(nested, 2);
        throw new Error('no');
      });
      await expect(nested).rejects.toThrow('no');
      await manager.transaction((nested) => insertWithNext(nested, 3));
    });
    expect(await numbers()).toEqual([1, 3]);
  });

  it('confirm nothing of a transaction that the server has rolled back', async () => {
    const transaction = dataSource.transaction(async (manager) => {
      await insert(manager, 1);
      await manager.query('SELECT 1 / $1', [0]).catch(() => {});
    });
    await expect(transaction).rejects.toThrow('The transaction was rolled back');
    expect(await numbers()).toEqual([]);
  });

  it('go at once outside a transaction', async () => {
    expect(await waits(() => insertWithNext(dataSource.manager, 1))).toBe(1);
    expect(await numbers()).toEqual([1]);
  });

  it('fail with a connection that breaks, and are not confirmed', async () => {
    const other = new ResilientClient({ connectionString: process.env.UMS_TEST_SERVER! });
    await other.connect();
    await other.query('CREATE TABLE IF NOT EXISTS breaking (n integer)');
    const [{ pid }] = await dataSource.query('SELECT pg_backend_pid() AS pid');
    const transaction = dataSource.transaction(async (manager) => {
      await manager.query(breaking, [1]);
      await manager.query(breaking, withNext([2]));
      await other.query('SELECT pg_terminate_backend($1, 5000)', [pid]);
    });
    await expect(transaction).rejects.toThrow();
    expect((await other.query('SELECT FROM breaking')).rowCount).toBe(0);
    await other.query('DROP TABLE breaking');
    await other.end();
    expect(await dataSource.query('SELECT 1 AS n')).toEqual([{ n: 1 }]);
  });
});
