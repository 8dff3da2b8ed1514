// Compares reads with include=directory to the same reads without it; all users have attributes:
//   node bench/directory.mjs [--organizations 10] [--users 10000] [--state fresh|stale|unvacuumed]
//     [--callers 8] [--rounds 5] [--seconds 2]
import { compare } from './compare.mjs';
import { BASE } from './fill.mjs';
import { builds, openSides, program } from './scene.mjs';

const defaults = { organizations: 10, users: 10_000, state: 'fresh', callers: 8, rounds: 5, seconds: 2 };

/** What the default mapping of Okta writes of a person: about 800 bytes. */
const ATTRIBUTES = {
  displayName: 'Ada Lovelace',
  name: { givenName: 'Ada', familyName: 'Lovelace', middleName: 'King', formatted: 'Ada Lovelace' },
  emails: [
    { value: 'ada.lovelace@example.com', type: 'work', primary: true },
    { value: 'ada@home.example.com', type: 'home' },
  ],
  phoneNumbers: [
    { value: '+44 20 7946 0123', type: 'work', primary: true },
    { value: '+44 7700 900123', type: 'mobile' },
  ],
  addresses: [{ streetAddress: '12 St James Square', locality: 'London', postalCode: 'SW1Y', country: 'GB' }],
  title: 'Principal Analyst',
  locale: 'en-GB',
  timezone: 'Europe/London',
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
    employeeNumber: '701984',
    costCenter: '4130',
    organization: 'Analytical Engines',
    division: 'Theory',
    department: 'Research',
    manager: { value: '26118915', displayName: 'Charles Babbage' },
  },
};

let turn = 0;
const next = (list) => list[turn++ % list.length];

const read = (name, pathOf) => ({
  name,
  requestOf: (side) => {
    const { id, organization } = next(side.people);
    const path = pathOf(id);
    return {
      path: path + (side.include ? `${path.includes('?') ? '&' : '?'}include=directory` : ''),
      organization,
    };
  },
});

await program(defaults, async (options) => {
  const [side] = await openSides(builds({}), options);
  await side.client.query(
    `INSERT INTO scim_users (organization_id, user_id, user_name, external_id, attributes, email, name, keys)
     SELECT organization_id, id, email, id, $1::json, email, name, '{}' FROM users`,
    [JSON.stringify(ATTRIBUTES)],
  );
  const { rows } = await side.client.query(
    'SELECT organization_id, id FROM users ORDER BY random() LIMIT 5000',
  );
  const people = rows.map(({ organization_id: of, id }) => ({
    id,
    organization: side.organizations.find(({ id }) => id === of),
  }));
  const sides = [
    { ...side, people, name: 'without', include: false },
    { ...side, people, name: 'with include=directory', include: true },
  ];
  const kinds = [
    read('get', (id) => `${BASE}/${id}`),
    read('list of 50', () => `${BASE}?limit=50`),
    read('search', () => `${BASE}/search?q=an&limit=50`),
  ];
  await compare(sides, kinds, options);
});
