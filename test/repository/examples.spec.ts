import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { parseAllDocuments } from 'yaml';
import { parseIssuerRules } from '../../src/oauth/token-issuers';
import { newId } from '../../src/platform/database/id';
import type { Client } from '../support/client';
import { startService, type TestService } from '../support/service';
import { until } from '../support/until';
import { createWebhook, deliveriesOf, WEBHOOK_ENV } from '../support/webhooks';

const AUDIENCE = 'https://users.example.com';
const ACME = newId('org');
const SUBJECT = 'repo:acme/crm:ref:refs/heads/main';

/** A platform that signs assertions, and gives them to jobs as GitHub does. */
async function startPlatform() {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'key' };
  const asked: (string | undefined)[] = [];
  const documents: Record<string, () => unknown> = {
    '/.well-known/openid-configuration': () => ({ issuer: url, jwks_uri: `${url}/keys` }),
    '/keys': () => ({ keys: [jwk] }),
  };
  const server = createServer((request, response) => {
    const document = documents[request.url!]?.();
    if (document) return void response.end(JSON.stringify(document));
    asked.push(request.url, request.headers.authorization);
    void assertion().then((value) => response.end(JSON.stringify({ count: 1, value })));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const assertion = (claims: object = {}) =>
    new SignJWT({ iss: url, aud: AUDIENCE, sub: SUBJECT, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'key' })
      .setExpirationTime('2h')
      .sign(privateKey);
  return { url, assertion, asked, close: () => (server.close(), server.closeAllConnections()) };
}

let platform: Awaited<ReturnType<typeof startPlatform>>;
let service: TestService;
let directory: string;
beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/declarations.mjs', 'client']); // a build makes none
  directory = mkdtempSync('node_modules/.examples-'); // a program finds the packages from here
  platform = await startPlatform();
  const TOKEN_ISSUERS = `${platform.url} sub=${SUBJECT} -> ${ACME} users:read users:write`;
  const env = { ...WEBHOOK_ENV, PUBLIC_URL: AUDIENCE, TOKEN_ISSUERS };
  service = await startService(env, { background: true });
  await service.dataSource.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Acme')`, [ACME]);
});
afterAll(async () => {
  await service.close();
  platform.close();
  rmSync(directory, { recursive: true });
  expect(service.logs.join('')).not.toContain('eyJ');
});

/** Tests that need these programs. */
const describeWith = (tools: string[], title: string, tests: () => void) => {
  const missing = tools.filter((tool) => spawnSync(tool, ['--version']).status !== 0);
  if (missing.length > 0)
    process.stderr.write(`Not installed: ${missing.join(', ')}. Not tested: ${title}\n`);
  (missing.length === 0 ? describe : describe.skip)(title, tests);
};

const readme = readFileSync('README.md', 'utf8');

const reference = readFileSync('docs/api.md', 'utf8');

/** Every command in the README, and in the reference that continues it, that is followed by its response. */
const examples = [...(readme + reference).matchAll(/```sh\n([^`]*)```\s*```json\n([^`]*)```/g)].map(
  ([, command, response]) => ({
    command: command.trim(),
    response: JSON.parse(response),
  }),
);

describeWith(['curl'], 'the README and docs/api.md', () => {
  let api: Client;
  beforeAll(async () => void (api = await service.client()));

  /** The variables that earlier examples have set for later ones, as in the reader's shell. */
  let variables: Record<string, string> = {};

  it('has at least ten examples', () => {
    expect(examples.length).toBeGreaterThanOrEqual(10);
  });

  it.each(examples)('$command', async ({ command, response }) => {
    const actualCommand = command.replaceAll('http://localhost:3000', service.url);
    expect(actualCommand).not.toMatch(/(usr|tok|whk)_/); // it must work when it is pasted

    const keep = 'printf "ID=%s TOKEN_ID=%s" "$ID" "$TOKEN_ID" >&3';
    const shell = spawn('sh', ['-euc', `${actualCommand}\n${keep}`], {
      env: { ...process.env, ID: '', TOKEN_ID: '', ...variables, TOKEN: api.tokenValue },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    // An example that keeps an ID prints its response to standard error.
    const [stdout, stderr, kept] = await Promise.all(
      shell.stdio.slice(1).map((stream) => text(stream as Readable)),
    );
    variables = Object.fromEntries(kept.split(' ').map((pair) => pair.split('=')));

    expect(withExampleValues(JSON.parse(stdout || stderr), response)).toEqual(response);
  });

  /** Replaces the values that differ every time, such as IDs and dates, with those of the example. */
  function withExampleValues(actual: unknown, example: unknown): unknown {
    if (typeof actual === 'object' && actual !== null && typeof example === 'object' && example !== null) {
      const expected = example as Record<string, unknown>;
      if (Array.isArray(actual)) return actual.map((value, i) => withExampleValues(value, expected[i]));
      return Object.fromEntries(
        Object.entries(actual).map(([key, value]) => [key, withExampleValues(value, expected[key])]),
      );
    }
    if (typeof actual !== 'string' || typeof example !== 'string') return actual;
    const patterns = [
      /^(usr|tok|evt|whk)_\w{26}$/,
      /^umt_\w{38}$/,
      /^umt_.{4}….{4}$/,
      /^whsec_.{44}$/,
      /^\d{4}-.*T.*Z$/,
      /^[0-9a-f-]{36}$/,
      /^\d+\.\d+\.\d+$/, // a release changes it
      /^[\w-]{40,}$/,
    ];
    return patterns.some((pattern) => pattern.test(actual) && pattern.test(example)) ? example : actual;
  }
});

it('lists exactly the environment variables that the service reads', () => {
  const declarations = [
    'src/entry/process/config.ts',
    'src/service.options.ts',
    'src/oauth/token-issuers.ts',
    'src/sign-in/oidc/sign-in-settings.ts',
    'src/webhooks/webhooks.options.ts',
  ].map((path) => readFileSync(path, 'utf8'));
  const read = [...declarations.join().matchAll(/@(?:Variable|\w*Setting)\(\s*'([A-Z_]+)'/g)].map(
    ([, name]) => name,
  );
  const section = readme.slice(readme.indexOf('## Configuration'), readme.indexOf('## Command line'));
  const listed = [...section.matchAll(/^\| (.*?) \|/gm)].flatMap(
    ([, cell]) => cell.match(/[A-Z]+(?:_[A-Z]+)*/g) ?? [],
  );
  expect(new Set(listed)).toEqual(new Set(read));
});

const STRICT =
  '--ignoreConfig --skipLibCheck --strict --target es2022 --module nodenext --types node --experimentalDecorators'.split(
    ' ',
  );
const run = promisify(execFile);

const programsIn = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/```ts\n([^`]*(?:`[^`]+`[^`]*)*)```/g)].map(([, code]) => code);

/** Compiles a program, and returns the file that runs. */
async function compiled(name: string, code: string): Promise<string> {
  const file = join(directory, name.replaceAll(/\W/g, '-'));
  writeFileSync(`${file}.mts`, code);
  const { stdout } = await run(process.execPath, [
    'node_modules/typescript/bin/tsc',
    ...STRICT,
    `${file}.mts`,
  ]).catch(({ stdout }) => ({ stdout }));
  expect(stdout).toBe('');
  return `${file}.mjs`;
}

it.each(['README.md', 'client/README.md'])(
  'the program in %s compiles under strict and runs',
  async (page) => {
    const [code] = programsIn(page);
    const program = await compiled(page, code.replace('http://localhost:3000', service.url));
    const api = await service.client();
    await api.createUser({ email: 'grace@example.com' });
    const env = { ...process.env, TOKEN: api.tokenValue };
    expect((await run(process.execPath, [program], { env })).stdout).toContain('grace@example.com\n');
  },
);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const [express, nest, ...others] = programsIn('docs/webhooks.md');

it.each([
  ['Express', express],
  ['Nest', nest],
])('the receiver for %s in docs/webhooks.md takes what is signed, and nothing else', async (name, code) => {
  expect(others).toEqual([]);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/webhooks/users`;
  const program = await compiled(`receiver for ${name}`, code.replace('8080', String(port)));
  const api = await service.client();
  const { id, secret } = await createWebhook(api, { url });
  const receiver = spawn(process.execPath, [program], {
    env: { ...process.env, WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  receiver.stdout.setEncoding('utf8').on('data', (chunk) => (printed += chunk));
  try {
    const headers = { 'Content-Type': 'application/json' };
    const post = () => fetch(url, { method: 'POST', headers, body: '{}' });
    const answer = await until(() => post().catch(() => undefined), 100);
    expect(answer.status).toBe(401);
    await api.createUser({ name: 'Ünal 🎉' });
    const [delivery] = await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
    expect(delivery).toMatchObject({ state: 'delivered', lastStatus: 204 });
    expect(printed).toContain(`user.created ${delivery.eventId}\n`);
  } finally {
    receiver.kill();
    await once(receiver, 'exit');
  }
});

const document = readFileSync('docs/oauth.md', 'utf8');
const blocks = (language: string) =>
  [...document.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, code]) => code);

const [withSecret, withAssertion, fromFile, showClaims] = blocks('sh');
const [manifest, github, gitlab] = blocks('yaml').map((code) => parseAllDocuments(code)[0].toJS());

describe('docs/oauth.md', () => {
  it('has rules that the service reads', () => {
    const [, rules] = /^TOKEN_ISSUERS='([^']+)'$/m.exec(document)!;
    const read = parseIssuerRules(rules.split(',').map((rule) => rule.trim()));
    expect(read.map(({ issuer }) => new URL(issuer).hostname)).toEqual([
      'token.actions.githubusercontent.com',
      'gitlab.com',
    ]);
  });

  it('asks each platform for an assertion to PUBLIC_URL', () => {
    const { serviceAccountName, containers, volumes } = manifest.spec.template.spec;
    const [{ mountPath, name }] = containers[0].volumeMounts;
    const [{ serviceAccountToken }] = volumes[0].projected.sources;
    expect(serviceAccountName).toBe(manifest.metadata.name);
    expect(name).toBe(volumes[0].name);
    expect(serviceAccountToken.audience).toBe(AUDIENCE);
    expect(fromFile).toContain(`@${mountPath}/${serviceAccountToken.path}\n`);

    expect(github).toMatchObject({
      permissions: { 'id-token': 'write' },
      jobs: { sync: { env: { SERVICE: AUDIENCE } } },
    });
    expect(gitlab['sync-users']).toMatchObject({
      variables: { SERVICE: AUDIENCE },
      id_tokens: { ASSERTION: { aud: AUDIENCE } },
    });
  });
});

describeWith(['bash', 'curl', 'jq'], 'the examples in docs/oauth.md', () => {
  /** Runs commands against this service, as a platform does. */
  async function outcomeOf(commands: string, env: Record<string, string> = {}) {
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', commands.replaceAll(AUDIENCE, service.url)], {
      env: { PATH: process.env.PATH, SERVICE: service.url, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(shell, 'close');
    const [printed, errors] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
    return { printed, errors, status: (await ended)[0] as number };
  }

  async function outputOf(commands: string, env: Record<string, string> = {}): Promise<string> {
    const { printed, errors, status } = await outcomeOf(commands, env);
    expect([errors, status]).toEqual(['', 0]);
    return printed;
  }

  const [response] = blocks('json').map((code) => JSON.parse(code));
  const asInDocument = { ...response, access_token: expect.stringMatching(/^umt_\w{38}$/) };

  it('exchange an API token', async () => {
    const { tokenId, tokenValue } = await service.client({ scopes: ['users:read', 'users:write'] });
    const printed = await outputOf(withSecret, { TOKEN_ID: tokenId, TOKEN: tokenValue });
    expect(JSON.parse(printed)).toEqual(asInDocument);
  });

  it('exchange an assertion', async () => {
    const printed = await outputOf(withAssertion, { ASSERTION: await platform.assertion() });
    expect(JSON.parse(printed)).toEqual(asInDocument);
  });

  it('exchange the token of a Kubernetes service account', async () => {
    const file = join(directory, 'token');
    writeFileSync(file, await platform.assertion());
    const printed = await outputOf(fromFile.replace('/run/secrets/users/token', file));
    expect(JSON.parse(printed)).toEqual(asInDocument);
  });

  it('exchange it with the client', async () => {
    const file = join(directory, 'projected');
    writeFileSync(file, await platform.assertion());
    const [program] = blocks('ts').map((code) => code.replace('/run/secrets/users/token', resolve(file)));
    writeFileSync(join(directory, 'program.mjs'), program.replace(AUDIENCE, service.url));
    const acme = await service.client({ organizationId: ACME });
    const { email } = await acme.createUser();
    expect(await outputOf(`node ${join(directory, 'program.mjs')}`)).toBe(`${email}\n`);
  });

  it('show the claims of an assertion', async () => {
    const claims = { iss: platform.url, aud: AUDIENCE, sub: 'Ünal?~~ 🎉' };
    const printed = await outputOf(showClaims, { ASSERTION: await platform.assertion(claims) });
    expect(JSON.parse(printed)).toMatchObject(claims);
  });

  it('run on GitHub Actions, where no log shows a token', async () => {
    const variables = join(directory, 'github.env');
    const env = {
      ACTIONS_ID_TOKEN_REQUEST_URL: `${platform.url}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'of-the-job',
      GITHUB_ENV: variables,
    };
    const [get, use, revoke] = github.jobs.sync.steps as { run: string }[];
    const log = await outputOf(get.run, env);
    expect(platform.asked).toEqual([`/token?api-version=2.0&audience=${service.url}`, 'Bearer of-the-job']);
    const [, TOKEN] = /^TOKEN=(umt_\w{38})\n$/.exec(readFileSync(variables, 'utf8'))!;
    expect(log).toMatch(new RegExp(`^::add-mask::eyJ.+\n::add-mask::${TOKEN}\n$`));
    expect(JSON.parse(await outputOf(use.run, { TOKEN }))).toHaveProperty('data');
    expect(await outputOf(revoke.run, { TOKEN })).toBe('');
    const headers = { Authorization: `Bearer ${TOKEN}` };
    expect((await fetch(`${service.url}/v1/tokens/current`, { headers })).status).toBe(401);
  });

  it('run on GitLab CI', async () => {
    const log = await outputOf(gitlab['sync-users'].script.join('\n'), {
      ASSERTION: await platform.assertion(),
    });
    expect(JSON.parse(log)).toHaveProperty('data');
  });

  it('stop with the reason when an assertion is refused', async () => {
    const ASSERTION = await platform.assertion({ aud: 'https://example.com' });
    const { printed, errors, status } = await outcomeOf(gitlab['sync-users'].script.join('\n'), {
      ASSERTION,
    });
    expect([printed, errors]).toEqual(['', expect.stringContaining('claim aud')]);
    expect(status).not.toBe(0);
  });
});
