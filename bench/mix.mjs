// The CPU time of a mix of requests at a steady rate, as one replica logs and serves them, and the disk of a user:
//   node bench/mix.mjs [--organizations 100] [--users 100000] [--callers 10] [--rounds 3] [--seconds 20]
import { compare } from './compare.mjs';
import { create, list, patchName, patchRole, readOne, search } from './operations.mjs';
import { builds, openSides, program, say } from './scene.mjs';

const defaults = {
  organizations: 100,
  users: 100_000,
  state: 'fresh',
  callers: 10,
  rounds: 3,
  seconds: 20,
};

/** Of a hundred requests. */
const PARTS = [
  [80, readOne],
  [10, list],
  [5, search],
  [3, patchRole],
  [1, patchName],
  [1, create],
];
const parts = PARTS.flatMap(([count, operation]) => Array.from({ length: count }, () => operation));

const mixAt = (rate) => ({
  name: `${rate} a second`,
  rate,
  requestOf: (side) => parts[Math.floor(Math.random() * parts.length)].requestOf(side),
});

await program(defaults, async (options) => {
  const sides = builds({}).map((side) => ({ ...side, variablesOf: () => ({ LOG_LEVEL: 'info' }) }));
  const opened = await openSides(sides, options);
  const [{ client, users }] = opened;
  const { rows } = await client.query(
    `SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY bytes DESC`,
  );
  for (const { name, bytes } of rows.slice(0, 3))
    say(`${name}: ${Math.round(bytes / users.length)} bytes a user`);
  say(`all tables: ${Math.round(rows.reduce((sum, { bytes }) => sum + Number(bytes), 0) / users.length)}`);
  await compare(opened, [mixAt(50), mixAt(500)], options);
});
