// Compares reads by tokens that may be used from five networks alone to reads by tokens without networks:
//   node bench/networks.mjs [--organizations 10] [--users 1000] [--state fresh|stale|unvacuumed]
//     [--callers 8] [--rounds 5] [--seconds 2]
import { compare } from './compare.mjs';
import { BASE } from './fill.mjs';
import { builds, openSides, program } from './scene.mjs';

const defaults = { organizations: 10, users: 1_000, state: 'fresh', callers: 8, rounds: 5, seconds: 2 };

/** The caller's is the last one. */
const NETWORKS = [...Array.from({ length: 4 }, (_, i) => `192.0.${i + 1}.0/24`), '127.0.0.0/8'];

let turn = 0;
const next = (list) => list[turn++ % list.length];

await program(defaults, async (options) => {
  const [side] = await openSides(builds({}), options);
  const half = side.organizations.length / 2;
  const [free, bound] = [side.organizations.slice(0, half), side.organizations.slice(half)];
  await side.client.query('UPDATE tokens SET allowed_networks = $1 WHERE organization_id = ANY ($2)', [
    NETWORKS,
    bound.map(({ id }) => id),
  ]);
  const people = async (organizations) => {
    const { rows } = await side.client.query(
      'SELECT organization_id, id FROM users WHERE organization_id = ANY ($1) ORDER BY random() LIMIT 5000',
      [organizations.map(({ id }) => id)],
    );
    return rows.map(({ organization_id: of, id }) => ({
      id,
      organization: organizations.find(({ id }) => id === of),
    }));
  };
  const sides = [
    { ...side, people: await people(free), name: 'from anywhere' },
    { ...side, people: await people(bound), name: 'from five networks' },
  ];
  const read = (name, pathOf) => ({
    name,
    requestOf: ({ people }) => {
      const { id, organization } = next(people);
      return { path: pathOf(id), organization };
    },
  });
  await compare(
    sides,
    [read('get', (id) => `${BASE}/${id}`), read('list of 50', () => `${BASE}?limit=50`)],
    options,
  );
});
