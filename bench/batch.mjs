// Compares batches of 500 users with single creates and deletions, and all with another build:
//   node bench/batch.mjs [--before <built worktree>] [--organizations 10] [--users 10000]
//     [--state fresh|stale|unvacuumed] [--callers 8] [--rounds 3] [--seconds 3]
import { compare } from './compare.mjs';
import { BASE, PER_BATCH } from './fill.mjs';
import { create, deleteUser, newPerson } from './operations.mjs';
import { builds, openSides, program } from './scene.mjs';

/** Batches in a round. A fixed time would end while most of the requests are unanswered. */
const BATCHES = 24;

const defaults = {
  before: '',
  organizations: 10,
  users: 10_000,
  state: 'fresh',
  callers: 8,
  rounds: 3,
  seconds: 3,
};

let turn = 0;
const batches = {
  name: `users in batches of ${PER_BATCH}`,
  rows: PER_BATCH,
  amountOf: () => BATCHES,
  requestOf: ({ organizations }) => ({
    method: 'POST',
    path: `${BASE}/batch`,
    organization: organizations[turn++ % organizations.length],
    body: { users: Array.from({ length: PER_BATCH }, newPerson) },
  }),
  onResponse(side, body, organization) {
    const users = body.match(/usr_\w+/g)?.map((id) => ({ id }));
    if (users) (side.batches ??= []).push({ organization, body: { users } });
  },
};

/** Each of those that `batches` has created in this round, all at once. */
const deletions = {
  name: `deletions in batches of ${PER_BATCH}`,
  rows: PER_BATCH,
  amountOf: ({ batches }) => batches.length,
  requestOf: ({ batches }) => ({ method: 'POST', path: `${BASE}/batch-delete`, ...batches.pop() }),
};

await program(defaults, async (options) => {
  const sides = await openSides(builds(options), options);
  await compare(sides, [create, deleteUser, batches, deletions], options);
});
