// Compares the writes of this build with those of another one, and with hand-written Express that does the same work:
//   node bench/writes.mjs [--before <built worktree>] [--organizations 1000] [--users 10000] [--callers 32] [--rounds 5] [--seconds 3]
//     [--statistics fresh|stale]
import { parseArgs } from 'node:util';
import { compare } from './compare.mjs';
import { createForDelete, createWithKey, deleteUser, patchName, patchRole } from './operations.mjs';
import { before, express, expressSameWork, openSides, service, stopAll } from './sides.mjs';

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    organizations: { type: 'string', default: '1000' },
    users: { type: 'string', default: '10000' },
    callers: { type: 'string', default: '32' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    statistics: { type: 'string', default: 'fresh' },
  },
});
const { statistics } = values;
if (!['fresh', 'stale'].includes(statistics)) throw new Error('--statistics is fresh or stale');
const [organizations, users, callers, rounds, seconds] = [
  values.organizations,
  values.users,
  values.callers,
  values.rounds,
  values.seconds,
].map(Number);

try {
  const sides = await openSides([service, ...before(values.before), expressSameWork, express], {
    organizations,
    users,
    statistics,
  });
  const operations = [createForDelete, createWithKey, patchRole, patchName, deleteUser];
  await compare(sides, operations, { rounds, seconds, callers });
} finally {
  await stopAll();
}
