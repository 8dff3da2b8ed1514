import pg from 'pg';
import type { DataSource } from 'typeorm';
import { workersOf } from './database';
import { until } from './until';

/** Waits until the next timestamp is later than all earlier ones; timestamps have millisecond precision. */
export async function nextMoment(): Promise<void> {
  const from = Date.now();
  await until(() => Date.now() > from + 1, 1); // PostgreSQL rounds up half of them
}

/** The clock of a database, which a test sets forward. */
export interface Clock {
  pass(seconds: number): Promise<void>;
  /** What the statements of the service take for the time. */
  now(): Promise<Date>;
}

const SETUP = [
  'CREATE TABLE passed_time (seconds float8 NOT NULL)',
  'INSERT INTO passed_time VALUES (0)',
  `CREATE FUNCTION now() RETURNS timestamptz LANGUAGE sql STABLE
   AS $$ SELECT pg_catalog.now() + make_interval(secs => seconds) FROM public.passed_time $$`,
  `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()); END $$`,
  `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
   WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
];

/**
 * Gives the database a clock of the test's, at each node of a cluster: the service's statements find our `now()` before
 * PostgreSQL's. Defaults of columns keep the real one.
 */
export async function fakeClock(dataSource: DataSource): Promise<Clock> {
  const [{ name }] = await dataSource.query('SELECT current_database() AS name');
  const onWorkers = async (statements: string[]) => {
    for (const url of workersOf(name)) {
      const client = new pg.Client(url);
      await client.connect();
      try {
        for (const sql of ['SET citus.enable_metadata_sync = off', ...statements]) await client.query(sql);
      } finally {
        await client.end();
      }
    }
  };
  await onWorkers(SETUP);
  const runner = dataSource.createQueryRunner();
  try {
    for (const sql of SETUP) await runner.query(sql);
    await runner.query('SET search_path = public, pg_catalog');
  } finally {
    await runner.release();
  }
  return {
    pass: async (seconds) => {
      const pass = `UPDATE passed_time SET seconds = seconds + ${seconds}`;
      await dataSource.query(pass);
      await onWorkers([pass]);
    },
    now: async () => (await dataSource.query('SELECT now() AS now'))[0].now,
  };
}

/** Sets the monotonic clock of this process forward, which goes on otherwise, until `jest.restoreAllMocks()`. */
export function movableClock(): { pass(ms: number): void } {
  const now = performance.now.bind(performance);
  let passed = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now() + passed);
  return { pass: (ms) => void (passed += ms) };
}

/**
 * The monotonic clock of this process, by which the service judges how old something is. It stands still until a test
 * sets it forward, which holds for the tests after it as well.
 */
export function useMonotonicClock(): { pass(ms: number): void } {
  let time: number;
  beforeAll(() => void (time = Math.round(performance.now()))); // sums of whole numbers are exact
  beforeEach(() => void jest.spyOn(performance, 'now').mockImplementation(() => time));
  return { pass: (ms) => void (time += ms) };
}
