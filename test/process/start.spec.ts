/**
 * @slow it starts processes
 * @only embedded postgres: a process starts and stops the same way on a cluster
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../client/index';
import { bannerLines } from '../../src/entry/process/banner';
import { misspeltVariables, readConfig } from '../../src/entry/process/config';
import { defaultHost } from '../../src/entry/process/listen';
import { newTokenValue } from '../../src/tokens/token/token-value';
import { Client } from '../support/client';
import { copyOfTemplate, emptyDirectory, type TestDatabase } from '../support/database';
import { killLeft, run, type Running, runProcess, start, stop, ums } from '../support/process';
import { connectTo } from '../support/socket';
import { until } from '../support/until';

/** How many connections the system lets wait for a process. */
const SOMAXCONN = '/proc/sys/net/core/somaxconn';
/** More than wait by Node's default, and few enough for a limit of 1,024 files. */
const BURST = 700;

let directory: string;
beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'ums-start-'))));
afterEach(killLeft);
afterAll(() => rmSync(directory, { recursive: true }));

let database: TestDatabase;
const drop = () => database.drop();

const MISSING =
  'There is no active admin token. Create one with: ums organizations create <name>, then: ums tokens create --organization <id> --name <name> --scopes admin; or, on a new database, start with BOOTSTRAP_TOKEN set to a value from: ums tokens generate';

const valueIn = (text: string) => /umt_[0-9A-Za-z]{38}/.exec(text)?.[0];

const onDirectory = () => ({ DATA_DIR: database.env.DATA_DIR, DATABASE_URL: '' });

describe('a first start on the embedded database', () => {
  beforeEach(async () => (database = await emptyDirectory()));
  afterEach(drop);

  it('prints its addresses, the organization and an admin token at any log level; a later start prints no token', async () => {
    const service = await start({ ...onDirectory(), LOG_LEVEL: 'fatal' });
    const token = valueIn(service.stdout())!;
    expect(service.stdout()).toMatch(
      /^User Management Service at (http:\/\/127\.0\.0\.1:\d+)\nDashboard: \1\/dashboard\nListening on 127\.0\.0\.1, which only this machine can reach; HOST=0\.0\.0\.0 opens it to others\nEmbedded database: (.*)\nOrganization: Default \(org_\w{26}\)\nAdmin token, shown only once: \S+\n$/,
    );
    expect(service.stdout()).toContain(`\nEmbedded database: ${database.env.DATA_DIR}\n`);

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
      dataDir: database.env.DATA_DIR,
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
    const DATABSE_URL = 'postgres://ums:secret-secret@127.0.0.1/people';
    const refused = await run(['start'], { ...onDirectory(), NODE_ENV: 'production', DATABSE_URL });
    expect(refused.code).toBe(1);
    expect(refused.stdout).toContain('DATABSE_URL is not a setting of this service');
    expect(refused.stdout).not.toContain('secret-secret');
    expect(JSON.parse(refused.stdout)).toMatchObject({
      level: 'fatal',
      msg: expect.stringContaining('DATABASE_URL must be set when NODE_ENV is production'),
    });
    expect(refused.stderr).toBe('');

    const env = { ...onDirectory(), NODE_ENV: 'production', DATABASE_URL: 'embedded', LOG_LEVEL: 'error' };
    const service = await start(env, '--demo');
    await stop(service);
    const lines = service.stdout().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 'info',
        time: expect.any(String),
        msg: expect.stringContaining(MISSING),
        url: service.url,
        dashboard: `${service.url}/dashboard`,
        host: '127.0.0.1',
        dataDir: database.env.DATA_DIR,
        organizations: 0,
        sampleUsers: 0,
        admins: false,
      },
    ]);
  });

  it('logs as JSON which variables have no effect, and what Node would print', async () => {
    const odd = join(directory, 'odd.cjs');
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
      OIDC_SCOPES: 'secret-secret',
    });
    service.process.kill('SIGUSR2');
    expect(await service.exit).toBe(1);
    expect(service.stderr()).toBe('');
    const lines = service.stdout().trimEnd().split('\n').slice(1);
    expect(service.stdout()).not.toContain('secret-secret');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', msg: 'OIDC_SCOPES is not a setting of this service and has no effect.' },
      { level: 'warn', error: { name: 'Warning', message: 'odd', code: 'ODD' } },
      {
        level: 'fatal',
        error: { name: 'Error', message: 'lost', stack: expect.stringContaining('odd.cjs') },
      },
    ]);
  });
});

it('a configuration stops the start with one message that lists every invalid variable', async () => {
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

describe('a variable that has no effect', () => {
  const sentence = (name: string, meant?: string) =>
    `${name} is not a setting of this service and has no effect.${meant ? ` Did you mean ${meant}?` : ''}`;

  it('is named if it differs from a setting in one letter, or begins like several settings', () => {
    const near = {
      DATABSE_URL: 'DATABASE_URL',
      LOGLEVEL: 'LOG_LEVEL',
      CORS_ORIGIN: 'CORS_ORIGINS',
      log_level: 'LOG_LEVEL',
      NODE_EVN: 'NODE_ENV',
      OPERATOR_TOKENS: 'OPERATOR_TOKEN',
      SIGN_IN_KEY_FLIE: 'SIGN_IN_KEY_FILE',
    };
    for (const [name, meant] of Object.entries(near))
      expect(misspeltVariables({ [name]: 'x' })).toEqual([sentence(name, meant)]);
    for (const name of ['OIDC_SCOPES', 'WEBHOOK_SECRET', 'TOKEN_DAYS', 'BOOTSTRAP_USER'])
      expect(misspeltVariables({ [name]: 'x' })).toEqual([sentence(name)]);
  });

  it('is not named if others use it, or if the setting is set, too', () => {
    const OF_OTHERS = {
      HOSTNAME: 'a',
      HOSTS: 'a',
      PORTS: '1',
      DATABASE_HOST: 'a',
      DATABASE_URL: 'embedded',
      DATABASE_URLS: 'a',
      LOG_LEVELS: '',
      NODE_OPTIONS: '--no-warnings',
      PGPASSWORD: 'a',
      USER_MANAGEMENT_SERVICE_PORT_3000_TCP: 'a',
      WEBHOOK_SERVICE_HOST: '10.0.0.1',
      WEBHOOK_SERVICE_PORT: '80',
      WEBHOOK_SERVICE_PORT_HTTP: '80',
      WEBHOOK_PORT: 'tcp://10.0.0.1:80',
      WEBHOOK_PORT_80_TCP: 'tcp://10.0.0.1:80',
      WEBHOOK_PORT_80_TCP_ADDR: '10.0.0.1',
    };
    expect(misspeltVariables(OF_OTHERS)).toEqual([]);
  });
});

it('a start with --demo says why it adds nobody', () => {
  const started = { url: '', dashboard: '', host: '::1', sampleUsers: 0, admins: true };
  const organization = { id: 'org_1', name: 'Acme' };
  expect(bannerLines({ ...started, organization })).toContain(
    'Sample users: none added, because the organization already has users',
  );
  expect(bannerLines({ ...started, organizations: 0 })).toContain(
    'Sample users: none added, because there is no organization. Create one with: ums organizations create <name>, then start with --demo again',
  );
});

describe('on a migrated database,', () => {
  beforeEach(async () => (database = await copyOfTemplate()));
  afterEach(drop);

  it('BOOTSTRAP_TOKEN makes an organization and this admin token, is never printed, and not restored after a revocation', async () => {
    const BOOTSTRAP_TOKEN = newTokenValue();
    const env = { ...database.env, BOOTSTRAP_TOKEN, BOOTSTRAP_ORGANIZATION: 'Example Inc.' };

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
    const printed = [service, again].flatMap(({ stdout, stderr }) => [stdout(), stderr()]);
    expect(printed.join('')).not.toContain(BOOTSTRAP_TOKEN);
  });

  it('a start without an admin token says that it is missing, and where people sign in', async () => {
    const ISSUER = 'http://127.0.0.1:9'; // nobody answers there, which does not stop a start
    const PUBLIC_URL = 'https://people.example.com';
    const OIDC = { OIDC_ISSUER: ISSUER, OIDC_CLIENT_ID: 'dashboard', PUBLIC_URL };
    const signIn = `${PUBLIC_URL}/dashboard`;

    const { stdout } = await run(['organizations', 'create', 'Acme', '--json'], database.env);
    const organization = JSON.parse(stdout).id;
    const production = { NODE_ENV: 'production', DATABASE_URL: database.env.DATABASE_URL || 'embedded' };
    const isMissing = { msg: expect.stringContaining(MISSING), admins: false };
    const cases: [rules: Record<string, string>, expected: object][] = [
      [
        { ...OIDC, OIDC_ADMINS: `groups=Admins -> ${organization}` },
        { msg: 'started', signIn, admins: true },
      ],
      [
        { ...OIDC, OIDC_ADMINS: `groups=Support -> ${organization} users:read` },
        { ...isMissing, signIn },
      ],
      [OIDC, { ...isMissing, signIn: undefined }],
      [
        { PUBLIC_URL, TOKEN_ISSUERS: `${ISSUER} sub=crm -> ${organization} users:read admin` },
        { msg: 'started', admins: true },
      ],
      [{ PUBLIC_URL, TOKEN_ISSUERS: `${ISSUER} sub=crm -> ${organization} users:read` }, isMissing],
    ];
    for (const [rules, expected] of cases) {
      const service = await start({ ...database.env, ...production, ...rules });
      await stop(service);
      const lines = service.stdout().trimEnd().split('\n');
      const facts = lines.map((line) => JSON.parse(line)).find(({ url }) => url !== undefined);
      expect(service.stdout()).not.toMatch(/umt_/);
      expect({ rules, signIn: undefined, ...facts }).toMatchObject({ rules, signIn: undefined, ...expected });
    }

    // As text, too.
    const service = await start({ ...database.env, ...cases[0][0] });
    await stop(service);
    expect(service.stdout()).toContain(
      `\nDashboard: ${service.url}/dashboard\nPeople sign in at ${signIn}\n`,
    );
    expect(service.stdout()).not.toContain(MISSING);
  });
});

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

async function listening(server: Server): Promise<number> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const SSL_REQUEST = 80877103;

/** A server that refuses every connection as PostgreSQL does: TLS with N, a login with this error. */
function refusingServer(code: string, message: string): Server {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const error = Buffer.alloc(5 + fields.length, 'E');
  error.writeInt32BE(4 + fields.length, 1);
  fields.copy(error, 5);
  return createServer((socket) =>
    socket
      .once('data', (startup) => socket.end(startup.readInt32BE(4) === SSL_REQUEST ? 'N' : error))
      .on('error', () => {}),
  );
}

const urlAt = (port: number) => `postgres://ums:secret-secret@127.0.0.1:${port}/people`;

const refusing = async (code: string, message: string) =>
  urlAt(await listening(refusingServer(code, message)));

/** Runs a command that fails, and returns the one line that it prints. */
async function failure(env: NodeJS.ProcessEnv, ...command: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(command.length > 0 ? command : ['start'], {
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: join(directory, 'data'),
    ...env,
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^.*\n$/);
  expect(stderr).not.toContain('secret-secret');
  return stderr.trimEnd();
}

describe('a start that fails says which variable to set', () => {
  it('when it cannot listen', async () => {
    const port = await listening(createServer());
    for (const [env, message] of [
      [
        { MANAGEMENT_PORT: `${port}` },
        `Port ${port} is in use by another process. Stop it, or set MANAGEMENT_PORT`,
      ],
      [{ HOST: '192.0.2.1' }, 'This machine does not have the address 192.0.2.1. Set HOST to'],
      [{ HOST: 'nowhere.invalid' }, 'The host name nowhere.invalid is unknown. Set HOST to'],
    ] as [NodeJS.ProcessEnv, string][])
      expect(await failure(env)).toContain(message);
  });

  it('when nothing answers at DATABASE_URL, in a command too', async () => {
    for (const [DATABASE_URL, message] of [
      [
        'postgres://ums:secret-secret@nowhere.invalid/people',
        'nowhere.invalid. Correct the host in DATABASE_URL.',
      ],
      [
        'postgres://ums:secret-secret@127.0.0.1/people?sslrootcert=/nowhere.pem',
        "open '/nowhere.pem'. Correct the path in DATABASE_URL, or make the file readable.",
      ],
      [
        'postgres:///people?host=/nowhere',
        '/nowhere/.s.PGSQL.5432. Start PostgreSQL there, or correct the host and port in DATABASE_URL.',
      ],
    ])
      for (const command of [['start'], ['tokens', 'list', '--organization', 'org_x']])
        expect(await failure({ DATABASE_URL }, ...command)).toContain(message);
  });

  it('when the server refuses the login', async () => {
    for (const [code, message, advice] of [
      [
        '28P01',
        'password authentication failed for user "ums"',
        'Correct the user name and password in DATABASE_URL.',
      ],
      ['28000', 'role "ums" does not exist', 'Correct DATABASE_URL, with sslmode'],
      ['3D000', 'database "people" does not exist', 'Create it, or correct the database name in'],
    ]) {
      const line = await failure({ DATABASE_URL: await refusing(code, message) });
      expect(line).toContain(`The database cannot be used: ${message}. ${advice}`);
    }
  });

  it('when a server that may come back is still away after half a minute', async () => {
    const away = [
      [
        '53300',
        'sorry, too many clients already',
        'Lower DATABASE_POOL_SIZE, or raise max_connections on the server.',
      ],
      ['57P03', 'the database system is starting up', 'Try again in a moment.'],
      ['ECONNREFUSED', '', 'Start PostgreSQL there, or correct the host and port in DATABASE_URL.'],
    ];
    const fail = async ([code, message, advice]: string[]) => {
      const server = refusingServer(code, message);
      const port = await listening(server);
      if (code === 'ECONNREFUSED') server.close();
      const { stderr, ...ended } = await runProcess(['migrate'], { DATABASE_URL: urlAt(port) });
      expect(ended).toEqual({ code: 1, stdout: '' });
      const [waiting, failed] = stderr.split('\n');
      expect(waiting).toBe(`The database cannot be reached yet (${code}). Trying for 30 seconds.`);
      expect(failed).toContain(advice);
      expect(stderr).not.toContain('secret-secret');
      if (code === 'ECONNREFUSED') expect(failed).toContain(`127.0.0.1:${port}`);
    };
    await Promise.all(away.map(fail));
  });

  it('as soon as a server that was away is there', async () => {
    const DATABASE_URL = await refusing('57P03', 'the database system is starting up');
    const failing = ums(['start'], { DATABASE_URL, PORT: '0', HOST: '127.0.0.1' });
    const output = () => failing.stdout() + failing.stderr();
    await until(() => output().includes('Trying for 30 seconds'));
    const [away] = servers;
    const { port } = away.address() as AddressInfo;
    away.close();
    await once(away, 'close');
    servers.push(refusingServer('3D000', 'database "people" does not exist').listen(port, '127.0.0.1'));
    expect(await failing.exit).toBe(1);
    expect(failing.stderr()).toContain('database "people" does not exist. Create it, or correct');
  });

  it('when DATA_DIR is a file, or below one, or cannot be opened', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    for (const DATA_DIR of [file, join(file, 'data')])
      expect(await failure({ DATA_DIR })).toContain(
        `cannot use the directory ${DATA_DIR}: not a directory. Set DATA_DIR`,
      );
    const DATA_DIR = join(directory, 'spoiled');
    mkdirSync(DATA_DIR, 0o700);
    writeFileSync(join(DATA_DIR, 'pg'), 'not a directory');
    expect(await failure({ DATA_DIR })).toMatch(
      /^The embedded database in \S+spoiled cannot be opened: .*ErrnoError.*\. Set DATA_DIR to another directory\.$/,
    );
  });

  it('when the two ports are the same', async () => {
    expect(() => readConfig({ PORT: '4000', MANAGEMENT_PORT: '4000' })).toThrow(
      'MANAGEMENT_PORT must differ from PORT',
    );
    expect(readConfig({ PORT: '0', MANAGEMENT_PORT: '0' })).toMatchObject({ port: 0, managementPort: 0 });
  });

  // Node's recursive mkdir never ends here.
  (process.platform === 'linux' ? it : it.skip)('when nobody can create DATA_DIR', async () => {
    const env = { PATH: process.env.PATH, DATA_DIR: '/proc/ums/data' };
    const ended = spawnSync(process.execPath, ['dist/src/cli.js', 'start'], {
      env,
      encoding: 'utf8',
      timeout: 30_000,
      killSignal: 'SIGKILL', // a loop in the file system ignores SIGTERM
    });
    expect(ended).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        'cannot use the directory /proc/ums/data: no such file or directory. Set DATA_DIR',
      ),
    });
  });
});

describe('an older Node', () => {
  const SCRIPTS = ['dist/src/cli.js', 'dist/src/main.js', 'scripts/build-if-stale.mjs'];

  /** Runs the script in a Node that calls itself this version. */
  function runAs(version: string, script: string) {
    const pretence = join(directory, 'version.cjs');
    writeFileSync(pretence, `Object.defineProperty(process.versions, 'node', { value: '${version}' });`);
    return spawnSync(process.execPath, ['--require', pretence, script, '--help'], {
      encoding: 'utf8',
      timeout: 20_000,
    });
  }

  it('is told which one is required, and one that is recent enough is accepted', () => {
    for (const script of SCRIPTS)
      for (const version of ['12.22.12', '20.18.3', '21.7.3', '22.11.0'])
        expect(runAs(version, script)).toMatchObject({
          status: 1,
          stdout: '',
          stderr: `Node.js 20.19, 22.12 or newer is required; this is ${version}. Install a newer one from https://nodejs.org.\n`,
        });
    for (const version of ['20.19.0', '22.12.0', '23.0.0'])
      expect(runAs(version, SCRIPTS[0])).toMatchObject({ status: 0, stderr: '' });
  });

  it('can parse what runs before the check', () => {
    const files = ['dist/src/cli.js', 'dist/src/main.js', 'dist/src/entry/process/node-version.js'];
    const source = `
      const { Linter } = require('eslint');
      for (const file of process.argv.slice(1)) {
        const code = require('node:fs').readFileSync(file, 'utf8');
        const languageOptions = { ecmaVersion: 2019, sourceType: 'commonjs' };
        for (const { message } of new Linter().verify(code, { languageOptions })) console.log(file, message);
      }`;
    expect(spawnSync(process.execPath, ['-e', source, ...files], { encoding: 'utf8' })).toMatchObject({
      stdout: '',
      stderr: '',
      status: 0,
    });
  });
});

it('HOST is this machine on the embedded database, and all interfaces on a server or in a container', () => {
  const inContainer = (mark: string) => defaultHost(true, {}, ['/nowhere', mark]);
  expect([inContainer(__filename), inContainer('/nowhere')]).toEqual(['0.0.0.0', '127.0.0.1']);
  const DATABASE_URL = 'postgres://localhost/people';
  expect(readConfig({}).host).toBe(defaultHost(true, {}));
  expect(readConfig({ KUBERNETES_SERVICE_HOST: '10.0.0.1' }).host).toBe('0.0.0.0');
  expect(readConfig({ DATABASE_URL }).host).toBe('0.0.0.0');
  expect(readConfig({ HOST: '127.0.0.2', DATABASE_URL }).host).toBe('127.0.0.2');
});
