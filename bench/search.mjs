// Compares searches of this build with those of another one: before any VACUUM, with statistics of another organization
// alone, with fresh ones and without any.
//   node bench/search.mjs [--before <built worktree>] [--organizations 1] [--users 1000000] [--terms 200] [--callers 1]
//     [--rounds 3]
import { compare } from './compare.mjs';
import { searches } from './operations.mjs';
import { builds, openSides, program, STATES } from './scene.mjs';

const defaults = { before: '', organizations: 1, users: 1_000_000, terms: 200, callers: 1, rounds: 3 };

await program(defaults, async (options) => {
  const sides = await openSides(builds(options), { ...options, state: 'unvacuumed' });
  const operations = searches(sides, options.terms);
  for (const state of Object.keys(STATES)) await compare(sides, operations, { ...options, state });
});
