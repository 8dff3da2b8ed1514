// Compares a Citus cluster of a coordinator and two workers with one PostgreSQL on the same machine, and with another
// build on the cluster:
//   node bench/citus.mjs [--before <built worktree>] [--organizations 100] [--users 5000]
//     [--state fresh|stale|unvacuumed] [--callers 64] [--rounds 5] [--seconds 3]
// All servers share the machine's cores, so a ratio below 1 is expected.
import { execFileSync } from 'node:child_process';
import { startCitus } from '../scripts/citus.mjs';
import { compare } from './compare.mjs';
import { create, list, patchName, patchRole, readOne } from './operations.mjs';
import { builds, newPostgres, openSide, program, temporaryDirectory, undoLater } from './scene.mjs';

const defaults = {
  before: '',
  organizations: 100,
  users: 5_000,
  state: 'fresh',
  callers: 64,
  rounds: 5,
  seconds: 3,
};

await program(defaults, async (options) => {
  const cluster = await startCitus(temporaryDirectory(), { autovacuum: 'off' });
  undoLater(() => cluster.stop());
  const pids = () => cluster.nodes.map((node) => node.pid());
  const sides = [];
  for (const [i, build] of builds(options).entries()) {
    const database = await cluster.createDatabase(`bench_${i}`);
    for (const command of ['migrate', 'distribute'])
      execFileSync(process.execPath, ['dist/src/cli.js', command], {
        cwd: build.cwd,
        env: { PATH: process.env.PATH, DATABASE_URL: database },
        stdio: 'pipe', // part of the error if it fails
      });
    sides.push(await openSide({ ...build, name: `${build.name} on the cluster` }, database, pids, options));
  }
  const postgres = await newPostgres();
  const [service] = builds(options);
  const database = await postgres.createDatabase('bench');
  sides.push(await openSide({ ...service, name: 'service on one' }, database, postgres.pids, options));
  await compare(sides, [readOne, list, create, patchRole, patchName], options);
});
