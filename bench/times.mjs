// Compares pages at the far end of a list with a filter by time to the same pages without one: before any VACUUM, with
// statistics of another organization alone, with fresh ones and without any.
//   node bench/times.mjs [--organizations 1] [--users 100000] [--callers 4] [--rounds 5] [--seconds 2]
import { createRequire } from 'node:module';
import { compare } from './compare.mjs';
import { BASE } from './fill.mjs';
import { builds, openSides, program, STATES } from './scene.mjs';

const { encodeCursor } = createRequire(import.meta.url)('../dist/src/platform/pages/cursor.js');

const LIMIT = 50;
const TIMES = {
  createdAt: { column: 'created_at', since: 'createdSince', until: 'createdUntil' },
  updatedAt: { column: 'updated_at', since: 'updatedSince', until: 'updatedUntil' },
};
const defaults = { organizations: 1, users: 100_000, callers: 4, rounds: 5, seconds: 2 };

await program(defaults, async (options) => {
  const [side] = await openSides(builds({}), { ...options, state: 'unvacuumed' });
  // Every user has times of its own, in two orders.
  await side.client.query(`
    UPDATE users SET created_at = created_at - random() * interval '100 days',
      updated_at = updated_at - random() * interval '100 days'`);
  const operations = [];
  for (const sort of Object.keys(TIMES))
    for (const order of ['asc', 'desc']) operations.push(...(await pagesOf(side, sort, order)));
  const sides = [
    { ...side, name: 'with a time', isFiltered: true },
    { ...side, name: 'without' },
  ];
  for (const state of Object.keys(STATES)) await compare(sides, operations, { ...options, state });
});

/** The last full page: with a filter, one that begins at its bound, and one after a cursor. */
async function pagesOf({ client, organizations: [organization] }, sort, order) {
  const { column, since, until } = TIMES[sort];
  const { rows } = await client.query(
    `SELECT ${column} AS time, id FROM users WHERE organization_id = $1
     ORDER BY ${column} ${order === 'asc' ? 'DESC' : 'ASC'}, id OFFSET ${LIMIT} LIMIT 1`,
    [organization.id],
  );
  const [{ time, id }] = rows;
  const at = time.toISOString();
  const cursorOf = (range) => encodeCursor([at, id], ['users', organization.id, sort, order, range]);
  const page = (query) => ({
    organization,
    path: `${BASE}?${new URLSearchParams({ sort, order, limit: LIMIT, ...query })}`,
  });
  const bound = { [order === 'asc' ? since : until]: at };
  const [first, last] = ['2000-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z'];
  const both = { since: { operator: '>=', time: first }, until: { operator: '<', time: last } };
  const without = page({ cursor: cursorOf({}) });
  const after = page({ [since]: first, [until]: last, cursor: cursorOf(both) });
  const operation = (name, filtered) => ({
    name: `${sort} ${order}, ${name}`,
    requestOf: ({ isFiltered }) => (isFiltered ? filtered : without),
  });
  return [operation('from a bound on', page(bound)), operation('after a cursor', after)];
}
