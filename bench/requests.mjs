// Compares the reads and writes of this build with those of another one and of hand-written Express:
//   npm run bench -- [--before <built worktree>] [--organizations 1000] [--users 100000]
//     [--state fresh|stale|unvacuumed] [--callers 32] [--rounds 5] [--seconds 3]
import { compare } from './compare.mjs';
import {
  create,
  createWithKey,
  deleteUser,
  list,
  patchName,
  patchRole,
  readOne,
  search,
} from './operations.mjs';
import { builds, express, openSides, program } from './scene.mjs';

const defaults = {
  before: '',
  organizations: 1_000,
  users: 100_000,
  state: 'fresh',
  callers: 32,
  rounds: 5,
  seconds: 3,
};

await program(defaults, async (options) => {
  const sides = await openSides([...builds(options), express], options);
  await compare(
    sides,
    [readOne, list, search, create, createWithKey, patchRole, patchName, deleteUser],
    options,
  );
});
