/**
 * @slow it starts processes
 * @only postgres: pg_dump copies one database, and a migration is the same on a cluster
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { newTokenValue } from '../../src/tokens/token/token-value';
import { Client } from '../support/client';
import { copyOfTemplate, directUrl, emptyDatabase, type TestDatabase } from '../support/database';
import { killLeft, type Running, start, stop } from '../support/process';
import { createWebhook } from '../support/webhooks';

const [KEY, OTHER_KEY] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));

interface Outcome {
  code: unknown;
  output: string;
}

const drill = (name: string, env: NodeJS.ProcessEnv): Promise<Outcome> =>
  new Promise((done) =>
    execFile(
      process.execPath,
      [`scripts/drills/${name}.mjs`],
      { env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: process.env.TMPDIR, ...env } },
      (error, stdout, stderr) => done({ code: error ? error.code : 0, output: stdout + stderr }),
    ),
  );

const ALL = ['pg_dump', 'pg_restore', 'psql'];
const missing = ALL.filter((tool) => spawnSync(tool, ['--version']).status !== 0);
if (missing.length > 0)
  process.stderr.write(`Not installed: ${missing.join(', ')}. Not tested: the restore drill\n`);

(missing.length > 0 ? describe.skip : describe)('the restore drill', () => {
  const BOOTSTRAP_TOKEN = newTokenValue();
  let directory: string;
  let source: TestDatabase;
  let service: Running;
  let api: Client;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ums-drills-'));
    source = await copyOfTemplate();
    const RATE_LIMIT_PER_MINUTE = '1000000'; // writes go on as long as a drill takes
    const env = { BOOTSTRAP_TOKEN, WEBHOOK_ENCRYPTION_KEY: KEY, RATE_LIMIT_PER_MINUTE };
    service = await start({ ...source.env, ...env });
    api = new Client(service.url, { value: BOOTSTRAP_TOKEN });
    const members = [await api.createUser(), await api.createUser()].map(({ id }) => ({ value: id }));
    await api.post('/scim/v2/Groups', { displayName: 'Engineering', members }).expect(201);
    await api.delete(`/api/v1/users/${(await api.createUser()).id}`).expect(204);
    // Its receiver is at an address that nothing is sent to, so its deliveries stay pending.
    await createWebhook(api, { url: 'https://127.0.0.1/hook', types: ['*'] });
    await api.createUser();
    await api.get('/api/v1/events').expect(200); // numbers what is there
    await api.createUser();
  });
  afterAll(async () => {
    await stop(service);
    await source.drop();
    rmSync(directory, { recursive: true });
  });
  afterAll(killLeft);

  /** Runs the drill into a new database, and then what looks at it. */
  async function restore(
    env: NodeJS.ProcessEnv,
    look: (outcome: Outcome, copy: TestDatabase) => Promise<void>,
  ): Promise<void> {
    const copy = await emptyDatabase();
    try {
      const urls = { DATABASE_URL: directUrl(source), RESTORED_URL: directUrl(copy) };
      await look(await drill('restore', { ...urls, WEBHOOK_ENCRYPTION_KEY: KEY, ...env }), copy);
    } finally {
      await copy.drop();
    }
  }

  const query = async (database: TestDatabase, sql: string) => {
    const client = new pg.Client(directUrl(database));
    await client.connect();
    return (await client.query(sql).finally(() => client.end())).rows;
  };

  /** A folder with a program of this name that runs what is given, for the beginning of the PATH. */
  function withProgram(name: string, script: string): { PATH: string } {
    const folder = mkdtempSync(join(directory, 'programs-'));
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return { PATH: `${folder}${delimiter}${process.env.PATH}` };
  }

  it('finds everything in the copy of a database that is written meanwhile', async () => {
    let isOver = false;
    const writing = (async () => {
      while (!isOver) await api.createUser();
    })();
    // The parameter is for the driver: PostgreSQL's programs would refuse it.
    const url = new URL(directUrl(source));
    url.searchParams.set('uselibpqcompat', 'true');
    await restore({ DATABASE_URL: url.href }, async ({ code, output }, copy) => {
      isOver = true;
      await writing;
      expect({ code, output }).toEqual({
        code: 0,
        output: expect.stringMatching(
          /\nThe restore drill has passed in [\d.]+ s: [\d,]+ rows in \d+ tables; .+\.\n$/,
        ),
      });
      expect(output).toMatch(/ … user, group, event, deleted user, [\d.]+ s\n/);
      expect(output).toMatch(/ with the key\? … 1 read, [\d.]+ s\n/);
      // Nothing is delivered from the copy, and nothing has changed at the source.
      expect(await query(copy, 'SELECT enabled FROM webhooks')).toEqual([{ enabled: false }]);
      expect(await query(source, 'SELECT enabled FROM webhooks')).toEqual([{ enabled: true }]);
      expect(await query(source, `SELECT FROM tokens WHERE name <> 'Bootstrap'`)).toEqual([]);
      // An old token works in the copy.
      const restored = await start(copy.env);
      await new Client(restored.url, { value: BOOTSTRAP_TOKEN }).get('/v1/tokens/current').expect(200);
      await stop(restored);
    });
  });

  it('refuses the database itself, one that is not empty, and programs that are missing or old', async () => {
    const other = await copyOfTemplate();
    const itself = new URL(directUrl(source));
    itself.searchParams.set('application_name', 'another URL of it');
    mkdirSync(join(directory, 'empty'));
    const refusals = [
      [
        { RESTORED_URL: itself.href },
        'RESTORED_URL is the database DATABASE_URL itself. Create an empty one.',
      ],
      [
        { RESTORED_URL: directUrl(other) },
        'The database RESTORED_URL is not empty. Create one for the drill.',
      ],
      [{ DATABASE_URL: 'embedded' }, 'DATABASE_URL must be a postgres:// URL.'],
      [{ RESTORED_URL: '' }, 'Set DATABASE_URL to the database, and RESTORED_URL to an empty one.'],
      [
        { PATH: join(directory, 'empty') },
        /^pg_dump is not installed\. Install PostgreSQL \d+'s client programs\.$/,
      ],
      [
        withProgram('pg_restore', 'echo "pg_restore (PostgreSQL) 9.6.24"'),
        /^pg_restore is of PostgreSQL 9, older than the server's \d+\. Install that of \d+ or newer\.$/,
      ],
    ] as const;
    for (const [env, sentence] of refusals)
      await restore(env, async ({ code, output }, copy) => {
        const [, said] = /The restore drill has failed: (.+)\n$/.exec(output) ?? [];
        expect({ env, code, said, output }).toMatchObject({
          code: 1,
          said: typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
        });
        expect(await query(copy, `SELECT FROM pg_tables WHERE schemaname = 'public'`)).toEqual([]);
      });
    await other.drop();
  });

  it('notices what the copy lacks', async () => {
    const damages = {
      'DELETE FROM group_members WHERE user_id = (SELECT min(user_id) FROM group_members)':
        'The copy is not complete: public.group_members has 1 rows instead of 2.',
      'DROP TABLE webhook_replays':
        'The copy is not complete: public.webhook_replays has no rows instead of 0.',
      'DROP INDEX user_search_organization_id_text_idx':
        'The copy lacks indexes: user_search_organization_id_text_idx.',
      'UPDATE event_heads SET sequence = sequence - 1':
        /^New events of org_\w+ would have numbers that are taken\.$/,
    };
    for (const [sql, sentence] of Object.entries(damages)) {
      // The last argument but one is --dbname=<URL>.
      const script = `PATH='${process.env.PATH}'\npg_restore "$@" || exit\n[ "$1" = --version ] || psql --quiet --command="${sql}" "\${3#--dbname=}"`;
      await restore(withProgram('pg_restore', script), async ({ code, output }) => {
        const [, said] = /The restore drill has failed: (.+)\n$/.exec(output) ?? [];
        expect({ sql, code, said, output }).toMatchObject({
          code: 1,
          said: typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
        });
      });
    }
    const keys = {
      '': /: set WEBHOOK_ENCRYPTION_KEY from where you keep it for a restore\.\n$/,
      [OTHER_KEY]: / is encrypted with the key \w+, which is not in WEBHOOK_ENCRYPTION_KEY\.\n$/,
    };
    for (const [key, sentence] of Object.entries(keys))
      await restore({ WEBHOOK_ENCRYPTION_KEY: key }, async ({ code, output }) => {
        expect({ code, output }).toEqual({ code: 1, output: expect.stringMatching(sentence) });
      });
  });
});

const git = spawnSync('git', ['rev-parse', '--is-shallow-repository'], { encoding: 'utf8' });
const hasHistory = git.stdout?.trim() === 'false';
if (!hasHistory)
  process.stderr.write('The tests of the upgrade drill are skipped: this is no clone with its history.\n');

(hasHistory ? it : it.skip)('the upgrade drill runs two releases side by side, and goes back', async () => {
  const { code, output } = await drill('upgrade', { TEST_DATABASE_URL: process.env.UMS_TEST_SERVER });
  expect({ code, output }).toEqual({
    code: 0,
    output: expect.stringMatching(
      /\nThe upgrade drill has passed in [\d.]+ s: \d+ events in one sequence\.\n$/,
    ),
  });
  expect(output).toMatch(/pending: \w+\d+.*; [1-9]\d* writes/); // the schemas differ
});
