/**
 * @only embedded: other suites send its requests
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { parseAllDocuments } from 'yaml';
import { parseIssuerRules } from '../../src/oauth/token-issuers';
import { newId } from '../../src/platform/database/id';
import { startService, type TestService } from '../support/service';

const AUDIENCE = 'https://users.example.com';
const ACME = newId('org');
const SUBJECT = 'repo:acme/crm:ref:refs/heads/main';

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

const missing = ['bash', 'curl', 'jq'].filter((name) => spawnSync(name, ['--version']).status !== 0);
if (missing.length > 0)
  process.stderr.write(`Not installed: ${missing.join(', ')}. The examples in docs/oauth.md are not run.\n`);

(missing.length === 0 ? describe : describe.skip)('the examples in docs/oauth.md', () => {
  let platform: Awaited<ReturnType<typeof startPlatform>>;
  let service: TestService;
  let directory: string;
  beforeAll(async () => {
    directory = mkdtempSync('node_modules/.workloads-'); // a program finds the client from here
    platform = await startPlatform();
    const TOKEN_ISSUERS = `${platform.url} sub=${SUBJECT} -> ${ACME} users:read users:write`;
    service = await startService({ PUBLIC_URL: AUDIENCE, TOKEN_ISSUERS });
    await service.dataSource.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Acme')`, [ACME]);
  });
  afterAll(async () => {
    await service.close();
    platform.close();
    rmSync(directory, { recursive: true });
    expect(service.logs.join('')).not.toContain('eyJ');
  });

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

  async function run(commands: string, env: Record<string, string> = {}): Promise<string> {
    const { printed, errors, status } = await outcomeOf(commands, env);
    expect([errors, status]).toEqual(['', 0]);
    return printed;
  }

  const [response] = blocks('json').map((code) => JSON.parse(code));
  const asInDocument = { ...response, access_token: expect.stringMatching(/^umt_\w{38}$/) };

  it('exchange an API token', async () => {
    const { tokenId, tokenValue } = await service.client({ scopes: ['users:read', 'users:write'] });
    const printed = await run(withSecret, { TOKEN_ID: tokenId, TOKEN: tokenValue });
    expect(JSON.parse(printed)).toEqual(asInDocument);
  });

  it('exchange an assertion', async () => {
    const printed = await run(withAssertion, { ASSERTION: await platform.assertion() });
    expect(JSON.parse(printed)).toEqual(asInDocument);
  });

  it('exchange the token of a Kubernetes service account', async () => {
    const file = join(directory, 'token');
    writeFileSync(file, await platform.assertion());
    const printed = await run(fromFile.replace('/run/secrets/users/token', file));
    expect(JSON.parse(printed)).toEqual(asInDocument);
  });

  it('exchange it with the client', async () => {
    const file = join(directory, 'projected');
    writeFileSync(file, await platform.assertion());
    const [program] = blocks('ts').map((code) => code.replace('/run/secrets/users/token', resolve(file)));
    writeFileSync(join(directory, 'program.mjs'), program.replace(AUDIENCE, service.url));
    const acme = await service.client({ organizationId: ACME });
    const { email } = await acme.createUser();
    expect(await run(`node ${join(directory, 'program.mjs')}`)).toBe(`${email}\n`);
  });

  it('show the claims of an assertion', async () => {
    const claims = { iss: platform.url, aud: AUDIENCE, sub: 'Ünal?~~ 🎉' };
    const printed = await run(showClaims, { ASSERTION: await platform.assertion(claims) });
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
    const log = await run(get.run, env);
    expect(platform.asked).toEqual([`/token?api-version=2.0&audience=${service.url}`, 'Bearer of-the-job']);
    const [, TOKEN] = /^TOKEN=(umt_\w{38})\n$/.exec(readFileSync(variables, 'utf8'))!;
    expect(log).toMatch(new RegExp(`^::add-mask::eyJ.+\n::add-mask::${TOKEN}\n$`));
    expect(JSON.parse(await run(use.run, { TOKEN }))).toHaveProperty('data');
    expect(await run(revoke.run, { TOKEN })).toBe('');
    const headers = { Authorization: `Bearer ${TOKEN}` };
    expect((await fetch(`${service.url}/v1/tokens/current`, { headers })).status).toBe(401);
  });

  it('run on GitLab CI', async () => {
    const log = await run(gitlab['sync-users'].script.join('\n'), { ASSERTION: await platform.assertion() });
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
