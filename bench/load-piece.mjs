// Copies a piece of the users of `load.mjs` into the tables, as a worker thread of it.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { findBinaries } from '../scripts/postgres.mjs';

const require = createRequire(import.meta.url);
const { person } = require('../dist/src/entry/demo/people.js');
const { firstId, newId } = require('../dist/src/platform/database/id.js');
const { searchTextOf } = require('../dist/src/users/search/user-search.rows.js');
const { withKeys } = require('../dist/src/users/user/user.keys.js');

const PSQL = join(
  findBinaries((path) => existsSync(join(path, 'psql'))),
  'psql',
);
const LINES = 1_000;
const YEAR_MS = 365 * 24 * 3_600_000;

const { databaseUrl, organizations, users, from, to, now } = workerData;

/** A prime number, so that every person comes once. */
const STEP = 6_180_341;

/** The person who comes n-th. Neighbours in an organization are far apart in the tables. */
const personAt = (n) => (n * STEP) % users;

/** The last organization that begins before the person, or with it. */
function organizationOf(place) {
  let [low, high] = [0, organizations.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (organizations[middle].first <= place) low = middle;
    else high = middle - 1;
  }
  return organizations[low];
}

// Ids sort by the time.
const idAt = (prefix, time) => firstId(prefix, time) + newId(prefix).slice(prefix.length + 11);

const escapes = { '\\': '\\\\', '\n': '\\n', '\t': '\\t', '\r': '\\r' };
const lineOf = (values) =>
  `${values.map((value) => String(value).replace(/[\\\n\t\r]/g, (one) => escapes[one])).join('\t')}\n`;

function copyInto(table, columns) {
  const psql = spawn(PSQL, ['-q', databaseUrl, '-c', `COPY ${table} (${columns}) FROM STDIN`], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(psql, 'exit');
  let lines = [];
  return {
    async add(values) {
      if (lines.push(lineOf(values)) < LINES) return;
      const text = lines.join('');
      lines = [];
      if (!psql.stdin.write(text)) await once(psql.stdin, 'drain');
    },
    async end() {
      psql.stdin.end(lines.join(''));
      const [code] = await ended;
      if (code !== 0) throw new Error(`COPY into ${table} ended with ${code}`);
    },
  };
}

const tables = {
  users: copyInto(
    'users',
    'organization_id, id, name, name_key, email, email_key, role, active, metadata, version, created_at, updated_at',
  ),
  texts: copyInto('user_search', 'organization_id, user_id, name_key, name, text'),
  events: copyInto(
    'events',
    'organization_id, id, position, sequence, type, occurred_at, source, actor_name, target_id, request_id, data',
  ),
};

const sequences = new Map();
const sequenceOf = (organization) => {
  const next = (sequences.get(organization) ?? 0) + 1;
  sequences.set(organization, next);
  return next;
};

for (let n = 0; n < to; n++) {
  const place = personAt(n);
  const organization = organizationOf(place);
  const sequence = sequenceOf(organization);
  if (n < from) continue;
  const { name, email, role, active, metadata } = person(place);
  const { nameKey, emailKey } = withKeys({ name, email });
  const at = new Date(now - Math.floor((1 - n / users) * YEAR_MS));
  const time = at.toISOString();
  const id = idAt('usr', at);
  const user = { id, externalId: null, name, email, role, active, metadata };
  const json = JSON.stringify(metadata);
  const data = JSON.stringify({ user: { ...user, version: 1, createdAt: time, updatedAt: time } });
  const { id: owner } = organization;
  await tables.users.add([owner, id, name, nameKey, email, emailKey, role, active, json, 1, time, time]);
  await tables.texts.add([owner, id, nameKey, name, searchTextOf(user)]);
  await tables.events.add([
    owner,
    idAt('evt', at),
    n + 1,
    sequence,
    'user.created',
    time,
    'api',
    'Bench',
    id,
    randomUUID(),
    data,
  ]);
}
await Promise.all(Object.values(tables).map((table) => table.end()));
