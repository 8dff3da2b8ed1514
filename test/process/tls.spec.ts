/**
 * @slow it starts processes
 * @only embedded postgres: a process connects to a cluster in the same way
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readConfig } from '../../src/entry/process/config';
import { killLeft, run, start, stop } from '../support/process';
import { until } from '../support/until';

const TLS = 'test/support/tls';
const contentOf = (name: string) => readFileSync(join(TLS, name));

const HAS_POSTGRES = `import('./scripts/postgres.mjs').then(({ hasPostgres }) => process.exit(hasPostgres() ? 0 : 1))`;
const hasPostgres = spawnSync(process.execPath, ['-e', HAS_POSTGRES]).status === 0;

(hasPostgres ? describe : describe.skip)('a PostgreSQL with TLS (it needs an installed PostgreSQL)', () => {
  let directory: string;
  let server: ChildProcess;
  let port: number;
  let admin: pg.Client;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ums-tls-'));
    server = spawn(process.execPath, [join(TLS, 'postgres.mjs'), directory], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    port = Number(await once(server.stdout!, 'data'));
    admin = new pg.Client(`postgres://postgres@127.0.0.1:${port}/postgres`);
    await admin.connect();
    await setTls('on');
    const { stderr, code } = await run(['migrate'], { DATABASE_URL: urlOf() });
    expect([stderr, code]).toEqual(['', 0]);
  });
  afterEach(killLeft);
  afterAll(async () => {
    await admin.end();
    server.stdin!.end();
    await once(server, 'exit');
    rmSync(directory, { recursive: true });
  });

  const file = (name: string, content: string | Buffer) => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };

  const urlOf = ({ host = 'localhost', mode = 'verify-full', ca = `${TLS}/ca.pem` } = {}) =>
    `postgres://postgres@${host}:${port}/postgres?sslmode=${mode}${ca && `&sslrootcert=${ca}`}`;

  /** Expects that a command prints this, and nothing else. */
  const expectFailure = async (DATABASE_URL: string, sentences: string, command = 'migrate') => {
    const failed = { stdout: '', stderr: `The database cannot be used: ${sentences}\n`, code: 1 };
    expect(await run([command], { DATABASE_URL, PORT: '0' })).toEqual(failed);
    if (command === 'migrate' && !started.has(sentences))
      await expectFailure(DATABASE_URL, sentences, 'start');
    started.add(sentences);
  };
  /** What a start has printed, which takes long. */
  const started = new Set<string>();

  const TO_TRUST = 'Set sslrootcert in DATABASE_URL to a PEM file with the CA of the server.';
  const UNKNOWN_CA = `unable to verify the first certificate. ${TO_TRUST}`;

  it('serves a service, which prints no warning and encrypts all of its connections', async () => {
    const service = await start({ DATABASE_URL: urlOf({ mode: 'require' }) });
    const { rows } = await admin.query(
      'SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE client_port > 0 AND pid <> pg_backend_pid()',
    );
    await stop(service);
    expect([rows, service.stderr()]).toEqual([[{ ssl: true }], '']);
    expect(service.stdout()).not.toMatch(/warning/i);
  });

  it('whose name is another is refused, with its name, unless the URL asks for libpq’s verify-ca', async () => {
    await expectFailure(
      urlOf({ host: '127.0.0.1', mode: 'verify-ca' }),
      "Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list. " +
        'Set the host in DATABASE_URL to a name of the certificate: DNS:localhost.',
    );
    const url = urlOf({ host: '127.0.0.1', mode: 'verify-ca&uselibpqcompat=true' });
    expect(await run(['migrate', '--status'], { DATABASE_URL: url })).toMatchObject({
      code: 0,
      stderr: '',
    });
    const stranger = url.replace(`${TLS}/ca.pem`, 'test/support/self-signed.pem');
    await expectFailure(stranger, UNKNOWN_CA);
  });

  it('whose CA is unknown is refused, whatever the mode or the file', async () => {
    for (const mode of ['verify-full', 'require']) await expectFailure(urlOf({ mode, ca: '' }), UNKNOWN_CA);
    await expectFailure(urlOf({ ca: 'test/support/self-signed.pem' }), UNKNOWN_CA);
    await expectFailure(urlOf({ ca: file('garbled.pem', 'not a certificate') }), UNKNOWN_CA);
    for (const [ca, reason] of [
      ['/nowhere/ca.pem', "ENOENT: no such file or directory, open '/nowhere/ca.pem'"],
      [directory, 'EISDIR: illegal operation on a directory, read'],
    ])
      await expectFailure(
        urlOf({ ca }),
        `${reason}. Correct the path in DATABASE_URL, or make the file readable.`,
      );
  });

  it('has a CA whose file is read for each new connection, so that it can be replaced', async () => {
    const ca = file('ca.pem', contentOf('ca.pem'));
    const service = await start({ DATABASE_URL: urlOf({ ca }) });
    const statusIs = async (expected: number) => {
      await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_ssl WHERE ssl');
      await until(async () => (await fetch(`${service.url}/readyz`)).status === expected);
    };
    file('ca.pem', readFileSync('test/support/self-signed.pem'));
    await statusIs(503);
    file('ca.pem', contentOf('ca.pem'));
    await statusIs(200);
    await stop(service);
  });

  it('whose certificate has expired, or that has no TLS any more, is refused', async () => {
    file('server.pem', contentOf('expired.pem'));
    await reload();
    await expectFailure(
      urlOf(),
      'certificate has expired. Renew the certificate of the server, or of its CA in the file of sslrootcert.',
    );

    await setTls('off');
    for (const mode of ['verify-full', 'prefer'])
      await expectFailure(
        urlOf({ mode }),
        'The server does not support SSL connections. Set ssl = on in PostgreSQL or, in a network that you trust, sslmode=disable in DATABASE_URL.',
      );
    expect(await run(['migrate', '--status'], { DATABASE_URL: urlOf({ mode: 'disable' }) })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  const setTls = async (value: 'on' | 'off') => {
    await admin.query(`ALTER SYSTEM SET ssl = ${value}`);
    await reload();
  };

  /** Waits until a connection ends in another way than before. */
  async function reload(): Promise<void> {
    const outcome = async () => (await run(['migrate', '--status'], { DATABASE_URL: urlOf() })).stderr;
    const before = await outcome();
    await admin.query('SELECT pg_reload_conf()');
    await until(async () => (await outcome()) !== before);
  }
});

it('DATABASE_URL keeps all but the modes that the driver would warn of', () => {
  const read = (query: string) =>
    readConfig({ DATABASE_URL: `postgres://u:p%40@host/db${query}` }).databaseUrl;
  const kept = ['', '?sslmode=disable', '?sslmode=no-verify', '?uselibpqcompat=true&sslmode=require'];
  for (const query of kept) expect(read(query)).toBe(`postgres://u:p%40@host/db${query}`);
  for (const mode of ['require', 'prefer', 'verify-ca'])
    expect(read(`?a=b&sslmode=${mode}&options=-c%20x`)).toBe(
      'postgres://u:p%40@host/db?a=b&sslmode=verify-full&options=-c%20x',
    );
});

it('a DATABASE_URL whose password is not encoded is refused, with how to encode it and without the password', () => {
  for (const password of ['se%cret', 'se/cret', 'se?cret', 'se#cret'])
    expect(() => readConfig({ DATABASE_URL: `postgres://u:${password}@host/db` })).toThrow(
      /^Invalid configuration:\n {2}DATABASE_URL must be .+; in a password, write % \/ \? # as %25 %2F %3F %23$/,
    );
  const url = 'postgres://u:%25%2F%3F%23@host/db?application_name=50%';
  expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
});

it('a DATABASE_URL that would lose its TLS, because sslmode is written in another way, is refused', () => {
  expect(() => readConfig({ DATABASE_URL: 'postgres://u@host/db?a=b&SSLmode=verify-full' })).toThrow(
    'DATABASE_URL must have sslmode in lower case',
  );
});
