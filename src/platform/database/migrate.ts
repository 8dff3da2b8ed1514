import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import type { PostgresDataSourceOptions } from 'typeorm/driver/postgres/PostgresDataSourceOptions';
import {
  distributeAdded,
  type DistributeOptions,
  type Distribution,
  distributeTables,
} from './citus/distribute';
import { placementsOf } from './citus/placements';
import { isLocked, sqlState } from './errors';
import { retryBroken } from './retry';
import { MIGRATIONS_TABLE, quoted, tableName } from './tables';

const DUPLICATE_TABLE = '42P07';
const TABLE_EXISTS =
  'Another program has a table with a name that the service uses. Give the service a schema of its own, such as ums.';
const LOCKED =
  'Another transaction, such as a dump, has locked a table of the service for ten minutes. Run the migration again after it has ended.';

/**
 * While a migration waits for a lock on a table, every later statement on that table waits behind it. So it gives up
 * before a statement of a search would (500 ms), lets requests pass, and tries again: a dump holds locks for minutes.
 */
const LOCK_TIMEOUT = '250ms';
const PAUSE_MS = { least: 2_000, most: 5_000 };
const GIVE_UP_MS = 600_000;

/** Runs the pending migrations, each in a transaction, and returns their names. Concurrent runs wait for each other. */
export async function migrate(dataSource: DataSource): Promise<string[]> {
  const done: string[] = [];
  const runNext = async (runner: QueryRunner) => {
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'none';
    const [next] = await executor.getPendingMigrations();
    if (next) {
      // On a cluster, a migration may change a distributed table and add another one, on one connection.
      await runner.query(`SELECT set_config('citus.multi_shard_modify_mode', 'sequential', true)`);
      await executor.executeMigration(next);
      await distributeAdded(runner, placementsOf(dataSource));
    }
    return next?.name;
  };
  for (;;) {
    const name = await untilUnlocked(() => transaction(dataSource, runNext, LOCK_TIMEOUT));
    if (name === undefined) return done;
    done.push(name);
  }
}

/** Distributes the tables over the nodes of a Citus cluster. It takes the lock of the migrations. */
export const distribute = (dataSource: DataSource, options?: DistributeOptions): Promise<Distribution> =>
  transaction(dataSource, (runner) => distributeTables(runner, placementsOf(dataSource), options), '60s');

/** Repeats a transaction that did not get a lock. */
async function untilUnlocked<Result>(run: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + GIVE_UP_MS;
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (performance.now() > deadline) throw new Error(LOCKED, { cause: error });
    }
    if (attempt === 1) {
      const message =
        'The migration waits for another transaction, such as a dump, to end; it tries again for ten minutes.';
      new Logger('Database').warn(message);
    }
    await sleep(PAUSE_MS.least + Math.random() * (PAUSE_MS.most - PAUSE_MS.least));
  }
}

/**
 * A transaction under the lock of the migrations, without a limit for its statements, in which unqualified names refer
 * to the schema of the service.
 */
async function transaction<Result>(
  dataSource: DataSource,
  step: (runner: QueryRunner) => Promise<Result>,
  lockTimeout: string,
): Promise<Result> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    const { schema, extensions = [] } = dataSource.options as PostgresDataSourceOptions;
    await lockMigrations(schema, runner);
    await runner.query(`SELECT set_config('lock_timeout', $1, true)`, [lockTimeout]);
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
 * TypeORM takes no lock, so all but one of several replicas that start together would crash. They wait without a limit.
 */
async function lockMigrations(schema: string | undefined, runner: QueryRunner): Promise<void> {
  await runner.query(
    `SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`,
  );
  await runner.query(
    `SELECT pg_advisory_xact_lock(hashtextextended('ums:migrations:' || coalesce($1, current_schema()), 0))`,
    [schema],
  );
}

/** Makes unqualified names refer to this schema for the rest of the transaction. Creates the schema if necessary. */
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

/**
 * Creates the extensions that the database lacks, and lets the rest of the transaction find the operator classes of all
 * of them, in whatever schema they are. New ones are created in `public`: in the schema of the service, they would be
 * out of reach of the service's tables in another schema, and be dropped together with it.
 */
async function useExtensions(runner: QueryRunner, names: readonly string[]): Promise<void> {
  const missing: { name: string }[] = await runner.query(
    `SELECT name FROM unnest($1::text[]) AS name WHERE name NOT IN (SELECT extname FROM pg_extension)`,
    [names],
  );
  if (missing.length > 0) {
    await runner.query(`SELECT pg_advisory_xact_lock(hashtextextended('ums:extensions', 0))`);
    for (const { name } of missing) await createExtension(runner, name);
  }
  await runner.query(
    `SELECT set_config('search_path', concat_ws(', ', current_setting('search_path'), string_agg(quote_ident(nspname), ', ')), true)
     FROM (SELECT DISTINCT nspname FROM pg_extension JOIN pg_namespace AS schemas ON schemas.oid = extnamespace
           WHERE extname = ANY ($1)) AS extensions`,
    [names],
  );
}

async function createExtension(runner: QueryRunner, name: string): Promise<void> {
  const [{ exists }] = await runner.query(`SELECT to_regnamespace('public') IS NOT NULL AS exists`);
  const where = exists ? ' SCHEMA public' : '';
  await runner.query(`CREATE EXTENSION IF NOT EXISTS ${quoted(name)}${where}`).catch((cause: Error) => {
    const database = runner.dataSource.driver.database;
    const message = `The search needs the extension ${name}, which this role may not create (${cause.message}). As a superuser run in the database ${database}: CREATE EXTENSION ${name}${where};`;
    throw new Error(message, { cause });
  });
}

/** The message for an operator if there are pending migrations. */
export const OUTDATED = 'The schema is older than this release. Run: ums migrate';

/** The migrations of this release that the database lacks. A schema newer than this release is fine. */
export const pendingMigrations = (dataSource: DataSource): Promise<string[]> =>
  retryBroken(async () => {
    const done = await doneMigrations(dataSource);
    return namesOf(dataSource).filter((name) => !done.includes(name));
  });

const namesOf = (dataSource: DataSource) =>
  dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name);

async function doneMigrations(dataSource: DataSource): Promise<string[]> {
  const table = tableName(dataSource, MIGRATIONS_TABLE);
  const [{ exists }] = await dataSource.query(`SELECT to_regclass($1) IS NOT NULL AS exists`, [table]);
  if (!exists) return [];
  const rows: { name: string }[] = await dataSource.query(`SELECT name FROM ${table}`);
  return rows.map(({ name }) => name);
}
