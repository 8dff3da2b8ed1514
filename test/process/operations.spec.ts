/**
 * @slow it starts processes
 * @only embedded postgres: a process starts and stops the same way on a cluster
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { type Client as ApiClient, createClient } from '../../client/index';
import { person } from '../../src/entry/demo/people';
import { readConfig } from '../../src/entry/process/config';
import { createLog, NestLog } from '../../src/entry/process/log/log';
import { prettyLog } from '../../src/entry/process/log/pretty-log';
import { newTokenValue } from '../../src/tokens/token/token-value';
import { Client } from '../support/client';
import { copyOfTemplate, emptyDatabase, type TestDatabase, directUrl } from '../support/database';
import { describeOn } from '../support/engine';
import { killLeft, run, type Running, start, stop } from '../support/process';

const doc = readFileSync('docs/operations.md', 'utf8');

/** A test that needs these programs. */
const itWith = (tools: string[], title: string, test: () => Promise<void>) => {
  const missing = tools.filter((tool) => spawnSync(tool, ['--version']).status !== 0);
  if (missing.length > 0)
    process.stderr.write(`Not installed: ${missing.join(', ')}. Not tested: ${title}\n`);
  (missing.length > 0 ? it.skip : it)(title, test);
};

let database: TestDatabase;
let directory: string;
beforeAll(async () => {
  database = await copyOfTemplate();
  directory = mkdtempSync(join(tmpdir(), 'ums-operations-'));
});
afterEach(killLeft);
afterAll(async () => {
  await database.drop();
  rmSync(directory, { recursive: true });
});

const file = (name: string, content: string) => {
  writeFileSync(join(directory, name), content);
  return join(directory, name);
};

/** Runs a test on a service of its own. */
async function onService(test: (api: Client, service: Running) => Promise<unknown>): Promise<Running> {
  const [token, fresh] = [newTokenValue(), await copyOfTemplate()];
  try {
    const service = await start({ ...fresh.env, BOOTSTRAP_TOKEN: token });
    await test(new Client(service.url, { value: token }), service);
    await stop(service);
    return service;
  } finally {
    await fresh.drop();
  }
}

describe('a secret', () => {
  it('can be read from a file', async () => {
    const { DATABASE_URL = 'embedded', DATA_DIR } = database.env;
    const [token, operatorToken] = [newTokenValue(), newTokenValue()];
    const service = await start({
      DATA_DIR,
      DATABASE_URL_FILE: file('database', `${DATABASE_URL}\n`),
      BOOTSTRAP_TOKEN_FILE: file('token', `${token}\n`),
      OPERATOR_TOKEN_FILE: file('operator', `${operatorToken}\n`),
    });
    await new Client(service.url, { value: token }).get('/v1/tokens/current').expect(200);
    await new Client(service.url, { value: operatorToken }).get('/v1/organizations').expect(200);
    await stop(service);

    const [encryptionKey, key] = [0, 1].map(() => randomBytes(32).toString('base64'));
    const secrets = {
      WEBHOOK_ENCRYPTION_KEY_FILE: file('webhooks', `${encryptionKey}\n`),
      OIDC_CLIENT_SECRET_FILE: file('client', 'a secret of the client\n'),
      SIGN_IN_KEY_FILE: file('sign-in', `${key}\n`),
    };
    const OIDC = { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_ID: 'x', PUBLIC_URL: 'http://localhost' };
    const config = readConfig({ DATABASE_URL: 'embedded', ...OIDC, ...secrets });
    expect(config).toMatchObject({
      oidc: { clientSecret: 'a secret of the client', key },
      webhooks: { encryptionKey },
    });
  });

  it('whose file is missing or empty, or that is set twice, stops the start', async () => {
    const { code, stderr } = await run(['start'], {
      DATABASE_URL: 'embedded',
      DATABASE_URL_FILE: file('database', 'embedded'),
      BOOTSTRAP_TOKEN_FILE: join(directory, 'nowhere'),
      WEBHOOK_ENCRYPTION_KEY_FILE: file('empty', '\n'),
    });
    expect(code).toBe(1);
    expect(stderr).toContain('  DATABASE_URL_FILE must not be set together with DATABASE_URL\n');
    expect(stderr).toMatch(/ {2}BOOTSTRAP_TOKEN_FILE cannot be read: ENOENT.*\n/);
    expect(stderr).toContain('  WEBHOOK_ENCRYPTION_KEY_FILE points to an empty file\n');

    const wrong = await run(['start'], { BOOTSTRAP_TOKEN_FILE: file('wrong', 'secret-secret') });
    expect(wrong.stderr).toContain('  BOOTSTRAP_TOKEN must be a token value');
    expect(wrong.stderr).not.toContain('secret-secret');
  });
});

/** Makes escape characters readable. */
const visible = (text: string) => text.replaceAll('\x1b', 'ESC');

describe('on a terminal', () => {
  /** Runs a command on a terminal. */
  const onTerminal = (command: string) =>
    spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
      env: { ...process.env, ...database.env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });

  itWith(['script'], 'an import shows rows, rate and ETA on one line that is updated', async () => {
    const people = Array.from({ length: 3000 }, (_, n) => `${JSON.stringify(person(n))}\n`).join('');
    const created = await run(['organizations', 'create', 'Test', '--json'], database.env);
    const path = file('people.ndjson', people);
    const id = JSON.parse(created.stdout).id;
    const terminal = onTerminal(`node dist/src/cli.js users import ${path} --organization ${id}`);
    let seen = '';
    terminal.stdout.on('data', (chunk) => (seen += visible(String(chunk))));
    expect((await once(terminal, 'close'))[0]).toBe(0);
    expect(seen).toMatch(/\rESC\[K\d+ %, [\d,]+ rows, [\d,]+ rows\/s, ETA \d+:\d\d/);
    expect(seen).toMatch(
      /\rESC\[K3,000 rows in [\d.]+ s: 3,000 created, 0 updated, 0 unchanged, 0 refused\.\r\n$/,
    );
  });

  itWith(['script'], 'the log is formatted text', async () => {
    // exec, because some shells that wait for a command end on Ctrl-C, too
    const terminal = onTerminal('exec env PORT=0 HOST=127.0.0.1 node dist/src/cli.js start');
    let seen = '';
    terminal.stdout.on('data', (chunk) => (seen += visible(String(chunk))));
    const until = async (text: RegExp) => {
      while (!text.test(seen)) await once(terminal.stdout, 'data');
      return text.exec(seen)!;
    };
    const [, url] = await until(/Service at (http\S+)\r\n/);
    await until(/(Organization|There is no active admin)/);
    await new Client(url).get('/api/v1/users').expect(401);
    await until(
      /^\d\d:\d\d:\d\d\.\d{3} \S*INFO\S* {2}GET \/api\/v1\/users 401 [\d.]+ ms requestId=\S+ refusal=missing_token\r$/m,
    );
    terminal.stdin.write('\x03'); // Ctrl-C
    expect((await once(terminal, 'close'))[0]).toBe(0);
  });

  it('a log line cannot move the cursor, and the stack of an error follows it', () => {
    let written = '';
    const log = createLog(
      'trace',
      prettyLog((text) => (written += visible(text))),
    );
    log.error({ error: { message: 'a\x1b[2Jb', stack: '    at here (file.js:1:1)' } }, 'failed');
    expect(written).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} ESC\[31mERRORESC\[39m failed message=a\\u001b\[2Jb\n {4}at here \(file\.js:1:1\)\n$/,
    );
    written = '';
    new NestLog(log).error({ error: { message: 'a', code: '1' } }, 'Requests');
    expect(written).toMatch(/ ESC\[31mERRORESC\[39m a context=Requests code=1\n$/);
  });
});

it('the log has one line of JSON per request, with IDs, route template, status and duration', async () => {
  const service = await onService(async (api) => {
    const { id } = await api.createUser({ email: 'secret@example.com' });
    await api.get(`/api/v1/users/${id}`).set('X-Request-ID', 'asked-1').expect(200);
    await api.get('/api/v1/users/search?q=secret').expect(200);
  });
  const lines = service
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const requests = lines.filter(({ route }) => route);
  expect(requests.map(({ method, route, status }) => [method, route, status])).toEqual([
    ['POST', '/api/v1/users', 201],
    ['GET', '/api/v1/users/:id', 200],
    ['GET', '/api/v1/users/search', 200],
  ]);
  expect(requests[1]).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    requestId: 'asked-1',
    method: 'GET',
    route: '/api/v1/users/:id',
    status: 200,
    ms: expect.any(Number),
    tokenId: expect.stringMatching(/^tok_/),
    organizationId: expect.stringMatching(/^org_/),
  });
  expect(service.stdout()).not.toContain('secret');
});

describe('docs/operations.md', () => {
  it('mentions only commands and files that exist', async () => {
    const commands = [...doc.matchAll(/\bums ((?:[a-z]+ ?){1,2})(?:--|"|`|$)/gm)].map(([, words]) =>
      words.trim(),
    );
    expect(commands.length).toBeGreaterThan(5);
    for (const command of new Set(commands)) {
      const { code } = await run([...command.split(' '), '--help'], {});
      expect({ command, code }).toEqual({ command, code: 0 });
    }
    const own = doc.replace(/https?:\S+/g, '');
    const paths = [...own.matchAll(/\b(?:deploy|docs)\/[a-z./-]*[a-z]/g)].map(([path]) => path);
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
    expect(existsSync('docs/tracing.md')).toBe(true);
  });

  it('lists every overlay and every component', () => {
    const folders = ['deploy/overlays', 'deploy/components'].flatMap((parent) =>
      readdirSync(parent).map((name) => `${parent}/${name}`),
    );
    const rows = [...doc.matchAll(/^\| `(deploy\/(?:overlays|components)\/[\w-]+)` +\| \S/gm)];
    expect(rows.map(([, path]) => path).sort()).toEqual(folders.sort());
  });

  it('gives numbers with which the autoscaler stays below the default max_connections', () => {
    const specOf = (name: string) => parse(readFileSync(`deploy/base/${name}.yaml`, 'utf8')).spec;
    const { maxReplicas } = specOf('horizontal-pod-autoscaler');
    const { maxSurge } = specOf('deployment').strategy.rollingUpdate;
    const { poolSize } = readConfig({});
    const needed = (maxReplicas + maxSurge) * poolSize + 5;
    expect(needed).toBeLessThanOrEqual(100 - 3);
    expect(doc.replace(/\s+/g, ' ')).toContain(
      `(${maxReplicas} + ${maxSurge}) × ${poolSize} + 5 = ${needed}`,
    );
  });
});

describe('what docs/operations.md says of leaked tokens', () => {
  const section = doc.slice(doc.indexOf('## Leaked tokens'));

  it('has a pattern that finds token values and nothing longer', () => {
    const patterns = [
      ...section.matchAll(/`(\\bumt_[^`]*)`/g),
      ...section.matchAll(/^regex = '''(.*)'''$/gm),
    ].map(([, pattern]) => new RegExp(pattern, 'g'));
    expect(patterns).toHaveLength(2);
    const value = newTokenValue();
    for (const pattern of patterns) {
      expect(`curl -H "Authorization: Bearer ${value}"; x${value} ${value}x`.match(pattern)).toEqual([value]);
    }
  });

  itWith(['jq', 'curl'], 'has a command that revokes what gitleaks has found', async () => {
    await onService(async (api, service) => {
      const create = async () =>
        (await api.post('/v1/tokens', { name: 'CI', scopes: ['users:read'] }).expect(201)).body.token;
      const [leaked, late, safe] = [await create(), await create(), await create()];
      const finding = (Secret: string, RuleID = 'user-management-token') => ({
        RuleID,
        Secret,
        File: '.env',
      });
      file(
        'leaks.json',
        JSON.stringify([
          finding(leaked),
          finding(leaked),
          ...Array.from({ length: 120 }, () => finding(newTokenValue())),
          finding(late),
          finding(safe, 'generic-api-key'),
        ]),
      );
      const [, command] = /```sh\n(jq [^`]*)```/.exec(section)!;
      const { stdout, stderr } = await promisify(execFile)('sh', ['-ec', command], {
        cwd: directory,
        env: { ...process.env, SERVICE: service.url },
      });
      expect(stdout.trim().split(/\s*\n\s*/)).toEqual(['2 204', '120 401']);
      expect(stderr).toBe('');
      for (const [value, status] of [
        [leaked, 401],
        [late, 401],
        [safe, 200],
      ] as const)
        await api.withValue(value).get('/api/v1/users').expect(status);
    });
  });
});

itWith(
  ['jq', 'curl'],
  'docs/operations.md has a script that creates an organization and its first token once',
  async () => {
    const OPERATOR_TOKEN = newTokenValue();
    const [section] = /## For the operator\n[^]*?\n## /.exec(doc)!;
    const [, script] = /```sh\n(api\(\) [^]*?)```/.exec(section)!;
    const service = await start({
      ...database.env,
      OPERATOR_TOKEN_FILE: file('operator', `${OPERATOR_TOKEN}\n`),
    });
    const runScript = (token: string) => {
      const env = { ...process.env, SERVICE: service.url, OPERATOR_TOKEN: token };
      return promisify(execFile)('sh', ['-ec', script], { env });
    };
    const api = new Client(service.url, { value: (await runScript(OPERATOR_TOKEN)).stdout.trim() });
    expect((await api.get('/v1/tokens/current').expect(200)).body).toMatchObject({ name: 'First' });

    expect((await runScript(OPERATOR_TOKEN)).stdout).toBe('');
    const operator = new Client(service.url, { value: OPERATOR_TOKEN });
    const { body } = await operator.get('/v1/organizations?externalId=customer-4711').expect(200);
    expect(body.data).toMatchObject([{ name: 'Example Inc.', externalId: 'customer-4711' }]);

    await expect(runScript(newTokenValue())).rejects.toMatchObject({
      code: 22,
      stderr: expect.stringContaining('401'),
    });
    await stop(service);
    expect(service.stdout() + service.stderr()).not.toContain(OPERATOR_TOKEN);
  },
);

/** Runs the service on a database, and asks it. */
async function asking<Result>(
  { env }: TestDatabase,
  token: string,
  ask: (api: ApiClient) => Promise<Result>,
): Promise<Result> {
  const service = await start(env);
  return ask(createClient({ baseUrl: service.url, token })).finally(() => stop(service));
}

describeOn('postgres', 'docs/operations.md, on a server', () => {
  itWith(['pg_dump', 'pg_restore', 'psql'], 'has commands that back up and restore a database', async () => {
    const restored = await emptyDatabase();
    const source = await copyOfTemplate();
    const organization = JSON.parse(
      (await run(['organizations', 'create', 'Test', '--json'], source.env)).stdout,
    ).id;
    await run(['seed', '--organization', organization, '--users', '50'], source.env);
    const options = ['--organization', organization, '--name', 'Reader', '--scopes', 'admin', '--json'];
    const { token: reader } = JSON.parse((await run(['tokens', 'create', ...options], source.env)).stdout);
    const { nextCursor } = await asking(source, reader, (api) => api.events.list({ limit: 10 }).page());
    await run(['seed', '--organization', organization, '--users', '60'], source.env); // ten that nobody has numbered
    const blocks = [...doc.matchAll(/```sh\n((?:pg_dump|pg_restore)[^`]*)```/g)].map(([, block]) => block);
    expect(blocks).toHaveLength(2);
    for (const block of blocks) {
      await promisify(execFile)('sh', ['-ec', block], {
        cwd: directory,
        env: {
          ...process.env,
          DATABASE_URL: directUrl(source),
          RESTORED_URL: directUrl(restored),
        },
      });
    }
    const exported = async ({ env }: TestDatabase) =>
      (await run(['users', 'export', '--organization', organization], env)).stdout;
    expect(await exported(restored)).toBe(await exported(source));
    expect((await run(['migrate', '--status'], restored.env)).code).toBe(0);
    // The feed goes on where it was, and new events have new numbers.
    const events = await asking(restored, reader, async (api) => {
      const { id } = await api.users.create({ name: 'Ada', email: 'ada@restored.example' });
      await api.users.update(id, { role: 'admin' });
      return (await api.events.list({ cursor: nextCursor!, limit: 200 }).page()).data;
    });
    expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 53 }, (_, i) => i + 11));
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['user.created', 'user.updated']);
    await source.drop();
    await restored.drop();
  });
});
