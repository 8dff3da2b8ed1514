/** Where the tests run, as TEST_ENGINE says; PgBouncer counts as `postgres`. */
export type Engine = 'embedded' | 'postgres' | 'citus';

const { UMS_TEST_DIRECTORY, UMS_TEST_SERVER, UMS_TEST_WORKERS } = process.env;
if (!UMS_TEST_DIRECTORY)
  throw new Error('jest.config.mjs makes the databases: run Jest in the folder of the project.');

/** A cluster is a server, too. */
export const isOn: Record<Engine, boolean> = {
  embedded: !UMS_TEST_SERVER,
  postgres: !!UMS_TEST_SERVER,
  citus: !!UMS_TEST_WORKERS,
};

/**
 * Tests that need this engine. The embedded database has one connection, in one process. run/reporter.cjs reads the
 * reason from the title of a skipped test.
 */
export const describeOn = (engine: Engine, title: string, tests: () => void): void =>
  isOn[engine]
    ? describe(title, () => {
        beforeAll(() => restrictTo(engine));
        tests();
        afterAll(() => restrictTo(''));
      })
    : describe.skip(`${title} (on ${engine})`, tests);

/**
 * A test that this engine cannot run. A cluster has no triggers, no foreign keys of other tables, and no plans as
 * JSON; on the embedded database an open transaction keeps the only connection.
 */
export const itNotOn = (engine: Engine, title: string, test: () => Promise<void>): void =>
  isOn[engine]
    ? it.skip(`${title} (not on ${engine})`, test)
    : it(title, () => {
        restrictTo(`not ${engine}`);
        return test().finally(() => restrictTo(''));
      });

/** Tells run/record.cjs which engines can run the statements of a test. */
function restrictTo(engines: Engine | `not ${Engine}` | ''): void {
  Object.assign(globalThis, { [Symbol.for('engine of the test')]: engines });
}
