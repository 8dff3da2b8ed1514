// What a change can break beyond what every run tests. Each file of the repository belongs to a row; a file without one
// makes a run test everything, so a new room is tested as a whole until it is entered here.
import { existsSync } from 'node:fs';
import selection from '../test/support/run/selection.cjs';
import { FULL_RUN } from './full-run.mjs';
import { STEPS } from './steps.mjs';

const inFolder = (folder, names) => names.map((name) => `${folder}/${name}/`);

/** The steps that not every run has. */
const OPTIONAL = STEPS.filter(({ always }) => !always).map(({ name }) => name);

/**
 * Paths, and the steps (steps.mjs) that a change there needs. A path that ends with a slash is a folder. A changed
 * suite also needs the step that runs it.
 */
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
  [['dashboard/', 'src/dashboard/', 'vite.config.mjs', 'swagger-ui/', 'src/docs/'], ['browser']],
  [['src/sign-in/', 'openapi.json', 'scripts/chromium.mjs'], ['browser']],
  [['csv/'], ['browser', 'processes']],
  [
    ['client/', 'scripts/build-client.mjs', 'scripts/build.mjs'],
    ['browser', 'package'],
  ],

  // What the package holds, and what its hosts see
  [['examples/', 'src/index.ts', 'nest-cli.json', 'tsconfig.build.json'], ['package']],
  [['src/entry/embedding/'], ['package', 'processes']],
  [['src/entry/testing/'], ['package']],
  [['scripts/package.mjs', 'scripts/hosts.mjs', 'scripts/declarations.mjs'], ['package']],
  [
    ['package.json', '.npmrc', '.swcrc', 'tsconfig.json'],
    ['processes', 'browser', 'package', 'tracing'],
  ],
  [['docs/tracing.md', 'deploy/tracing.cjs', 'scripts/tracing.mjs'], ['tracing']],

  // The database, requests, and work that waits
  [
    ['migrations/', 'src/schema.ts'],
    ['processes', 'routes', 'cluster'],
  ],
  [
    ['src/platform/database/', 'src/platform/fairness/', 'scripts/postgres.mjs'],
    ['processes', 'routes', 'cluster', 'tracing', 'faults'],
  ],
  [
    ['src/events/', 'src/webhooks/', 'src/platform/rate-limit/'],
    ['processes', 'routes', 'faults'],
  ],
  [['src/platform/http/'], ['processes', 'browser', 'faults']],
  [
    [
      'src/platform/background/',
      'src/entry/process/',
      'src/main.ts',
      'src/entry/health/',
      'src/entry/metrics/',
    ],
    ['processes', 'faults'],
  ],
  [
    ['test/citus/', 'scripts/citus.mjs', 'scripts/cluster.mjs'],
    ['routes', 'cluster'],
  ],
  [['test/faults/', 'scripts/faults.mjs', 'scripts/pgbouncer.mjs'], ['faults']],

  // What has statements of its own, and what replicas share
  [
    inFolder('src', ['groups', 'scim', 'settings', 'statistics', 'user-export', 'platform/pages']),
    ['routes'],
  ],
  [
    inFolder('src', ['auth', 'oauth', 'operator', 'organizations', 'users', 'platform/idempotency']),
    ['processes', 'routes'],
  ],
  [['src/tokens/'], ['processes', 'routes', 'cluster']], // they are on one node, which needs no other

  // What is seen from outside of a process
  [
    ['src/entry/cli/', 'src/cli.ts', 'src/entry/demo/', 'src/app.module.ts', 'src/data-source.ts'],
    ['processes'],
  ],
  [
    ['src/service.module.ts', 'src/service.options.ts', 'docs/operations.md', 'scripts/drills/'],
    ['processes'],
  ],

  // What the steps of every run test
  [inFolder('src/platform', ['crypto', 'feature', 'issuers']), []],
  [
    inFolder('test', ['auth', 'background', 'cli', 'client', 'dashboard', 'database', 'docs', 'embedding']),
    [],
  ],
  [
    inFolder('test', [
      'events',
      'fairness',
      'groups',
      'http',
      'idempotency',
      'metrics',
      'oauth',
      'pages',
      'process',
    ]),
    [],
  ],
  [inFolder('test', ['rate-limit', 'repository', 'scim', 'settings', 'sign-in', 'statistics', 'tokens']), []],
  [inFolder('test', ['operator', 'organizations', 'user-export', 'users', 'webhooks']), []],
  [['bench/', 'deploy/', 'docs/', 'scripts/', '.github/', 'LICENSE'], []],
  [['CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', '.editorconfig'], []],
  [['Dockerfile', 'compose.yaml', '.dockerignore', '.gitignore', '.prettierignore', '.prettierrc.json'], []],
  [['.dependency-cruiser.cjs', 'eslint.config.mjs'], []],
];

const isIn = (file, paths) =>
  paths.some((path) => (path.endsWith('/') ? file.startsWith(path) : file === path));

/** The rows that a file belongs to. */
const rowsOf = (file) => ROOMS.filter(([paths]) => isIn(file, paths));

/** The files that belong to no row. */
export const strangersAmong = (files) => files.filter((file) => rowsOf(file).length === 0);

/** The step that runs a suite, if not every run has it. */
const stepOf = (file) =>
  file.endsWith('.spec.ts') && existsSync(file)
    ? OPTIONAL.filter((step) => step === selection.kindOf(file))
    : [];

/** The steps that a change of a file needs. */
export function stepsOf(file) {
  if (file === FULL_RUN) return [];
  const rows = rowsOf(file);
  return [...(rows.length > 0 ? rows.flatMap(([, steps]) => steps) : OPTIONAL), ...stepOf(file)];
}

/** Those of the files of which a change needs the step. */
export const filesFor = (step, files) => files.filter((file) => stepsOf(file).includes(step));
