// The upgrade drill: the release before and this one, side by side on one database, and back. The former release is the
// commit of --from <ref>; by default, the one before the newest migration. It is built in a temporary folder. The
// database is one of the server in TEST_DATABASE_URL, otherwise of a temporary cluster of an installed PostgreSQL.
import { readdirSync, readFileSync, symlinkSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startPostgres } from '../postgres.mjs';
import { buildIfStale } from '../stale.mjs';
import { atEnd, caller, drill, execute, releaseIn, requireThat, step, succeed } from './drill.mjs';

const { from } = parseArgs({ options: { from: { type: 'string' } } }).values;

/** How many users each release creates while both serve. */
const USERS = 100;

/** The commit of the former release. */
async function formerCommit() {
  const migration = readdirSync('migrations')
    .filter((name) => /^\d/.test(name))
    .sort()
    .at(-1);
  const added = ['log', '--diff-filter=A', '--max-count=1', '--format=%H', '--', `migrations/${migration}`];
  const ref = from ?? `${(await succeed('git', added)).trim()}^`;
  const { code, stdout } = await execute('git', ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
  const advice = from ? 'Fetch it.' : 'Run git fetch --unshallow, or name a release with --from.';
  requireThat(code === 0, `This clone does not have the commit ${ref}. ${advice}`);
  return stdout.trim();
}

async function build(commit, folder) {
  const cwd = join(folder, 'former');
  mkdirSync(cwd);
  const archive = join(folder, 'former.tar');
  await succeed('git', ['archive', `--output=${archive}`, commit]);
  await succeed('tar', ['-xf', archive, '-C', cwd]);
  const hasSamePackages =
    readFileSync(join(cwd, 'package-lock.json'), 'utf8') === readFileSync('package-lock.json', 'utf8');
  if (hasSamePackages) symlinkSync(resolve('node_modules'), join(cwd, 'node_modules'));
  else
    await succeed('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], { cwd });
  await succeed('npm', ['run', '--silent', 'build'], { cwd });
  return cwd;
}

async function createDatabase(folder) {
  const server = await startPostgres(folder);
  atEnd(() => server.stop());
  const name = `ums_drill_${process.pid}`;
  const url = await server.createDatabase(name);
  atEnd(async () => {
    const client = new pg.Client(server.url);
    await client.connect();
    await client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await client.end();
  });
  return url;
}

let count = 0;
const aUser = () => ({ name: 'Ada Lovelace', email: `user-${++count}@example.com` });

/** Writes until the work is done, and returns how often. */
async function writeDuring(api, work) {
  let isOver = false;
  let writes = 0;
  const done = work().finally(() => (isOver = true));
  done.catch(() => {}); // a write may fail first
  while (!isOver) {
    await api.post('/api/v1/users', aUser());
    writes++;
  }
  await done;
  return writes;
}

/** One creates what the other one reads, changes and deletes. */
async function shareUser(one, other) {
  const user = await one.post('/api/v1/users', aUser());
  const path = `/api/v1/users/${user.id}`;
  requireThat((await other.get(path)).email === user.email, 'A user has another email at the other release.');
  const found = await other.get(`/api/v1/users/search?q=${user.email}`);
  requireThat(found.data.length === 1, 'A search of the other release does not find a new user.');
  await other.patch(path, { name: 'Grace Hopper' });
  requireThat((await one.get(path)).name === 'Grace Hopper', 'A change of the other release is not seen.');
  await other.delete(path);
  await one.get(path, 404);
  await one.post(`/api/v1/deleted-users/${user.id}/restore`, undefined, 200);
  requireThat((await other.get(path)).name === 'Grace Hopper', 'A restored user is not seen.');
}

/** What one has created works at both, until the other one revokes it. */
async function shareToken(one, other) {
  const { id, token } = await one.post('/v1/tokens', { name: 'Upgrade drill', scopes: ['users:read'] });
  const callers = [one, other].map(({ url }) => caller(url, token));
  for (const api of callers) await api.get('/v1/tokens/current');
  await other.delete(`/v1/tokens/${id}`);
  for (const api of callers) await api.get('/v1/tokens/current', 401);
}

async function share(one, other) {
  await shareUser(one, other);
  await shareToken(one, other);
}

/** Reads all events, each page at the next of the services: the numbers are 1, 2, 3, … */
async function readFeed(...apis) {
  const events = [];
  let cursor;
  do {
    const api = apis[events.length % apis.length];
    const after = cursor === undefined ? '' : `&cursor=${cursor}`;
    const page = await api.get(`/api/v1/events?order=asc&limit=97${after}`); // odd, so that the services take turns
    events.push(...page.data);
    cursor = page.data.length === 97 ? page.nextCursor : undefined;
  } while (cursor);
  const wrong = events.find(({ sequence }, i) => sequence !== i + 1);
  requireThat(!wrong, `The numbers of events have a gap before ${wrong?.sequence}.`);
  return events.map(({ id, sequence, type }) => `${sequence} ${id} ${type}`);
}

await drill('upgrade', async (folder) => {
  const commit = await formerCommit();
  buildIfStale();
  const cwd = await step(`Build the former release, ${commit.slice(0, 10)}`, () => build(commit, folder));
  // The drill writes with one token as long as the migration takes.
  const env = { DATABASE_URL: await createDatabase(folder), RATE_LIMIT_PER_MINUTE: '1000000' };
  const [former, present] = [releaseIn(cwd, env), releaseIn('.', env)];

  let api;
  const start = async (release) => {
    const service = await release.start();
    return { ...service, ...caller(service.url, api.token) };
  };
  let old;
  await step('Start the former release, with 200 users', async () => {
    await former.json('migrate');
    const { id } = await former.json('organizations', 'create', 'Upgrade drill');
    await former.json('seed', '--users', '200');
    const options = ['--name', 'Upgrade drill', '--scopes', 'admin', '--rate-limit', '100000'];
    api = await former.json('tokens', 'create', '--organization', id, ...options);
    old = await start(former);
  });
  await step('Migrate while it serves', async (note) => {
    const { pending } = JSON.parse((await present.ums('migrate', '--status', '--json')).stdout);
    const writes = await writeDuring(old, () => present.json('migrate'));
    note(`pending: ${pending.join(', ') || 'none'}; ${writes} writes`);
  });
  let fresh = await step('Start this release beside it', () => start(present));
  await step('What one writes, the other one reads, changes, deletes and revokes', async () => {
    await share(old, fresh);
    await share(fresh, old);
  });
  const events = await step('Write through both at once, and read one feed', async () => {
    for (let i = 0; i < USERS; i++)
      await Promise.all([old, fresh].map((service) => service.post('/api/v1/users', aUser())));
    const feeds = [await readFeed(old), await readFeed(fresh), await readFeed(old, fresh)];
    requireThat(new Set(feeds.map(String)).size === 1, 'The two releases show different events.');
    return feeds[0];
  });
  await step('Roll back: the former release starts on the newer schema', async () => {
    await fresh.stop();
    await old.stop();
    old = await start(former);
    await share(old, old);
  });
  const all = await step('Upgrade again', async () => {
    fresh = await start(present);
    await old.stop();
    await share(fresh, fresh);
    const feed = await readFeed(fresh);
    requireThat(String(feed.slice(0, events.length)) === String(events), 'The feed has lost events.');
    return feed;
  });
  await fresh.stop();
  return `${all.length} events in one sequence`;
});
