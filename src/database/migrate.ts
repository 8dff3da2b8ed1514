import { type DataSource, MigrationExecutor, type MigrationInterface, type QueryRunner } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions';
import {
  distributeAdded,
  type DistributeOptions,
  type Distribution,
  distributeTables,
} from './citus/distribute';
import { sqlState } from './errors';
import { useExtensions } from './extensions';
import { quoted, tableName } from './tables';

export const MIGRATIONS_TABLE = 'ums_migrations';

const DUPLICATE_TABLE = '42P07';
const TABLE_EXISTS =
  'Another program has a table with a name that the service uses. Give the service a schema of its own, such as ums.';

/** Runs one step of a migration in a transaction of its own. */
export type InTransaction = <Result>(step: (runner: QueryRunner) => Promise<Result>) => Promise<Result>;

/**
 * A migration with work that takes long and must not lock out requests for that time. `prepare()` does it in short
 * transactions, before `up()` and outside the lock, so it may run again after a failure, and on two replicas at once.
 */
export interface PreparedMigration extends MigrationInterface {
  prepare(inTransaction: InTransaction): Promise<void>;
}

/** Runs the pending migrations, each in one transaction, and returns their names. Concurrent runs wait for each other. */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const done: string[] = [];
  const inTransaction: InTransaction = (step) => transaction(dataSource, step);
  for (;;) {
    const [next] = await transaction(
      dataSource,
      (runner) => executorOf(dataSource, runner).getPendingMigrations(),
      true,
    );
    if (!next) return done;
    await (next.instance as Partial<PreparedMigration>).prepare?.(inTransaction);
    const runNext = async (runner: QueryRunner) => {
      const executor = executorOf(dataSource, runner);
      const [first] = await executor.getPendingMigrations();
      if (first?.name !== next.name) return; // another replica has run it
      await executor.executeMigration(next);
      await distributeAdded(runner);
      done.push(next.name);
    };
    await transaction(dataSource, runNext, true);
  }
}

/** Distributes the tables over the nodes of a Citus cluster. It takes the lock of the migrations. */
export const distribute = (dataSource: DataSource, options?: DistributeOptions): Promise<Distribution> =>
  transaction(dataSource, (runner) => distributeTables(runner, options), true);

/** A transaction without a limit for its statements, in which unqualified names refer to the schema of the service. */
async function transaction<Result>(
  dataSource: DataSource,
  step: (runner: QueryRunner) => Promise<Result>,
  locked = false,
): Promise<Result> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    await runner.query(
      `SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '60s', true)`,
    );
    const { schema, extensions = [] } = dataSource.options as PostgresDataSourceOptions;
    if (locked) await lockMigrations(schema, runner);
    if (schema) await useSchema(schema, runner);
    await useExtensions(runner, extensions);
    const result = await step(runner);
    await runner.commitTransaction();
    return result;
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction();
    throw sqlState(error) === DUPLICATE_TABLE ? new Error(TABLE_EXISTS, { cause: error }) : error;
  } finally {
    await runner.release();
  }
}

/**
 * TypeORM takes no lock, so all but one of several replicas that start together would crash. They wait for this lock without
 * a limit, but a migration waits only a minute for the locks of requests.
 */
async function lockMigrations(schema: string | undefined, runner: QueryRunner): Promise<void> {
  await runner.query(`SELECT set_config('lock_timeout', '0', true)`);
  await runner.query(
    `SELECT pg_advisory_xact_lock(hashtextextended('ums:migrations:' || coalesce($1, current_schema()), 0))`,
    [schema],
  );
  await runner.query(`SELECT set_config('lock_timeout', '60s', true)`);
}

function executorOf(dataSource: DataSource, runner: QueryRunner): MigrationExecutor {
  const executor = new MigrationExecutor(dataSource, runner);
  executor.transaction = 'none';
  return executor;
}

/** Makes unqualified names refer to this schema for the rest of the transaction, and creates the schema if necessary. */
async function useSchema(schema: string, runner: QueryRunner): Promise<void> {
  // CREATE SCHEMA IF NOT EXISTS would fail for an account that may use the schema but not create one.
  const [{ exists }] = await runner.query(`SELECT to_regnamespace($1) IS NOT NULL AS exists`, [
    quoted(schema),
  ]);
  if (!exists) await runner.query(`CREATE SCHEMA ${quoted(schema)}`);
  await runner.query(`SELECT set_config('search_path', $1 || ', ' || current_setting('search_path'), true)`, [
    quoted(schema),
  ]);
}

/** The migrations of this release that the database lacks. A schema newer than this release is fine. */
export async function pendingMigrations(dataSource: DataSource): Promise<string[]> {
  const needed = dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name);
  const table = tableName(dataSource, MIGRATIONS_TABLE);
  const [{ exists }] = await dataSource.query(`SELECT to_regclass($1) IS NOT NULL AS exists`, [table]);
  if (!exists) return needed;
  const rows: { name: string }[] = await dataSource.query(`SELECT name FROM ${table} WHERE name = ANY ($1)`, [
    needed,
  ]);
  const done = new Set(rows.map(({ name }) => name));
  return needed.filter((name) => !done.has(name));
}
