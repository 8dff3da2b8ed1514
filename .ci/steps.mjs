// The steps of the gate in their order. `always`: every run has the step; the others run when one of their rooms has
// changed (rooms.mjs). The commands of a step run one after the other, or side by side where each uses one core only.
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Faults whose verdict is a time or the memory of a process: they run last, with the machine to themselves. */
const TIMED = ['start', 'shutdown', 'event-loop', 'memory'];
/** Of the faults of PostgreSQL, a restart and a silent network. */
const TIMED_POSTGRES = 'stopped immediately|go silent';

/** On a server, suites wait as long as they work, for receivers, locks and nodes: two cores have time for three. */
const WAITING = `--maxWorkers=${Math.ceil(1.5 * availableParallelism())}`;

/** The test files of a folder, by the names that its script takes, without some. */
const filesIn = (folder, without) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.test.mjs'))
    .map((file) => file.replace('.test.mjs', ''))
    .filter((name) => !without.includes(name))
    .join(' ');

const CHECKS = [
  'check:format',
  'lint',
  'check:types',
  'check:dependencies',
  'check:openapi',
  'check:kubernetes',
];

/** Everything else stands on it. */
export const INSTALL = {
  name: 'install',
  title: 'the lock file, packages, and programs that are missing',
  commands: ['npm run --silent check:lock', 'npm ci', 'node .ci/install.mjs'],
};

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} title
 * @property {string[]} commands
 * @property {string[]} [fullCommands] What a full run runs instead.
 * @property {true} [always]
 * @property {true} [beside] The commands run side by side.
 * @property {true} [needsCitus]
 */

/** @type {Step[]} */
export const STEPS = [
  {
    name: 'checks',
    title: 'format, lint, types, dependency rules, OpenAPI, Kubernetes',
    always: true,
    beside: true,
    commands: CHECKS.map((check) => `npm run --silent ${check}`),
  },
  {
    name: 'tests',
    title: 'npm test: on PostgreSQL',
    always: true,
    commands: [`npm test -- ${WAITING}`],
  },
  {
    name: 'slow',
    title: 'on PostgreSQL: what takes more time, mostly waiting',
    always: true,
    commands: [`npm run --silent test:postgres -- --slow --maxWorkers=${2 * availableParallelism()}`],
  },
  {
    name: 'embedded',
    title: 'on the embedded database: what it can refuse',
    always: true,
    commands: ['npm run --silent test:embedded'],
  },
  {
    name: 'citus',
    title: 'on Citus: what a cluster can refuse',
    always: true,
    needsCitus: true,
    commands: [`npm run --silent test:citus -- --others ${WAITING}`],
  },
  {
    name: 'processes',
    title: 'the command line, starts and replicas, as processes',
    commands: ['npm run --silent test:postgres -- --processes', 'npm run --silent test:citus -- --processes'],
  },
  {
    name: 'browser',
    title: 'the dashboard and other pages, in Chromium',
    commands: ['npm run --silent test:postgres -- --browser'],
  },
  {
    name: 'routes',
    title: 'what each route asks of the nodes of a cluster',
    needsCitus: true,
    commands: ['npm run --silent test:cluster -- routes'],
  },
  {
    name: 'cluster',
    title: 'clusters that are filled, whose nodes fail and whose shards move',
    needsCitus: true,
    commands: [`npm run --silent test:cluster -- ${filesIn('test/citus', ['routes'])}`],
  },
  {
    name: 'tracing',
    title: 'OpenTelemetry as docs/tracing.md sets it up',
    commands: ['npm run --silent test:tracing'],
  },
  {
    name: 'package',
    title: 'the package and its hosts',
    commands: ['npm run --silent test:package -- --short'],
    fullCommands: ['npm run --silent test:package'],
  },
  {
    name: 'faults',
    title: 'faults in their short form',
    commands: [`npm run --silent test:faults -- --short ${filesIn('test/faults', TIMED)}`],
  },
  {
    name: 'timed',
    title: 'what a clock judges, alone',
    always: true,
    commands: [
      `npm run --silent test:faults -- --short ${TIMED.join(' ')}`,
      `npm run --silent test:faults -- --short postgres '--test-name-pattern=${TIMED_POSTGRES}'`,
    ],
  },
];
