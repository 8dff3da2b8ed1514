// Measures the size of the database on disk, and the time of reads, one at a time.
import { createRequire } from 'node:module';
import { quantile } from '../compare.mjs';
import { BASE } from '../sides.mjs';
import { draw } from '../terms.mjs';
import { say } from './database.mjs';
import { anyOf, send } from './requests.mjs';

const { encodeCursor } = createRequire(import.meta.url)('../../dist/src/pages/cursor.js');

const SEED = 4711;
const LIMIT = 50;
const SORTS = {
  createdAt: { order: 'desc', keys: ['created_at', 'id'] },
  updatedAt: { order: 'desc', keys: ['updated_at', 'id'] },
  name: { order: 'asc', keys: ['name_key', 'name', 'id'] },
  email: { order: 'asc', keys: ['email_key'] },
};
const STATISTICS = {
  fresh: (client) => client.query('VACUUM ANALYZE'),
  none: (client) =>
    client.query(`
      DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace);
      UPDATE pg_class SET reltuples = -1 WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')`),
};

export async function measureAll(scale, { requests, statistics }) {
  await saySizes(scale);
  const { client } = scale;
  const { rows: people } = await client.query(
    `SELECT organization_id, id FROM users TABLESAMPLE SYSTEM (1) LIMIT 20000`,
  );
  const byId = new Map(scale.organizations.map((organization) => [organization.id, organization]));
  const users = people.map(({ organization_id, id }) => ({ id, organization: byId.get(organization_id) }));
  // Large organizations get more requests, as in real use.
  const busy = users.map(({ organization }) => organization);
  try {
    for (const name of statistics) {
      await STATISTICS[name](client);
      say(`\nstatistics: ${name}, ${requests} requests each, one at a time`);
      say('| request | p50 ms | p99 ms | max ms | not 200 |');
      say('|---|---|---|---|---|');
      await sayTimes(scale, 'get', requests, () => {
        const { organization, id } = anyOf(users);
        return { organization, path: `${BASE}/${id}` };
      });
      for (const sort of Object.keys(SORTS)) {
        await sayTimes(scale, `first page by ${sort}`, requests, () => ({
          organization: anyOf(busy),
          path: `${BASE}?sort=${sort}`,
        }));
        const [largest] = scale.organizations;
        const cursor = await cursorOfLastPage(client, largest.id, sort);
        await sayTimes(scale, `last page by ${sort}`, requests, () => ({
          organization: largest,
          path: `${BASE}?sort=${sort}&cursor=${cursor}`,
        }));
      }
      await sayTimes(scale, 'first page, role=admin', requests, () => ({
        organization: anyOf(busy),
        path: `${BASE}?role=admin`,
      }));
      const terms = draw(
        { organizations: busy.slice(0, 1000), users: scale.state.users, seed: SEED },
        requests,
      );
      for (const [kind, drawn] of terms) {
        let next = 0;
        await sayTimes(scale, `search: ${kind}`, drawn.length, () => {
          const { organization, q } = drawn[next++];
          return { organization, path: `${BASE}/search?limit=20&q=${encodeURIComponent(q)}` };
        });
      }
    }
  } finally {
    await client.query('ANALYZE');
  }
}

async function saySizes({ client, state }) {
  const { rows } = await client.query(`
    SELECT c.relname AS name, c.relkind AS kind, pg_table_size(c.oid)::float AS bytes
    FROM pg_class AS c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'i') AND pg_table_size(c.oid) > 10 * 1024 * 1024
    ORDER BY bytes DESC`);
  const { users } = state;
  const total = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  say(`\n| table or index | GB | bytes a user |`);
  say('|---|---|---|');
  for (const { name, bytes } of rows) say(`| ${name} | ${gb(bytes)} | ${Math.round(bytes / users)} |`);
  say(`| all | ${gb(total)} | ${Math.round(total / users)} |`);
}

const gb = (bytes) => (bytes / 1024 ** 3).toFixed(2);

async function sayTimes({ url }, name, count, requestOf) {
  const times = [];
  let failed = 0;
  for (let i = 0; i < count; i++) {
    const { organization, path } = requestOf();
    const { status, ms } = await send(url, organization, path);
    if (status !== 200) failed++;
    times.push(ms);
  }
  times.sort((a, b) => a - b);
  const cells = [quantile(times, 0.5), quantile(times, 0.99), times.at(-1)].map((ms) => ms.toFixed(1));
  say(`| ${name} | ${cells.join(' | ')} | ${failed} |`);
}

/** The cursor after which exactly one full page is left. */
async function cursorOfLastPage(client, organizationId, sort) {
  const { order, keys } = SORTS[sort];
  const reverse = order === 'asc' ? 'DESC' : 'ASC';
  const { rows } = await client.query(
    `SELECT ${keys.join(', ')} FROM users WHERE organization_id = $1
     ORDER BY ${keys.map((key) => `${key} ${reverse}`).join(', ')} OFFSET ${LIMIT} LIMIT 1`,
    [organizationId],
  );
  const position = keys.map((key) => rows[0][key]);
  return encodeCursor(position, ['users', organizationId, sort, order, {}]);
}
