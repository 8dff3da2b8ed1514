// Compares batches of 500 users with single creates, and both with another build:
//   node bench/batch.mjs [--before <built worktree>] [--callers 1,8] [--organizations 10] [--rounds 3] [--seconds 3]
import { parseArgs } from 'node:util';
import { compare } from './compare.mjs';
import { createUser, newPerson } from './operations.mjs';
import { BASE, before, openSides, service, stopAll } from './sides.mjs';

const PER_BATCH = 500;
/** Batches in a round, a multiple of the callers. A fixed time would end while most of the requests are unanswered. */
const BATCHES = 24;

const { values } = parseArgs({
  options: {
    before: { type: 'string' },
    callers: { type: 'string', default: '1,8' },
    organizations: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
  },
});
const [organizations, rounds, seconds] = [values.organizations, values.rounds, values.seconds].map(Number);

let turn = 0;
const batch = (side) => ({
  method: 'POST',
  path: `${BASE}/batch`,
  organization: side.organizations[turn++ % organizations],
  body: { users: Array.from({ length: PER_BATCH }, newPerson) },
});

const operations = values.callers.split(',').flatMap((callers) => [
  { ...createUser, name: `single creates, callers: ${callers}`, callers: Number(callers) },
  {
    name: `batches of ${PER_BATCH}, callers: ${callers}`,
    callers: Number(callers),
    rows: PER_BATCH,
    amountOf: () => BATCHES,
    requestOf: batch,
  },
]);

try {
  const sides = await openSides([service, ...before(values.before)], { organizations, users: 10_000 });
  await compare(sides, operations, { rounds, seconds, callers: values.callers });
} finally {
  await stopAll();
}
