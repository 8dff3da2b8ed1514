// `ums distribute`, and `ums migrate` on a distributed database.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { EntitySchema, getMetadataArgsStorage } from 'typeorm';
import { databaseUrl, startCitus } from '../../scripts/citus.mjs';
import { until } from '../faults/load.mjs';
import { ums } from '../faults/replicas.mjs';
import { newDirectory } from '../faults/run.mjs';
import { breakable } from '../faults/servers.mjs';

const require = createRequire(import.meta.url);
const {
  UNLIMITED,
  migrateDatabase,
  openDatabase,
} = require('../../dist/src/platform/database/data-source.js');
const { distribute } = require('../../dist/src/platform/database/migrate.js');
const byRule = require('../../dist/src/platform/database/citus/placements.js');
const { schema } = require('../../dist/src/schema.js');

const TABLES = { users: 5_000, user_search: 5_000, organizations: 20, tokens: 1, events: 1 };

const cluster = await startCitus(newDirectory());
const coordinator = breakable(cluster.nodes[0]);
after(cluster.stop);

const query = (url, sql, values) => coordinator.query(sql, values, url);

/** Runs a command on the database; returns its exit code and what it prints. Meanwhile `said()` is its errors. */
function run(DATABASE_URL, ...args) {
  const running = ums({ DATABASE_URL }, ...args);
  let errors = '';
  running.child.stderr.on('data', (chunk) => (errors += chunk));
  const ended = running.then((printed) => ({ code: 0, ...printed })).catch((failed) => failed);
  return Object.assign(ended, { child: running.child, said: () => errors });
}

let databases = 0;
/** A migrated database that is not distributed. */
async function newDatabase() {
  const url = await cluster.createDatabase(`ums_${databases++}`);
  assert.equal((await run(url, 'migrate')).code, 0);
  return url;
}
const PLACEMENTS = await readPlacements();

async function readPlacements() {
  const config = { databaseUrl: await cluster.createDatabase('placements'), poolSize: 1, migrate: false };
  const { dataSource, close } = await openDatabase(config, schema);
  await close();
  return byRule.placementsOf(dataSource);
}

/** A migrated database that is filled. */
async function newFilled() {
  const url = await newDatabase();
  await fill(url);
  return url;
}

async function fill(url) {
  for (const sql of [
    `INSERT INTO organizations (id, name) SELECT 'org_' || n, 'Test' FROM generate_series(1, 20) AS n`,
    `INSERT INTO tokens (id, organization_id, name, hash, hint, scopes) VALUES ('tok_1', 'org_1', 'Test', '\\x00', '', '{admin}')`,
    `INSERT INTO users (organization_id, id, name, name_key, email, email_key, role, metadata)
     SELECT 'org_' || 1 + n % 20, 'usr_' || n, 'Ada', 'ada', n || '@example.com', n || '@example.com', 'member', '{}'
     FROM generate_series(1, ${TABLES.users}) AS n`,
    `INSERT INTO user_search SELECT organization_id, id, name_key, name, 'ada' FROM users`,
    `INSERT INTO events (organization_id, id, type, source, actor_name, target_id)
     VALUES ('org_1', 'evt_1', 'user.created', 'api', 'Test', 'usr_1')`,
  ])
    await query(url, sql);
}

async function rowsOf(url) {
  const counts = Object.keys(TABLES).map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`);
  return (await query(url, `SELECT ${counts}`))[0];
}

/** What Citus knows of the tables of a schema. */
async function placementsOf(url, name = 'public') {
  const rows = await query(
    url,
    `SELECT relname AS table, citus_table_type AS placement FROM citus_tables JOIN pg_class ON pg_class.oid = table_name
     WHERE relnamespace = to_regnamespace(quote_ident($1)) ORDER BY 1`,
    [name],
  );
  return Object.fromEntries(rows.map(({ table, placement }) => [table, placement]));
}

/** Citus lists a local table only if a foreign key leads from it to a reference table. */
const SORTED = Object.fromEntries(
  Object.entries(PLACEMENTS)
    .filter(([table, placement]) => placement !== 'local' || table === 'tokens')
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);

test('an empty database is distributed once, also by two at once, and another time says that it is', async () => {
  const url = await newDatabase();

  const both = await Promise.all([run(url, 'distribute'), run(url, 'distribute')]);
  const said = both.map(({ code, stdout }) => `${code} ${stdout.split(' ')[0]}`);
  assert.deepEqual(said.sort(), ['0 Distributed', '0 The']);
  const { stdout, stderr } = both.find((one) => one.stdout.startsWith('Distributed'));
  assert.match(stdout, /^Distributed over \S+, \S+ in [\d.]+ s\.\n$/);
  assert.match(stderr, /\d+\/\d+ distribute users by organization \(0 rows\)\n/);
  assert.deepEqual(await placementsOf(url), SORTED);
  const columns = await query(
    url,
    `SELECT distribution_column AS column FROM citus_tables WHERE citus_table_type = 'distributed' GROUP BY 1, colocation_id`,
  );
  assert.deepEqual(columns, [{ column: 'organization_id' }], 'all in one group');

  const again = await run(url, 'distribute');
  assert.deepEqual([again.code, again.stderr], [0, '']);
  assert.match(again.stdout, /^The database is already distributed over /);
  const json = JSON.parse((await run(url, 'distribute', '--json')).stdout);
  assert.deepEqual(json, { done: [], nodes: cluster.nodes.slice(1).map(({ port }) => `127.0.0.1:${port}`) });
});

test('a dry run prints the steps and changes nothing', async () => {
  const url = await newFilled();

  const { code, stdout, stderr } = await run(url, 'distribute', '--dry-run');
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^Would distribute over /);
  assert.match(stdout, /distribute users by organization \(5,000 rows\)/);
  const { planned } = JSON.parse((await run(url, 'distribute', '--dry-run', '--json')).stdout);
  const ofUsers = planned.filter(({ does }) => does.startsWith('distribute users'));
  const sql = `SELECT create_distributed_table('users', 'organization_id')`;
  assert.deepEqual(ofUsers, [{ does: 'distribute users by organization', sql, rows: TABLES.users }]);
  assert.deepEqual(await placementsOf(url), {});
});

test('a filled database keeps every row, and the coordinator none of those that it has distributed', async () => {
  const url = await newFilled();

  assert.equal((await run(url, 'distribute')).code, 0);
  assert.deepEqual(await placementsOf(url), SORTED);
  assert.deepEqual(await rowsOf(url), TABLES);
  const left = await query(
    url,
    `SELECT relname FROM pg_class WHERE relname = ANY ($1) AND relkind = 'r' AND pg_relation_size(oid) > 0`,
    [Object.keys(PLACEMENTS)],
  );
  assert.deepEqual(left, []);
  const unlogged = `SELECT relname FROM pg_class WHERE relkind = 'r' AND relpersistence = 'u'`;
  assert.deepEqual(await query(url, unlogged), []);

  await query(url, `DELETE FROM users WHERE organization_id = 'org_1' AND id = 'usr_20'`);
  assert.equal((await rowsOf(url)).user_search, TABLES.users - 1, 'the foreign key is there again');
});

test('a request that does not end keeps it from starting, not from ending', async () => {
  const url = await newDatabase();
  const release = await coordinator.hold('LOCK TABLE rate_limit_windows IN ROW EXCLUSIVE MODE', [], url);
  const distributing = run(url, 'distribute');
  const waiting = `SELECT FROM pg_locks WHERE relation = 'rate_limit_windows'::regclass AND NOT granted`;
  await until(async () => (await query(url, waiting)).length > 0);
  assert.equal(distributing.said(), '');
  await release();
  assert.equal((await distributing).code, 0);
});

test('what is killed in the middle has changed nothing, and can run again', async () => {
  const url = await newFilled();

  const killed = run(url, 'distribute');
  while (!killed.said().includes('distribute user_search')) await sleep(5);
  killed.child.kill('SIGKILL');
  await killed;
  // PostgreSQL notices only when the statement is done, and the next run waits for that.
  const { code, stderr } = await run(url, 'distribute');
  assert.deepEqual([code, /distribute users by organization/.test(stderr)], [0, true]);
  assert.deepEqual(await placementsOf(url), SORTED);
  assert.deepEqual(await rowsOf(url), TABLES);
});

const Note = new EntitySchema({
  name: 'Note',
  tableName: 'notes',
  columns: {
    organizationId: { name: 'organization_id', type: 'text', primary: true },
    userId: { name: 'user_id', type: 'text', primary: true },
  },
});

test('a migration of a distributed database distributes what it adds, and the next one can refer to it', async () => {
  const url = await newDatabase();
  assert.equal((await run(url, 'distribute')).code, 0);

  class AddNotes2000000000000 {
    name = 'AddNotes2000000000000';
    up = (runner) =>
      runner.query(
        `CREATE TABLE notes (organization_id text COLLATE "C" NOT NULL REFERENCES organizations (id), user_id text COLLATE "C" NOT NULL, PRIMARY KEY (organization_id, user_id))`,
      );
  }
  class ReferToUsers2000000000001 {
    name = 'ReferToUsers2000000000001';
    up = (runner) =>
      runner.query(
        `ALTER TABLE notes ADD CONSTRAINT notes_user FOREIGN KEY (organization_id, user_id) REFERENCES users (organization_id, id)`,
      );
  }
  const config = { databaseUrl: url, poolSize: 1, migrate: true };
  const migrations = [...schema.migrations, AddNotes2000000000000, ReferToUsers2000000000001];
  const entities = [...schema.entities, Note];
  await (await openDatabase(config, { ...schema, entities, migrations }, UNLIMITED)).close();
  assert.deepEqual(await placementsOf(url), { ...(await placementsOf(url)), notes: 'distributed' });
  const keys = `SELECT FROM pg_constraint WHERE conrelid = 'notes'::regclass AND contype = 'f'`;
  assert.equal((await query(url, keys)).length, 2);
});

test('a distributed database of the first release is migrated, also where a migration changes users and adds a table', async () => {
  const url = await cluster.createDatabase(`ums_${databases++}`);
  const config = { databaseUrl: url, poolSize: 1, migrate: true };
  const migrations = schema.migrations.slice(0, 6);
  await migrateDatabase(config, { ...schema, migrations });
  const tables = await query(url, `SELECT relname FROM pg_class WHERE relkind = 'r'`);
  const nameOf = (entity) => getMetadataArgsStorage().tables.find(({ target }) => target === entity).name;
  const entities = schema.entities.filter((entity) =>
    tables.some(({ relname }) => relname === nameOf(entity)),
  );
  const { dataSource, close } = await openDatabase(config, { ...schema, entities, migrations }, UNLIMITED);
  await distribute(dataSource);
  await close();
  await fill(url);

  const last = schema.migrations.findIndex(({ name }) => name === 'IndexUserNames1764200000011');
  await migrateDatabase(config, { ...schema, migrations: schema.migrations.slice(0, last + 1) });
  assert.equal((await placementsOf(url)).scim_users, 'distributed');
  assert.deepEqual(await rowsOf(url), TABLES);
  const [{ active }] = await query(url, 'SELECT count(*)::int AS active FROM users WHERE active');
  assert.equal(active, TABLES.users);
});

test('the tables of a host application are distributed in their schema, and others left alone', async () => {
  const url = await newDatabase();
  const config = { databaseUrl: url, poolSize: 1 };
  await migrateDatabase(config, { ...schema, schema: 'of a host' });

  const { code, stderr } = await run(url, 'distribute', '--schema', 'of a host');
  assert.equal(code, 0, stderr);
  assert.deepEqual(await placementsOf(url, 'of a host'), SORTED);
  assert.deepEqual(await placementsOf(url), {});
  // The migrations of another instance find a distributed database, and do not take its tables for theirs.
  await migrateDatabase(config, { ...schema, schema: 'another' });
  assert.deepEqual(await placementsOf(url, 'another'), {});
});

test('says what to do where it cannot distribute', async () => {
  const refused = async (url, message, ...args) => {
    const { code, stdout, stderr } = await run(url, 'distribute', ...args);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, message);
  };
  await refused('', /^The embedded database cannot be distributed\. Set DATABASE_URL /);

  await query(cluster.url, 'CREATE DATABASE without_citus');
  const withoutCitus = databaseUrl(cluster.url, 'without_citus');
  await run(withoutCitus, 'migrate');
  await refused(withoutCitus, /^The database has no Citus\. Start every node with /);

  await query(withoutCitus, 'CREATE EXTENSION citus');
  await refused(withoutCitus, /^The cluster has no worker\. Run for each: SELECT citus_add_node/);

  const url = await newDatabase();
  const worker = databaseUrl(cluster.workerUrls[0], new URL(url).pathname.slice(1));
  await refused(worker, /^This is a worker of the cluster\. Set DATABASE_URL to the coordinator, 127/);

  await query(
    url,
    `CREATE TABLE badges (organization_id text COLLATE "C", user_id text COLLATE "C", FOREIGN KEY (organization_id, user_id) REFERENCES users)`,
  );
  await refused(
    url,
    /^The foreign key \w+ of badges refers to users, which a cluster cannot check\. Run: ALTER /,
  );
  assert.deepEqual(await placementsOf(url), {});
  await query(url, 'DROP TABLE badges');

  await query(url, `SELECT create_reference_table('tokens')`);
  await refused(
    url,
    /^tokens is a reference table.* Run: SELECT undistribute_table\('tokens', cascade_via_foreign_keys => true\);/,
  );
  await query(url, `SELECT undistribute_table('tokens', cascade_via_foreign_keys => true)`);
  assert.equal((await run(url, 'distribute')).code, 0);
  assert.deepEqual(await placementsOf(url), SORTED);
});
