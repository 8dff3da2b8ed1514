/**
 * @slow it starts processes
 * @only embedded postgres: a command runs the same way on a cluster
 */
import { readConfig } from '../../src/entry/process/config';
import { openDatabase } from '../../src/platform/database/data-source';
import { schema } from '../../src/schema';
import { Client } from '../support/client';
import { copyOfTemplate, emptyDatabase, type TestDatabase } from '../support/database';
import { run, start, stop } from '../support/process';

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

  it('accepts a schema that a newer release has migrated', async () => {
    const config = { ...readConfig(database!.env), migrate: true };
    const { dataSource, close } = await openDatabase(config, schema);
    await dataSource.query(
      `INSERT INTO ums_migrations (timestamp, name) VALUES (2000000000000, 'AddMore2000000000000')`,
    );
    await close();
    expect((await json('migrate')).migrated).toEqual([]);
    const service = await start(database!.env);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await stop(service);
  });
});
