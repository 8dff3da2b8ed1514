// Compares requests of the service with hand-written Express: reading, listing, searching, creating and changing users.
//   npm run bench [-- --rounds 5 --seconds 3 --organizations 100 --users 100000 --callers 64 --before <built worktree>]
import { parseArgs } from 'node:util';
import { compare } from './compare.mjs';
import { createUser, list, patchName, patchRole, readOne, search } from './operations.mjs';
import { before, express, expressSameWork, openSides, service, stopAll } from './sides.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    organizations: { type: 'string', default: '100' },
    users: { type: 'string', default: '100000' },
    callers: { type: 'string', default: '64' },
    before: { type: 'string' },
  },
});
const [rounds, seconds, organizations, users, callers] = [
  values.rounds,
  values.seconds,
  values.organizations,
  values.users,
  values.callers,
].map(Number);

try {
  const sides = await openSides([service, ...before(values.before), express, expressSameWork], {
    organizations,
    users,
  });
  await compare(sides, [readOne, list, search, createUser, patchRole, patchName], {
    rounds,
    seconds,
    callers,
  });
} finally {
  await stopAll();
}
