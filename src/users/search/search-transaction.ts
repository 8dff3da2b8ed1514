import { ServiceUnavailableException } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { retryBroken } from '../../database/retry';

/** Runs a statement of the search. */
export type Query = <Row>(sql: string, values: unknown[]) => Promise<Row[]>;

/** A statement of a search may take this long, and none begins after this time. So a search holds its connection twice as long at most. */
const MAX_MS = 500;

/** After this time the server ends a transaction whose client is gone; it would hold its locks for as long as it lasts. */
const MAX_IDLE_MS = 5_000;

/**
 * Runs the statements of one search. All see the same rows, so nobody is found twice or left out because of a change in
 * between. The time is set for the transaction only, so it holds behind PgBouncer and leaves a pooled connection as it was.
 */
export const searchTransaction = <Result>(
  dataSource: DataSource,
  search: (query: Query) => Promise<Result>,
): Promise<Result> =>
  retryBroken(async () => {
    const runner = dataSource.createQueryRunner();
    try {
      await runner.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await runner.query(
        `SELECT set_config('statement_timeout', '${MAX_MS}', true), set_config('idle_in_transaction_session_timeout', '${MAX_IDLE_MS}', true)`,
      );
      const started = performance.now(); // a wait for a connection does not count
      const result = await search((sql, values) => {
        if (performance.now() - started > MAX_MS)
          throw new ServiceUnavailableException(
            'The search takes too long. Search for more or longer words.',
          );
        return runner.query(sql, values);
      });
      await runner.query('COMMIT');
      return result;
    } catch (error) {
      // TypeORM lets go of a connection that breaks between two statements, and then refuses the second.
      if (runner.isReleased) throw new Error('Connection terminated unexpectedly', { cause: error });
      await runner.query('ROLLBACK').catch(() => {}); // the connection may be broken
      throw error;
    } finally {
      await runner.release();
    }
  });
