// Compares a Citus cluster of a coordinator and two workers with one PostgreSQL on the same machine:
//   node bench/citus.mjs [--organizations 100] [--users 5000] [--callers 64] [--rounds 5] [--seconds 3]
// All servers share the machine's cores, so a ratio below 1 is expected.
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { startCitus } from '../scripts/citus.mjs';
import { compare } from './compare.mjs';
import { createUser, list, patchName, patchRole, readOne } from './operations.mjs';
import { openSide, service, startPostgres, stopAll, temporaryDirectory, undoLater } from './sides.mjs';

const { values } = parseArgs({
  options: {
    organizations: { type: 'string', default: '100' },
    users: { type: 'string', default: '5000' },
    callers: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
  },
});
const [organizations, users, callers, rounds, seconds] = [
  values.organizations,
  values.users,
  values.callers,
  values.rounds,
  values.seconds,
].map(Number);

try {
  const cluster = await startCitus(temporaryDirectory(), { autovacuum: 'off' });
  undoLater(() => cluster.stop());
  const distributed = await cluster.createDatabase('bench');
  for (const command of ['migrate', 'distribute'])
    execFileSync(process.execPath, ['dist/src/cli.js', command], {
      env: { PATH: process.env.PATH, DATABASE_URL: distributed },
      stdio: 'pipe', // part of the error if it fails
    });
  const pids = () => cluster.nodes.map((node) => node.pid());
  const content = { organizations, users, statistics: 'fresh' };
  const postgres = await startPostgres();
  const sides = [
    await openSide({ ...service, name: 'cluster' }, distributed, pids, content),
    await openSide(
      { ...service, name: 'PostgreSQL' },
      await postgres.createDatabase('bench'),
      postgres.pids,
      content,
    ),
  ];
  await compare(sides, [readOne, list, createUser, patchRole, patchName], { rounds, seconds, callers });
} finally {
  await stopAll();
}
