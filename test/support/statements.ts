import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';
import { FOR_VALUES } from '../../src/platform/database/connections/statement-names';

export interface Statement {
  sql: string;
  values: unknown[];
  /** Whether it is planned for its values on all connections, by itself or by its transaction. */
  isPlannedForValues?: boolean;
}

/**
 * The statements that the service sends while `run` runs, those of its background work too; `run` may look at those
 * sent so far.
 */
export async function statementsOf(
  dataSource: DataSource,
  run: (sent: readonly Statement[]) => Promise<unknown>,
  isCounted = (): boolean => true,
): Promise<Statement[]> {
  const statements: Statement[] = [];
  const create = dataSource.createQueryRunner.bind(dataSource);
  const spy = jest.spyOn(dataSource, 'createQueryRunner').mockImplementation((mode) => {
    const runner = create(mode);
    const query = runner.query.bind(runner) as (...args: unknown[]) => Promise<never>;
    let isInSnapshot = false;
    runner.query = (sql: string, values: unknown[] = [], ...rest: unknown[]) => {
      isInSnapshot ||= sql.includes("'force_custom_plan', true");
      const isPlannedForValues = isInSnapshot || sql.startsWith(FOR_VALUES);
      if (isCounted()) statements.push({ sql, values, isPlannedForValues });
      return query(sql, values, ...rest);
    };
    return runner;
  });
  await run(statements).finally(() => spy.mockRestore());
  return statements;
}

/** The statements that `run` itself sends, by calls in this process: none of the background's. */
export function ownStatementsOf(dataSource: DataSource, run: () => Promise<unknown>): Promise<Statement[]> {
  const own = new AsyncLocalStorage<true>();
  return statementsOf(
    dataSource,
    () => own.run(true, run),
    () => own.getStore() === true,
    // Otherwise each later promise of this process looks at it: hundreds made the next suites ten times as slow.
  ).finally(() => own.disable());
}
