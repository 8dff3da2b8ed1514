/**
 * @slow it starts processes
 * @only embedded postgres: a process starts and stops the same way on a cluster
 */
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../client/index';
import { Client } from '../support/client';
import { copyOfTemplate, emptyDirectory, type TestDatabase } from '../support/database';
import { run, type Running, start, stop, ums } from '../support/process';
import { connectTo } from '../support/socket';

/** How many connections the system lets wait for a process. */
const SOMAXCONN = '/proc/sys/net/core/somaxconn';
/** More than wait by Node's default, and few enough for a limit of 1,024 files. */
const BURST = 700;

let database: TestDatabase | undefined;
const drop = async () => {
  await database?.drop();
  database = undefined;
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

  const room = existsSync(SOMAXCONN) ? Number(readFileSync(SOMAXCONN, 'utf8')) : 0;
  if (room < BURST)
    process.stderr.write(`A burst of connections is not tested: the system lets fewer than ${BURST} wait.\n`);
  (room < BURST ? it.skip : it)('keeps a burst of connections waiting while it is busy', async () => {
    const service = await start(onDirectory());
    try {
      service.process.kill('SIGSTOP');
      const sockets = await Promise.all(Array.from({ length: BURST }, () => connectTo(service.url)));
      service.process.kill('SIGCONT');
      for (const socket of sockets) socket.destroy();
      expect((await fetch(`${service.url}/livez`)).status).toBe(200);
    } finally {
      service.process.kill('SIGCONT');
      await stop(service);
    }
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
    expect(JSON.parse(refused.stdout)).toMatchObject({
      level: 60,
      msg: expect.stringContaining('DATABASE_URL must be set when NODE_ENV is production'),
    });
    expect(refused.stderr).toBe('');

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

describe('what Node would print', () => {
  beforeEach(async () => (database = await emptyDirectory()));
  afterEach(drop);

  it('is JSON in the log', async () => {
    const odd = join(mkdtempSync(join(tmpdir(), 'ums-odd-')), 'odd.cjs');
    writeFileSync(
      odd,
      `process.on('SIGUSR2', () => {
        process.emitWarning('odd', { code: 'ODD' });
        setTimeout(() => Promise.reject(new Error('lost')), 100);
      });`,
    );
    const service = await start({
      ...onDirectory(),
      NODE_ENV: 'production',
      DATABASE_URL: 'embedded',
      NODE_OPTIONS: `--require=${odd}`,
    });
    service.process.kill('SIGUSR2');
    expect(await service.exit).toBe(1);
    expect(service.stderr()).toBe('');
    const lines = service.stdout().trimEnd().split('\n').slice(1);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 40, error: { name: 'Warning', message: 'odd', code: 'ODD' } },
      { level: 60, error: { name: 'Error', message: 'lost', stack: expect.stringContaining('odd.cjs') } },
    ]);
  });
});

describe('the configuration', () => {
  it('stops the start with one message that lists every invalid variable', async () => {
    const invalid = {
      DATABASE_URL: 'mysql://localhost',
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
