// The organizations that attacks share, because they take long to fill.
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { newDirectory, SHORT } from '../scene.mjs';
import { ums } from './places.mjs';

const require = createRequire(import.meta.url);
const { person } = require('../../../dist/src/entry/demo/people.js');

const MANY = SHORT ? 6_000 : 30_000;
const EMBEDDED = 5_000;
const RARE = 3;

const KINDS = {
  large: (place) => people(place.database ? MANY : EMBEDDED),
  /** Only the first few have the role viewer. */
  rare: () => people(MANY, (n) => ({ role: n < RARE ? 'viewer' : 'member' })),
  /** A page of 200 has 3 MB. Numbers are not searched. */
  heavy: () => people(200, () => ({ metadata: { t: Array.from({ length: 900 }, (_, n) => 1e15 + n) } })),
};

const people = (count, more = () => ({})) =>
  Array.from({ length: count }, (_, n) => ({ ...person(n), ...more(n) }));

const shared = new Map();

/** The organization of this kind, which the first caller fills; a new, empty one without a kind. */
export function organizationIn(place, kind) {
  if (!kind) return place.newOrganization('Attacker');
  const key = `${place.name} ${kind}`;
  if (!shared.has(key)) shared.set(key, filled(place, kind));
  return shared.get(key);
}

async function filled(place, kind) {
  const organization = await place.newOrganization(kind);
  const file = join(newDirectory(), 'users.ndjson');
  const users = KINDS[kind](place).map((user) => `${JSON.stringify(user)}\n`);
  writeFileSync(file, users.join(''));
  await ums(place.environment, 'users', 'import', file, '--organization', organization.id);
  return organization;
}
