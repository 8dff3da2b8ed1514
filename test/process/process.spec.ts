/**
 * @slow it starts processes
 * @only embedded postgres: a process starts and stops the same way on a cluster
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createClient } from '../../client/index';
import { openDatabase } from '../../src/database/data-source';
import { readConfig } from '../../src/process/config';
import { schema } from '../../src/schema';
import { Client } from '../support/client';
import { copyOfTemplate, emptyDatabase, emptyDirectory, type TestDatabase } from '../support/database';
import { run, type Running, start, stop, ums } from '../support/process';

let database: TestDatabase | undefined;
const drop = async () => {
  await database?.drop();
  database = undefined;
};

/** Runs a command with `--json` and returns its parsed output. */
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await run([...args, '--json'], database!.env);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};

const valueIn = (text: string) => /umt_[0-9A-Za-z]{38}/.exec(text)?.[0];

const onDirectory = () => ({ DATA_DIR: database!.env.DATA_DIR, DATABASE_URL: '' });

describe('a first start on the embedded database', () => {
  beforeEach(async () => (database = await emptyDirectory()));
  afterEach(drop);

  it('prints its addresses, the organization and an admin token at any log level; a later start prints no token', async () => {
    const service = await start({ ...onDirectory(), LOG_LEVEL: 'fatal' });
    const token = valueIn(service.stdout())!;
    expect(service.stdout()).toMatch(
      /^User Management Service at (http:\/\/127\.0\.0\.1:\d+)\nDashboard: \1\/dashboard\nListening on 127\.0\.0\.1, which only this machine can reach; HOST=0\.0\.0\.0 opens it to others\nEmbedded database: (.*)\nOrganization: Default \(org_\w{26}\)\nAdmin token, shown only once: \S+\n$/,
    );
    expect(service.stdout()).toContain(`\nEmbedded database: ${database!.env.DATA_DIR}\n`);

    const user = await new Client(service.url, { value: token }).createUser();
    expect(await stop(service)).toBe(0);

    const again = await start(onDirectory());
    expect(again.stdout()).toContain('Organization: Default');
    expect(valueIn(again.stdout())).toBeUndefined();
    const api = new Client(again.url, { value: token });
    await api.get(`/api/v1/users/${user.id}`).expect(200, user);
    const { lastUsedAt } = (await api.get('/v1/tokens/current').expect(200)).body;
    expect(Date.parse(lastUsedAt)).toBeGreaterThan(Date.now() - 60_000);
    await stop(again);
  });

  it('can be killed while a client pages through a list; the client continues with its successor', async () => {
    const killed = await start(onDirectory());
    const { users } = createClient({
      baseUrl: killed.url,
      token: valueIn(killed.stdout())!,
      retryBudgetMs: 50_000,
    });
    for (const name of ['a', 'b', 'c', 'd']) await users.create({ name, email: `${name}@example.com` });

    const seen: string[] = [];
    let next: Promise<Running> | undefined;
    for await (const { name } of users.list({ sort: 'name', limit: 1 })) {
      seen.push(name);
      if (name !== 'b') continue;
      killed.process.kill('SIGKILL');
      await killed.exit;
      next = start({ ...onDirectory(), PORT: new URL(killed.url).port });
      await users.create({ name: 'e', email: 'e@example.com' });
    }

    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
    await stop(await next!);
  });

  it('does not create the token until a start can listen', async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const { port } = busy.address() as AddressInfo;
    const failed = await run(['start'], { ...onDirectory(), HOST: '127.0.0.1', PORT: String(port) });
    busy.close();
    expect(failed.code).toBe(1);
    expect(failed.stderr).toBe(
      `Port ${port} is in use by another process. Stop it, or set PORT to another port.\n`,
    );

    const service = await start(onDirectory());
    expect(valueIn(service.stdout())).toBeDefined();
    await stop(service);
  });

  it('prints the same as JSON with --json', async () => {
    const service = ums(['start', '--json'], {
      ...onDirectory(),
      PORT: '0',
      HOST: '0.0.0.0',
      LOG_LEVEL: 'fatal',
    });
    await once(service.process.stdout!, 'data');
    expect(JSON.parse(service.stdout())).toEqual({
      host: '0.0.0.0',
      dataDir: database!.env.DATA_DIR,
      url: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      dashboard: expect.stringMatching(/^http:\/\/localhost:\d+\/dashboard$/),
      organization: { id: expect.stringMatching(/^org_/), name: 'Default' },
      organizations: 1,
      token: expect.stringMatching(/^umt_/),
      admins: true,
    });
    service.process.kill('SIGINT');
    expect(await service.exit).toBe(0);
  });

  it('locks out a second process, but not the next one after a crash', async () => {
    const service = await start(onDirectory());

    const second = await run(['start'], { ...onDirectory(), PORT: '0' });
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toMatch(
      /^The embedded database in .* is in use by another process\. Stop that process first \(the service, if it is running\)\./,
    );
    const command = await run(['organizations', 'list'], onDirectory());
    expect(command).toEqual(second);

    service.process.kill('SIGKILL');
    await service.exit;
    expect(await stop(await start(onDirectory()))).toBe(0);
  });

  it('is refused in production unless DATABASE_URL selects it; then standard output is JSON without a token', async () => {
    const refused = await run(['start'], { ...onDirectory(), NODE_ENV: 'production' });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('DATABASE_URL must be set when NODE_ENV is production');

    const env = { ...onDirectory(), NODE_ENV: 'production', DATABASE_URL: 'embedded', LOG_LEVEL: 'error' };
    const service = await start(env, '--demo');
    await stop(service);
    const lines = service.stdout().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 30,
        time: expect.any(String),
        msg: expect.stringContaining(
          'There is no active admin token. Create one with: ums organizations create',
        ),
        url: service.url,
        dashboard: `${service.url}/dashboard`,
        host: '127.0.0.1',
        dataDir: database!.env.DATA_DIR,
        organizations: 0,
        admins: false,
      },
    ]);
  });
});

describe('a start while Redis is unreachable', () => {
  beforeEach(async () => (database = await emptyDirectory()));
  afterEach(drop);

  it('serves requests and logs the problem once, without the password', async () => {
    const service = await start({ ...onDirectory(), REDIS_URL: 'redis://ums:secret-secret@127.0.0.1:1' });
    const api = new Client(service.url, { value: valueIn(service.stdout())! });
    for (const remaining of ['999', '998']) {
      const { headers } = await api.get('/v1/tokens/current').expect(200);
      expect(headers['x-ratelimit-remaining']).toBe(remaining);
    }
    await stop(service);
    expect(service.stdout().match(/Redis is unreachable/g)).toHaveLength(1);
    expect(service.stdout() + service.stderr()).not.toContain('secret-secret');
  });
});

describe('the configuration', () => {
  it('stops the start with one message that lists every invalid variable', async () => {
    const invalid = {
      DATABASE_URL: 'mysql://localhost',
      REDIS_URL: 'redis://user:secret-secret@/people',
      DATABASE_POOL_SIZE: '0',
      PORT: '70000',
      HOST: 'not a host',
      BOOTSTRAP_ORGANIZATION: '  ',
      RATE_LIMIT_PER_MINUTE: 'many',
      MIGRATE_ON_START: 'yes',
      BOOTSTRAP_TOKEN: 'secret-secret',
      TRUST_PROXY: 'somebody',
      LOG_LEVEL: 'loud',
      SHUTDOWN_DRAIN_SECONDS: '-1',
    };
    const { code, stdout, stderr } = await run(['start'], invalid);

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const lines = stderr.trimEnd().split('\n');
    expect(lines[0]).toBe('Invalid configuration:');
    expect(lines.slice(1).map((line) => line.trim().split(' ')[0])).toEqual(
      expect.arrayContaining(Object.keys(invalid)),
    );
    expect(lines).toHaveLength(1 + Object.keys(invalid).length);
    expect(stderr).not.toContain('secret-secret');
  });

  it('stops the start with the address of a database that does not respond', async () => {
    const { code, stderr } = await run(['start'], { DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/ums' });
    expect(code).toBe(1);
    expect(stderr).toContain('127.0.0.1:1');
    expect(stderr).not.toContain('secret');
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('BOOTSTRAP_TOKEN', () => {
  beforeEach(async () => (database = await copyOfTemplate()));
  afterEach(drop);

  it('creates an organization and this admin token, never prints it, and does not restore it after a revocation', async () => {
    const BOOTSTRAP_TOKEN = (await run(['tokens', 'generate'], {})).stdout.trim();
    const env = { ...database!.env, BOOTSTRAP_TOKEN, BOOTSTRAP_ORGANIZATION: 'Example Inc.' };

    const service = await start({ ...env, LOG_LEVEL: 'trace' });
    const api = new Client(service.url, { value: BOOTSTRAP_TOKEN });
    const current = (await api.get('/v1/tokens/current').expect(200)).body;
    expect(current).toMatchObject({ scopes: ['admin'], state: 'active' });
    await api.delete(`/v1/tokens/${current.id}`).expect(204);
    await stop(service);

    const again = await start(env);
    expect(again.stdout()).toContain('Organization: Example Inc.');
    await new Client(again.url, { value: BOOTSTRAP_TOKEN }).get('/v1/tokens/current').expect(401);
    await stop(again);
    expect(service.stdout() + service.stderr() + again.stdout() + again.stderr()).not.toContain(
      BOOTSTRAP_TOKEN,
    );
  });
});

describe('ums', () => {
  beforeAll(async () => (database = await copyOfTemplate()));
  afterAll(drop);

  it('creates and lists organizations, and creates, lists and revokes tokens', async () => {
    const organization = await json('organizations', 'create', 'Example Inc.');
    expect(organization).toMatchObject({ id: expect.stringMatching(/^org_\w{26}$/), name: 'Example Inc.' });
    expect(await json('organizations', 'list')).toMatchObject([organization]);

    const scopes = 'users:read,users:write';
    const { token, ...record } = await json(
      ...[
        'tokens',
        'create',
        '--organization',
        organization.id,
        '--name',
        'CI',
        '--scopes',
        scopes,
        '--expires-in',
        '90d',
        '--rate-limit',
        '6000',
      ],
    );
    expect(token).toMatch(/^umt_[0-9A-Za-z]{38}$/);
    expect(record).toMatchObject({
      name: 'CI',
      scopes: scopes.split(','),
      state: 'active',
      expiresIn: '90d',
      rateLimit: 6000,
    });
    expect(await json('tokens', 'list', '--organization', organization.id)).toEqual([record]);

    const service = await start(database!.env);
    await new Client(service.url, { value: token }).get('/api/v1/users').expect(200);
    await stop(service);

    expect(await json('tokens', 'revoke', record.id)).toMatchObject({ id: record.id, state: 'revoked' });
    const { stdout } = await run(['tokens', 'list', '--organization', organization.id], database!.env);
    expect(stdout).toMatch(/^id .*state/);
    expect(stdout).toContain('revoked');
  });

  it('lists the groups of an organization by name', async () => {
    const [{ id }, other] = [
      await json('organizations', 'create', 'Grouped Inc.'),
      await json('organizations', 'create', 'Other Inc.'),
    ];
    const create = ['--organization', id, '--name', 'Directory', '--scopes', 'users:write'];
    const { token: value } = await json('tokens', 'create', ...create);
    const service = await start(database!.env);
    const api = new Client(service.url, { value });
    for (const displayName of ['Sales', 'engineering'])
      await api.post('/scim/v2/Groups', { displayName, externalId: `${displayName}-1` }).expect(201);
    await stop(service);

    expect(await json('groups', 'list', '--organization', id)).toEqual(
      ['engineering', 'Sales'].map((displayName) => ({
        id: expect.stringMatching(/^grp_\w{26}$/),
        displayName,
        externalId: `${displayName}-1`,
        memberCount: 0,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      })),
    );
    expect(await json('groups', 'list', '--organization', other.id)).toEqual([]);
    const { stdout } = await run(['groups', 'list', '--organization', id], database!.env);
    expect(stdout).toMatch(/^id .*displayName[^]*engineering[^]*Sales/);
    expect(await run(['groups', 'list', '--organization', 'org_x'], database!.env)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('organization'),
    });
  });

  it('restores and purges deleted users', async () => {
    const organization = await json('organizations', 'create', 'Example Inc.');
    const create = ['--organization', organization.id, '--name', 'CI', '--scopes', 'admin'];
    const { token: value } = await json('tokens', 'create', ...create);
    const onService = async <Result>(task: (api: Client) => Promise<Result>): Promise<Result> => {
      const service = await start(database!.env);
      return task(new Client(service.url, { value })).finally(() => stop(service));
    };
    const [user, doomed] = await onService(async (api) => {
      const users = [
        await api.createUser({ email: 'ada@example.com', metadata: { plan: 'pro' } }),
        await api.createUser(),
      ];
      for (const { id } of users) await api.delete(`/api/v1/users/${id}`).expect(204);
      await api.createUser({ email: 'ada@example.com' });
      return users;
    });

    const taken = await run(['users', 'restore', user.id], database!.env);
    expect(taken).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--email') });
    const { stdout } = await run(
      ['users', 'restore', user.id, '--organization', organization.id, '--email', 'b@example.com'],
      database!.env,
    );
    expect(stdout).toContain('email: b@example.com\n');
    expect(stdout).toContain('metadata: {"plan":"pro"}\n');
    const foreign = await run(['users', 'purge', doomed.id, '--organization', 'org_x'], database!.env);
    expect(foreign).toMatchObject({ code: 1, stderr: expect.stringContaining('no such deleted user') });
    expect(await json('users', 'purge', doomed.id)).toEqual({ purged: doomed.id });

    await onService(async (api) => {
      await api.get(`/api/v1/users/${user.id}`).expect(200);
      await api.get(`/api/v1/deleted-users/${doomed.id}`).expect(404);
      const { body } = await api.get('/api/v1/events?order=desc&limit=2').expect(200);
      const actor = (name: string) => ({ type: 'system', id: null, name });
      expect(body.data).toMatchObject([
        { type: 'user.purged', source: 'cli', actor: actor('ums users purge'), data: null },
        { type: 'user.restored', source: 'cli', actor: actor('ums users restore') },
      ]);
    });
  });

  it('generates a value for BOOTSTRAP_TOKEN without a database', async () => {
    const { stdout } = await run(['tokens', 'generate', '--json'], {
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
    });
    expect(JSON.parse(stdout)).toEqual({ token: expect.stringMatching(/^umt_[0-9A-Za-z]{38}$/) });
  });

  it.each([
    [['organizations', 'create', ' '], 'name must not be empty'],
    [
      ['tokens', 'create', '--organization', 'org_x', '--name', 'CI', '--scopes', 'root'],
      'scopes must be a list of',
    ],
    [
      ['tokens', 'create', '--organization', 'org_x', '--name', 'CI', '--scopes', 'admin'],
      'no such organization',
    ],
    [['tokens', 'create', '--name', 'CI'], '--organization'],
    [
      [
        'tokens',
        'create',
        '--organization',
        'org_x',
        '--name',
        'CI',
        '--scopes',
        'admin',
        '--expires-in',
        '',
      ],
      'expiresIn must be a number of days',
    ],
    [['tokens', 'list', '--organization', 'org_x'], 'no such organization'],
    [['tokens', 'revoke', 'tok_x'], 'no such token'],
    [['users', 'restore', 'usr_x'], 'no such deleted user'],
    [['users', 'restore', 'usr_x', '--email', 'nobody'], 'email must be'],
    [['users', 'purge', 'usr_x'], 'no such deleted user'],
    [['frobnicate'], 'unknown command'],
  ])('refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await run(args, database!.env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('ums migrate', () => {
  beforeEach(async () => (database = await emptyDatabase()));
  afterEach(drop);

  it('lists pending migrations, runs them, and then reports none', async () => {
    expect(await run(['migrate', '--status', '--json'], database!.env)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('CreateUsers'),
    });
    expect((await json('migrate')).migrated).not.toEqual([]);
    expect(await run(['migrate', '--status'], database!.env)).toMatchObject({
      code: 0,
      stdout: 'The schema is up to date.\n',
    });
    expect((await json('migrate')).migrated).toEqual([]);
  });

  /** Changes the records of a migrated database. */
  async function change(sql: string): Promise<void> {
    const config = { ...readConfig(database!.env), migrate: true };
    const { dataSource, close } = await openDatabase(config, schema);
    await dataSource.query(sql);
    await close();
  }

  it('refuses the tables of a version that was never released, as every other command does', async () => {
    await change(`UPDATE ums_migrations SET name = 'CreateTables1763600000000'`);
    for (const [command, MIGRATE_ON_START] of [
      ['migrate', 'true'],
      ['start', 'true'],
      ['start', 'false'],
      ['tokens list', 'true'],
    ]) {
      const env = { ...database!.env, PORT: '0', HOST: '127.0.0.1', MIGRATE_ON_START };
      const args = command === 'tokens list' ? ['tokens', 'list', '--organization', 'org_x'] : [command];
      expect(await run(args, env)).toEqual({
        code: 1,
        stdout: '',
        stderr:
          'The tables are those of a version that was never released, and cannot be migrated: use an empty database or schema, or delete the data directory of the embedded database.\n',
      });
    }
  });

  it('accepts a schema that a newer release has migrated', async () => {
    await change(
      `INSERT INTO ums_migrations (timestamp, name) VALUES (2000000000000, 'AddMore2000000000000')`,
    );
    expect((await json('migrate')).migrated).toEqual([]);
    const service = await start(database!.env);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await stop(service);
  });
});
