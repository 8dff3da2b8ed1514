// What a change can break beyond what every run tests. Each file of the repository belongs to a row; a file without one
// makes a run test everything, so a new room is tested as a whole until it is entered here.
import { FULL_RUN } from './full-run.mjs';
import { STEPS } from './steps.mjs';

const inFolder = (folder, names) => names.map((name) => `${folder}/${name}/`);

/** The steps that not every run has. */
const OPTIONAL = STEPS.filter(({ always }) => !always).map(({ name }) => name);

/** Paths, and the steps (steps.mjs) that a change there needs. A path that ends with a slash is a folder. */
export const ROOMS = [
  [
    [
      '.ci/',
      'package-lock.json',
      'test/support/',
      'jest.config.mjs',
      'scripts/test.mjs',
      'scripts/stale.mjs',
    ],
    OPTIONAL,
  ],

  // What a browser shows, and what the pages call
  [['dashboard/', 'src/dashboard/', 'test/dashboard/', 'vite.config.mjs', 'csv/'], ['browser']],
  [['src/sign-in/', 'test/sign-in/', 'src/docs/', 'test/docs/', 'swagger-ui/', 'openapi.json'], ['browser']],
  [
    ['client/', 'scripts/build-client.mjs', 'scripts/build.mjs'],
    ['browser', 'package'],
  ],

  // What the package holds, and what its hosts see
  [['examples/', 'src/embedding/', 'src/index.ts', 'nest-cli.json', 'tsconfig.build.json'], ['package']],
  [['scripts/package.mjs', 'scripts/hosts.mjs', 'scripts/declarations.mjs'], ['package']],
  [
    ['package.json', '.npmrc', '.swcrc', 'tsconfig.json'],
    ['browser', 'package', 'tracing'],
  ],
  [['docs/tracing.md', 'deploy/tracing.cjs', 'scripts/tracing.mjs'], ['tracing']],

  // The database, requests, and work that waits
  [
    ['migrations/', 'test/citus/', 'scripts/citus.mjs', 'scripts/cluster.mjs'],
    ['routes', 'cluster'],
  ],
  [
    ['src/database/', 'scripts/postgres.mjs'],
    ['routes', 'cluster', 'faults', 'tracing'],
  ],
  [
    ['src/events/', 'src/webhooks/', 'src/rate-limit/'],
    ['routes', 'faults'],
  ],
  [['src/http/'], ['browser', 'faults']],
  [['src/background/', 'src/process/', 'src/main.ts', 'src/health/'], ['faults']],
  [['test/faults/', 'scripts/faults.mjs', 'scripts/pgbouncer.mjs'], ['faults']],

  // What has statements of its own
  [inFolder('src', ['auth', 'groups', 'idempotency', 'pages', 'scim', 'tokens', 'users']), ['routes']],
  [inFolder('src', ['oauth', 'statistics', 'user-export']), ['routes']],

  // What the steps of every run test
  [inFolder('src', ['cli', 'crypto', 'demo', 'feature', 'issuers', 'metrics']), []],
  [['src/app.module.ts', 'src/cli.ts', 'src/data-source.ts', 'src/schema.ts'], []],
  [['src/service.module.ts', 'src/service.options.ts'], []],
  [
    inFolder('test', ['auth', 'background', 'cli', 'client', 'database', 'embedding', 'events', 'groups']),
    [],
  ],
  [inFolder('test', ['http', 'idempotency', 'metrics', 'oauth', 'pages', 'process', 'rate-limit']), []],
  [inFolder('test', ['repository', 'scim', 'statistics', 'tokens', 'user-export', 'users', 'webhooks']), []],
  [['bench/', 'deploy/', 'docs/', 'scripts/', '.github/', 'CHANGELOG.md', 'LICENSE', 'README.md'], []],
  [['Dockerfile', 'compose.yaml', '.dockerignore', '.gitignore', '.prettierignore', '.prettierrc.json'], []],
  [['.dependency-cruiser.cjs', 'eslint.config.mjs'], []],
];

const isIn = (file, paths) =>
  paths.some((path) => (path.endsWith('/') ? file.startsWith(path) : file === path));

/** The rows that a file belongs to. */
const rowsOf = (file) => ROOMS.filter(([paths]) => isIn(file, paths));

/** The files that belong to no row. */
export const strangersAmong = (files) => files.filter((file) => rowsOf(file).length === 0);

/** The steps that these changed files need, each with the files that need it. */
export function stepsOf(files) {
  const due = new Map();
  for (const file of files) {
    if (file === FULL_RUN) continue;
    const rows = rowsOf(file);
    for (const step of rows.length > 0 ? rows.flatMap(([, steps]) => steps) : OPTIONAL)
      due.set(step, (due.get(step) ?? new Set()).add(file));
  }
  return due;
}
