import type { DataSource } from 'typeorm';

export interface Statement {
  sql: string;
  values: unknown[];
}

/** The statements that `run` sends. */
export async function statementsOf(
  dataSource: DataSource,
  run: () => Promise<unknown>,
): Promise<Statement[]> {
  const statements: Statement[] = [];
  const create = dataSource.createQueryRunner.bind(dataSource);
  const spy = jest.spyOn(dataSource, 'createQueryRunner').mockImplementation((mode) => {
    const runner = create(mode);
    const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<never>;
    runner.query = (sql: string, values: unknown[] = [], ...rest: unknown[]) => {
      statements.push({ sql, values });
      return query(sql, values, ...rest);
    };
    return runner;
  });
  await run().finally(() => spy.mockRestore());
  return statements;
}
