// The restore drill: copies the database DATABASE_URL, which it only reads, into the empty database RESTORED_URL as
// docs/operations.md says, and sees that everything is there and goes on. The URLs are variables, because npm prints
// arguments. The copy delivers nothing: its webhooks are disabled before the service starts, which has no key for them.
import { randomBytes, randomInt } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { buildIfStale } from '../stale.mjs';
import { atEnd, caller, drill, execute, releaseIn, requireThat, step, succeed } from './drill.mjs';

const { DATABASE_URL, RESTORED_URL, WEBHOOK_ENCRYPTION_KEY } = process.env;

/** Neither PostgreSQL's own, nor made by an extension. */
const OWN = `nspname <> 'information_schema' AND nspname NOT LIKE 'pg\\_%'
  AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')`;
const OBJECTS = `FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE ${OWN}`;

async function connect(variable) {
  const url = process.env[variable];
  requireThat(url, 'Set DATABASE_URL to the database, and RESTORED_URL to an empty one.');
  requireThat(/^postgres(ql)?:\/\//.test(url), `${variable} must be a postgres:// URL.`);
  const { verifyingFully } = await import('../../dist/src/entry/process/config.js');
  const client = new pg.Client({ connectionString: verifyingFully(url), application_name: 'restore drill' });
  client.on('error', () => {}); // a call that fails reports it
  atEnd(() => client.end());
  await client.connect().catch((error) => {
    requireThat(false, `${variable} cannot be used: ${error.message || error.code}`);
  });
  await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET jit = off');
  return client;
}

/** The URL for PostgreSQL's programs, in which sslmode has the meaning that this parameter asks the driver for. */
const urlForLibpq = (url) => url.replace(/uselibpqcompat=true&|[?&]uselibpqcompat=true$/, '');

const rowsOf = async (client, sql, values) => (await client.query(sql, values)).rows;

/** What must be the same: the number of rows of each table, and the valid indexes. */
async function contents(client) {
  const tables = await rowsOf(
    client,
    `SELECT format('%I.%I', nspname, relname) AS name ${OBJECTS} AND relkind = 'r' ORDER BY name`,
  );
  const counts = new Map();
  for (const { name } of tables)
    counts.set(name, Number((await rowsOf(client, `SELECT count(*) AS count FROM ${name}`))[0].count));
  const indexes = await rowsOf(
    client,
    `SELECT relname AS name ${OBJECTS} AND relkind = 'i'
       AND (SELECT indisvalid FROM pg_index WHERE indexrelid = pg_class.oid) ORDER BY name`,
  );
  return { counts, indexes: indexes.map(({ name }) => name) };
}

async function requirePrograms(source) {
  const server = Math.floor(
    Number((await rowsOf(source, 'SHOW server_version_num'))[0].server_version_num) / 10_000,
  );
  for (const program of ['pg_dump', 'pg_restore']) {
    const { code, stdout } = await execute(program, ['--version']);
    requireThat(code === 0, `${program} is not installed. Install PostgreSQL ${server}'s client programs.`);
    const version = Number(/ (\d+)/.exec(stdout)?.[1]);
    requireThat(
      version >= server,
      `${program} is of PostgreSQL ${version}, older than the server's ${server}. Install that of ${server} or newer.`,
    );
  }
  return server;
}

/** An advisory lock is one of its database, by whatever host or address that is reached. */
async function requireEmpty(source, copy) {
  const key = randomInt(2 ** 47);
  await source.query('SELECT pg_advisory_xact_lock($1)', [key]);
  const [{ free }] = await rowsOf(copy, 'SELECT pg_try_advisory_lock($1) AS free', [key]);
  requireThat(free, 'RESTORED_URL is the database DATABASE_URL itself. Create an empty one.');
  const [{ count }] = await rowsOf(copy, `SELECT count(*)::integer ${OBJECTS}`);
  requireThat(count === 0, 'The database RESTORED_URL is not empty. Create one for the drill.');
}

/** The dump, and what its snapshot contains. */
async function dump(source, file) {
  const [{ snapshot }] = await rowsOf(source, 'SELECT pg_export_snapshot() AS snapshot');
  const [expected] = await Promise.all([
    contents(source),
    succeed('pg_dump', [
      '--format=custom',
      `--snapshot=${snapshot}`,
      `--file=${file}`,
      urlForLibpq(DATABASE_URL),
    ]),
  ]);
  return expected;
}

function requireSame(expected, { counts, indexes }) {
  const wrong = [...expected.counts].filter(([name, count]) => counts.get(name) !== count);
  const differences = wrong.map(
    ([name, count]) => `${name} has ${counts.get(name) ?? 'no'} rows instead of ${count}`,
  );
  requireThat(wrong.length === 0, `The copy is not complete: ${differences.join(', ')}.`);
  const missing = expected.indexes.filter((name) => !indexes.includes(name));
  requireThat(missing.length === 0, `The copy lacks indexes: ${missing.join(', ')}.`);
}

/** Afterwards only a key that nobody has kept reads the secrets of the copy. */
async function readSecrets(copy) {
  const { rowCount } = await copy.query('SELECT FROM webhooks');
  if (rowCount === 0) return 'there is no webhook';
  requireThat(
    WEBHOOK_ENCRYPTION_KEY,
    'The copy has webhooks: set WEBHOOK_ENCRYPTION_KEY from where you keep it for a restore.',
  );
  const keys = `${randomBytes(32).toString('base64')},${WEBHOOK_ENCRYPTION_KEY}`;
  const release = releaseIn('.', { DATABASE_URL: RESTORED_URL, WEBHOOK_ENCRYPTION_KEY: keys });
  const { rewrapped } = await release.json('webhooks', 'rewrap');
  requireThat(rewrapped === rowCount, `The secrets of ${rewrapped} of ${rowCount} webhooks can be read.`);
  return `${rowCount} read`;
}

/** The last number of each organization, which must not be below that of an event: it would be given twice. */
async function lastNumbers(copy) {
  const heads = await rowsOf(
    copy,
    `SELECT organization_id AS id, sequence::float8 AS last,
       (SELECT max(sequence) FROM events WHERE events.organization_id = heads.organization_id) > sequence AS is_behind
     FROM event_heads AS heads`,
  );
  const behind = heads.filter(({ is_behind }) => is_behind).map(({ id }) => id);
  requireThat(behind.length === 0, `New events of ${behind.join(', ')} would have numbers that are taken.`);
  return new Map(heads.map(({ id, last }) => [id, last]));
}

/** What every organization's feed has got since then has the next numbers. Returns how many feeds there are. */
async function requireNoGap(copy, before) {
  const feeds = await rowsOf(
    copy,
    `SELECT heads.organization_id AS id, sequence - coalesce(last, 0) = (
       SELECT count(*) FROM events
       WHERE events.organization_id = heads.organization_id AND events.sequence > coalesce(last, 0)
     ) AS is_whole
     FROM event_heads AS heads
     LEFT JOIN unnest($1::text[], $2::bigint[]) AS before (id, last) ON before.id = heads.organization_id`,
    [[...before.keys()], [...before.values()]],
  );
  const broken = feeds.filter(({ is_whole }) => !is_whole).map(({ id }) => id);
  requireThat(broken.length === 0, `The new events of ${broken.join(', ')} have a gap.`);
  return feeds.length;
}

/** Reads rows of an organization that the dump has brought. */
async function readOld(copy, api, organization) {
  const newest = async (table, more = 'true') =>
    (
      await rowsOf(
        copy,
        `SELECT * FROM ${table} AS t WHERE organization_id = $1 AND ${more} ORDER BY id DESC LIMIT 1`,
        [organization],
      )
    )[0];
  const user = await newest('users');
  if (user) {
    const { email } = await api.get(`/api/v1/users/${user.id}`);
    requireThat(email === user.email, `The user ${user.id} has another email than its row.`);
    await requireFound(api, email, user.id);
  }
  const group = await newest('groups');
  if (group) await api.get(`/api/v1/groups/${group.id}`);
  const [event] = (await api.get('/api/v1/events?limit=1')).data;
  const deleted = await newest(
    'deleted_users',
    'NOT EXISTS (SELECT FROM users WHERE organization_id = t.organization_id AND email_key = t.email_key)',
  );
  if (deleted) await api.post(`/api/v1/deleted-users/${deleted.id}/restore`, undefined, 200);
  const read = Object.entries({ user, group, event, 'deleted user': deleted });
  return read.map(([name, row]) => (row ? name : `no ${name} is there`)).join(', ');
}

async function requireFound(api, q, id) {
  const { data } = await api.get(`/api/v1/users/search?q=${encodeURIComponent(q)}`);
  requireThat(
    data.some((hit) => (hit.user ?? hit).id === id),
    `A search does not find the user ${id}.`,
  );
}

/** A life of a user: its events come after all others, in its order. */
async function writeNew(api, last) {
  const email = `restore-drill-${randomBytes(8).toString('hex')}@example.com`;
  const { id } = await api.post('/api/v1/users', { name: 'Restore Drill', email });
  await requireFound(api, email, id);
  await api.patch(`/api/v1/users/${id}`, { role: 'viewer' });
  await api.delete(`/api/v1/users/${id}`);
  await api.post(`/api/v1/deleted-users/${id}/restore`, undefined, 200);
  await requireFound(api, email, id);
  const { data } = await api.get(`/api/v1/events?target=${id}&order=asc`);
  const types = data.map(({ type }) => type.replace('user.', '')).join(', ');
  requireThat(types === 'created, updated, deleted, restored', `The new user has the events ${types}.`);
  const numbers = data.map(({ sequence }) => sequence);
  requireThat(
    numbers.every((number, i) => number > (i === 0 ? last : numbers[i - 1])),
    `New events have the numbers ${numbers.join(', ')} after ${last}.`,
  );
  return `numbers ${numbers[0]} to ${numbers.at(-1)} after ${last}`;
}

await drill('restore', async (folder) => {
  buildIfStale();
  const [source, copy] = [await connect('DATABASE_URL'), await connect('RESTORED_URL')];
  const file = join(folder, 'ums.dump');
  await source.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await step('Is the other database empty?', () => requireEmpty(source, copy));
  await step('Are pg_dump and pg_restore new enough?', async (note) =>
    note(`PostgreSQL ${await requirePrograms(source)}`),
  );
  const expected = await step('Dump, and count the rows of its snapshot', async (note) => {
    const contents = await dump(source, file);
    note(`${(statSync(file).size / 2 ** 20).toFixed(1)} MB`);
    return contents;
  });
  await source.query('COMMIT');
  await step('Restore', () =>
    succeed('pg_restore', ['--no-owner', '--exit-on-error', `--dbname=${urlForLibpq(RESTORED_URL)}`, file]),
  );
  const rows = [...expected.counts.values()].reduce((sum, count) => sum + count, 0);
  const counted = `${rows.toLocaleString('en')} rows in ${expected.counts.size} tables`;
  await step('Are all rows and indexes there?', async (note) => {
    requireSame(expected, await contents(copy));
    note(counted);
  });
  await copy.query('UPDATE webhooks SET enabled = false');
  await copy.query('ANALYZE');
  const release = releaseIn('.', { DATABASE_URL: RESTORED_URL });
  await step('Is the schema that of this release?', async () => {
    const { code, output } = await release.ums('migrate', '--status');
    requireThat(code === 0, `Run the drill from a clone of the release that runs. ${output}`);
  });
  await step('Can the secrets of webhooks be read with the key?', async (note) =>
    note(await readSecrets(copy)),
  );

  const before = await lastNumbers(copy);
  const [organization] = await rowsOf(
    copy,
    `SELECT id FROM organizations WHERE NOT suspended AND NOT is_deleting
     ORDER BY (SELECT count(*) FROM users WHERE organization_id = organizations.id) DESC, id LIMIT 1`,
  );
  requireThat(organization, 'The database has no organization that is not suspended.');
  const [service, api] = await step('Start the service on the copy, with a new token', async () => {
    const options = ['--organization', organization.id, '--name', 'Restore drill', '--scopes', 'admin'];
    const { token } = await release.json('tokens', 'create', ...options);
    const started = await release.start();
    return [started, caller(started.url, token)];
  });
  await step(`Read what ${organization.id} had`, async (note) =>
    note(await readOld(copy, api, organization.id)),
  );
  await step('Write, search and restore', async (note) =>
    note(await writeNew(api, before.get(organization.id) ?? 0)),
  );
  await step('Do all feeds go on without a gap?', async (note) =>
    note(`${await requireNoGap(copy, before)} of them`),
  );
  await service.stop();
  return `${counted}; drop the copy, whose webhooks are disabled`;
});
