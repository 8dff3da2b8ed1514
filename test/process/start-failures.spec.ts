/**
 * @slow it starts processes
 * @only embedded postgres: it starts without a database
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { readConfig } from '../../src/entry/process/config';
import { messageOf } from '../../src/entry/process/failure';
import { defaultHost } from '../../src/entry/process/listen';
import { run, ums } from '../support/process';
import { until } from '../support/until';

let directory: string;
beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'ums-start-'))));
afterAll(() => rmSync(directory, { recursive: true }));

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
  it('when the management port is taken', async () => {
    const port = await listening(createServer());
    expect(await failure({ MANAGEMENT_PORT: `${port}` })).toBe(
      `Port ${port} is in use by another process. Stop it, or set MANAGEMENT_PORT to another port.`,
    );
  });

  it.each([
    ['192.0.2.1', 'This machine does not have the address 192.0.2.1. Set HOST to'],
    ['nowhere.invalid', 'The host name nowhere.invalid is unknown. Set HOST to'],
  ])('when HOST is %s', async (HOST, message) => {
    expect(await failure({ HOST })).toContain(message);
  });

  it.each([
    [
      'postgres://ums:secret-secret@nowhere.invalid/people',
      'nowhere.invalid. Correct the host in DATABASE_URL.',
    ],
    [
      'postgres://ums:secret-secret@127.0.0.1/people?sslrootcert=/nowhere.pem',
      "open '/nowhere.pem'. Check DATABASE_URL and the server.",
    ],
    ['postgres:///people?host=/nowhere', '/nowhere/.s.PGSQL.5432. Start PostgreSQL there, or correct'],
    ['postgres://ums:secret-secret%@127.0.0.1/people', 'URI malformed. Check DATABASE_URL and the server.'],
  ])('when nothing answers at %s, in a command too', async (DATABASE_URL, message) => {
    for (const command of [['start'], ['tokens', 'list', '--organization', 'org_x']]) {
      const line = await failure({ DATABASE_URL }, ...command);
      expect(line).toContain(message);
      expect(line).toContain('DATABASE_URL');
    }
  });

  it.each([
    [
      '28P01',
      'password authentication failed for user "ums"',
      'Correct the user name and password in DATABASE_URL.',
    ],
    ['28000', 'role "ums" does not exist', 'role "ums" does not exist. Correct DATABASE_URL, with sslmode'],
    ['3D000', 'database "people" does not exist', 'Create it, or correct the database name in'],
  ])('when the server refuses the login with %s: %s', async (code, message, advice) => {
    const line = await failure({ DATABASE_URL: await refusing(code, message) });
    expect(line).toContain(`The database cannot be used: ${message}. `);
    expect(line).toContain(advice);
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
      const { stderr, ...ended } = await run(['migrate'], { DATABASE_URL: urlAt(port) });
      expect(ended).toEqual({ code: 1, stdout: '' });
      const [waiting, failed] = stderr.split('\n');
      expect(waiting).toBe(`The database cannot be reached yet (${code}). Trying for 30 seconds.`);
      expect(failed).toContain(advice);
    };
    await Promise.all(away.map(fail));
  });

  it.each([['start'], ['migrate'], ['tokens list --organization org_x']])(
    'as soon as a server that was away is there: %s',
    async (command) => {
      const DATABASE_URL = await refusing('57P03', 'the database system is starting up');
      const failing = ums(command.split(' '), { DATABASE_URL, PORT: '0', HOST: '127.0.0.1' });
      const output = () => failing.stdout() + failing.stderr();
      await until(() => output().includes('Trying for 30 seconds'));
      const [away] = servers;
      const { port } = away.address() as AddressInfo;
      away.close();
      await once(away, 'close');
      servers.push(refusingServer('3D000', 'database "people" does not exist').listen(port, '127.0.0.1'));
      expect(await failing.exit).toBe(1);
      expect(failing.stderr()).toContain('database "people" does not exist. Create it, or correct');
    },
  );

  it('when the certificate of the server is not trusted', () => {
    const refusal = { code: 'SELF_SIGNED_CERT_IN_CHAIN', variable: 'DATABASE_URL' };
    expect(messageOf(Object.assign(new Error('self-signed certificate'), refusal))).toBe(
      'The database cannot be used: self-signed certificate. Add sslrootcert=<file of its CA> to DATABASE_URL.',
    );
  });

  it('when the server has no TLS', async () => {
    const url = await refusing('00000', '');
    expect(await failure({ DATABASE_URL: `${url}?sslmode=verify-full` })).toBe(
      'The database cannot be used: The server does not support SSL connections. Check DATABASE_URL and the server.',
    );
  });

  it('when DATA_DIR is a file, or below one', async () => {
    const file = join(directory, 'file');
    writeFileSync(file, '');
    for (const DATA_DIR of [file, join(file, 'data')]) {
      expect(await failure({ DATA_DIR })).toContain(
        `cannot use the directory ${DATA_DIR}: not a directory. Set DATA_DIR`,
      );
    }
  });

  it('when the embedded database cannot be opened', async () => {
    const DATA_DIR = join(directory, 'spoiled');
    mkdirSync(DATA_DIR, 0o700);
    writeFileSync(join(DATA_DIR, 'pg'), 'not a directory');
    expect(await failure({ DATA_DIR })).toMatch(
      /^The embedded database in \S+spoiled cannot be opened: .*ErrnoError.*\. Set DATA_DIR to another directory\.$/,
    );
  });

  it('when a rule of OIDC_ADMINS names an organization that does not exist, before it creates a token', async () => {
    const DATA_DIR = join(directory, 'rules');
    const unknown = 'org_00000000000000000000000000';
    const { stdout, stderr, code } = await run(['start'], {
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR,
      LOG_LEVEL: 'fatal',
      OIDC_ISSUER: 'http://127.0.0.1:9',
      OIDC_CLIENT_ID: 'dashboard',
      PUBLIC_URL: 'http://127.0.0.1:9',
      OIDC_ADMINS: `groups=Admins -> ${unknown}`,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`OIDC_ADMINS names organizations that do not exist: ${unknown}`);
    expect((await run(['organizations', 'list', '--json'], { DATA_DIR })).stdout).not.toContain('org_');
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

  it.each(SCRIPTS)('is told by %s which one is required', (script) => {
    for (const version of ['12.22.12', '18.20.8', '20.18.3', '21.7.3', '22.11.0']) {
      expect(runAs(version, script)).toMatchObject({
        status: 1,
        stdout: '',
        stderr: `Node.js 20.19, 22.12 or newer is required; this is ${version}. Install a newer one from https://nodejs.org.\n`,
      });
    }
  });

  it('that is recent enough is accepted', () => {
    for (const version of ['20.19.0', '22.12.0', '23.0.0', '26.1.0']) {
      expect(runAs(version, 'dist/src/cli.js')).toMatchObject({ status: 0, stderr: '' });
    }
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

describe('the default of HOST', () => {
  const hostOf = (env: NodeJS.ProcessEnv, isEmbedded = true, marks: string[] = []) =>
    defaultHost(isEmbedded, env, marks);

  it('is this machine on the embedded database, and all interfaces on a server or in a container', () => {
    expect(hostOf({})).toBe('127.0.0.1');
    expect(hostOf({}, false)).toBe('0.0.0.0');
    expect(hostOf({ KUBERNETES_SERVICE_HOST: '10.0.0.1' })).toBe('0.0.0.0');
    expect(hostOf({}, true, ['/nowhere', __filename])).toBe('0.0.0.0');
    expect(hostOf({}, true, ['/nowhere'])).toBe('127.0.0.1');
  });

  it('is used by the configuration', () => {
    const DATABASE_URL = 'postgres://localhost/people';
    expect(readConfig({}).host).toBe(defaultHost(true, {}));
    expect(readConfig({ KUBERNETES_SERVICE_HOST: '10.0.0.1' }).host).toBe('0.0.0.0');
    expect(readConfig({ DATABASE_URL }).host).toBe('0.0.0.0');
    expect(readConfig({ HOST: '127.0.0.2', DATABASE_URL }).host).toBe('127.0.0.2');
  });
});
