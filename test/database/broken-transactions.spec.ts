import { aUser } from '../support/client';
import { describeOn } from '../support/engine';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';

let service: TestService;
beforeAll(async () => (service = await startService()));
afterAll(() => service.close());

describeOn('postgres', 'a connection that breaks between two statements of a transaction', () => {
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
    const failures = service.logs.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);
    expect(failures).toEqual([
      expect.objectContaining({
        level: 40,
        message: expect.stringContaining('connection to the database broke'),
      }),
    ]);
    expect(failures[0].error).not.toHaveProperty('stack');
  });
});
