// Compares writes with an external id to writes without one, and a list of one user by its external id to one by email:
//   node bench/external-ids.mjs [--organizations 10] [--users 100000] [--state fresh|stale|unvacuumed]
//     [--callers 8] [--rounds 5] [--seconds 2]
import { randomUUID } from 'node:crypto';
import { compare } from './compare.mjs';
import { BASE, PER_BATCH } from './fill.mjs';
import { newPerson } from './operations.mjs';
import { builds, openSides, program } from './scene.mjs';

/** Batches in a round. A fixed time would end while most of the requests are unanswered. */
const BATCHES = 16;

const defaults = { organizations: 10, users: 100_000, state: 'fresh', callers: 8, rounds: 5, seconds: 2 };

let turn = 0;
const next = (list) => list[turn++ % list.length];
const newUser = ({ hasId }) => ({ ...(hasId && { externalId: randomUUID() }), ...newPerson() });

const create = {
  name: 'create',
  requestOf: (side) => ({
    method: 'POST',
    path: BASE,
    organization: next(side.organizations),
    body: newUser(side),
  }),
};
const batches = {
  name: `users in batches of ${PER_BATCH}`,
  rows: PER_BATCH,
  amountOf: () => BATCHES,
  requestOf: (side) => ({
    method: 'POST',
    path: `${BASE}/batch`,
    organization: next(side.organizations),
    body: { users: Array.from({ length: PER_BATCH }, () => newUser(side)) },
  }),
};
const find = {
  name: 'list of one user',
  requestOf: ({ hasId, found }) => {
    const { organization, email, externalId } = next(found);
    const filter = hasId ? { externalId } : { email };
    return { path: `${BASE}?${new URLSearchParams(filter)}`, organization };
  },
};

await program(defaults, async (options) => {
  const [side] = await openSides(builds({}), options);
  await side.client.query(`UPDATE users SET external_id = id`);
  const { rows } = await side.client.query(
    'SELECT organization_id, email, external_id AS "externalId" FROM users ORDER BY random() LIMIT 5000',
  );
  const found = rows.map(({ organization_id: id, ...user }) => ({
    ...user,
    organization: side.organizations.find((organization) => organization.id === id),
  }));
  const sides = [
    { ...side, name: 'without', hasId: false, found },
    { ...side, name: 'with an external id', hasId: true, found },
  ];
  await compare(sides, [find, create, batches], options);
});
