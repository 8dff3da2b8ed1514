/** Where the tests run: TEST_ENGINE, but PgBouncer stands in front of a server. */
export type Engine = 'embedded' | 'postgres' | 'citus';

const { UMS_TEST_DIRECTORY, UMS_TEST_SERVER, UMS_TEST_WORKERS } = process.env;
if (!UMS_TEST_DIRECTORY)
  throw new Error('jest.config.mjs makes the databases: run Jest in the folder of the project.');

const isOn: Record<Engine, boolean> = {
  embedded: !UMS_TEST_SERVER,
  postgres: !!UMS_TEST_SERVER, // a cluster is a server, too
  citus: !!UMS_TEST_WORKERS,
};

/** For what only this engine has. The embedded database has one connection, in one process. */
export const describeOn = (engine: Engine, title: string, tests: () => void): void =>
  (isOn[engine] ? describe : describe.skip)(title, tests);

/** For what all engines have but this one, such as triggers and foreign keys of other tables, which a cluster lacks. */
export const itNotOn = (engine: Engine, title: string, test: () => Promise<void>): void =>
  (isOn[engine] ? it.skip : it)(title, test);
