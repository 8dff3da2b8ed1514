// The programs that the steps need beyond Node.js. What is missing is installed where this can be done: on Debian and
// its relatives, as root, or in CI as a user who may become root. Elsewhere CI fails, and a developer's run says what
// it leaves out.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findChromium } from '../scripts/chromium.mjs';
import { hasPostgres } from '../scripts/postgres.mjs';

const runs = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

/** Each with the packages to try, in this order. */
const PROGRAMS = [
  { name: 'PostgreSQL 15 or newer', isThere: hasPostgres, packages: ['postgresql'] },
  {
    name: 'Chromium',
    isThere: () => findChromium() !== undefined,
    packages: ['chromium-headless-shell', 'chromium'], // some releases have no package of the shell
  },
  {
    name: 'PgBouncer',
    isThere: () => runs('pgbouncer') || runs('/usr/sbin/pgbouncer'),
    packages: ['pgbouncer'],
  },
  { name: 'faketime', isThere: () => runs('faketime'), packages: ['faketime'] },
  { name: 'promtool', isThere: () => runs('promtool'), packages: ['prometheus'] },
  { name: 'curl', isThere: () => runs('curl'), packages: ['curl'] },
  { name: 'jq', isThere: () => runs('jq'), packages: ['jq'] },
];

const CITUS_INSTALLER = '../shared/citus/install';

/** Whether the installed PostgreSQL has Citus; asked anew each time, in a process of its own. */
const hasCitus = () =>
  execFileSync(process.execPath, [
    '--input-type=module',
    '--eval',
    `import { NO_CITUS } from './scripts/citus.mjs'; process.stdout.write(String(!NO_CITUS));`,
  ]).toString() === 'true';

/** Installs what is missing. Returns the names of what still is. */
export function installPrograms() {
  const missing = PROGRAMS.filter(({ isThere }) => !isThere());
  if (missing.length > 0 && canInstall()) {
    apt('update', '-qq');
    for (const { name, packages } of missing) {
      process.stdout.write(`Installing ${name} …\n`);
      packages.some((one) => apt('install', '-y', '-qq', '--no-install-recommends', one));
    }
  }
  const left = missing.filter(({ isThere }) => !isThere()).map(({ name }) => name);
  const isCitusDone = process.env.WITHOUT_CITUS === '1' || hasCitus() || installCitus();
  return isCitusDone ? left : [...left, 'Citus'];
}

const isRoot = process.getuid?.() === 0;
const canInstall = () => (isRoot || process.env.CI === 'true') && runs('apt-get');

/** Services are not started: the tests start what they need. */
function apt(...args) {
  const command = ['env', 'DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1', 'apt-get', ...args];
  const [program, ...rest] = isRoot ? command : ['sudo', '--non-interactive', ...command];
  return spawnSync(program, rest, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
}

function installCitus() {
  if (!existsSync(CITUS_INSTALLER) || !isRoot || !canInstall()) return false;
  process.stdout.write('Installing Citus …\n');
  return spawnSync(CITUS_INSTALLER, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0 && hasCitus();
}
