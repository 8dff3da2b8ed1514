/**
 * @slow it starts processes
 * @only embedded postgres: a process starts the same way on a cluster, and gets the same from other programs
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as openid from 'openid-client';
import { JwtBearerGrant } from '../../src/oauth/jwt-bearer.grant';
import { newId } from '../../src/platform/database/id';
import { ACME, assertionOf, AUDIENCE, present, SUBJECT, useAssertions } from '../support/assertions';
import { Client } from '../support/client';
import { copyOfTemplate, type TestDatabase } from '../support/database';
import { run, start, stop } from '../support/process';

const SECRET = 'a secret of the pipeline';
const PIPELINE = 'pipeline';

/** An issuer that is not ours. */
let provider: ChildProcess;
let providerUrl: string;
beforeAll(async () => {
  provider = spawn(process.execPath, ['test/support/oidc-provider.mjs', AUDIENCE, SECRET], {
    env: { PATH: process.env.PATH },
  });
  let errors = '';
  provider.stderr!.on('data', (chunk) => (errors += chunk));
  const ended = once(provider, 'close').then(() => Promise.reject(new Error(errors)));
  ended.catch(() => {}); // it ends after the tests
  const [line] = await Promise.race([once(provider.stdout!, 'data'), ended]);
  providerUrl = String(line).trim();
});
afterAll(async () => {
  provider.kill();
  await once(provider, 'close');
});

const { issuer, service } = useAssertions((url) => [
  `${url} sub=${SUBJECT} -> ${ACME} users:read users:write`,
  `${providerUrl} sub=${PIPELINE} client_id=${PIPELINE} -> ${ACME} users:read`,
]);

describe('openid-client', () => {
  /** A token that is accepted. */
  async function expectToken({ access_token: value }: { access_token: string }): Promise<void> {
    await new Client(service.url, { value }).get('/api/v1/users').expect(200);
  }

  /** The service as an authorization server of which a client knows the endpoint. */
  function configuration(id: string, authentication: openid.ClientAuth): openid.Configuration {
    const server = { issuer: service.url, token_endpoint: `${service.url}/oauth/token` };
    const configuration = new openid.Configuration(server, id, undefined, authentication);
    openid.allowInsecureRequests(configuration);
    return configuration;
  }

  it.each([
    ['client_secret_basic', openid.ClientSecretBasic],
    ['client_secret_post', openid.ClientSecretPost],
  ])('exchanges client credentials by %s', async (_method, authentication) => {
    const { tokenId, tokenValue } = await service.client({ scopes: ['users:read', 'users:write'] });
    const configured = configuration(tokenId, authentication(tokenValue));
    const all = await openid.clientCredentialsGrant(configured);
    expect(all).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'users:read users:write' });
    expect(all.expiresIn()).toBeGreaterThan(3000);
    await expectToken(all);
    const some = await openid.clientCredentialsGrant(configured, { scope: 'users:read' });
    expect(some.scope).toBe('users:read');
    const other = configuration(tokenId, authentication(`${tokenValue}0`));
    await expect(openid.clientCredentialsGrant(other)).rejects.toMatchObject(
      authentication === openid.ClientSecretBasic
        ? { code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE', cause: [{ scheme: 'basic', parameters: {} }] }
        : { error: 'invalid_client', status: 401, error_description: expect.any(String) },
    );
  });

  it('exchanges assertions of oidc-provider, signed with any algorithm', async () => {
    const options = { execute: [openid.allowInsecureRequests] };
    const authentication = openid.ClientSecretBasic(SECRET);
    const issued = await openid.discovery(new URL(providerUrl), PIPELINE, SECRET, authentication, options);
    for (const alg of ['RS256', 'PS256', 'ES256', 'EdDSA']) {
      const resource = `${AUDIENCE}/${alg}`;
      const { access_token: assertion } = await openid.clientCredentialsGrant(issued, { resource });
      const [header] = assertion.split('.');
      expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ alg, typ: 'at+jwt' });
      const configured = configuration(PIPELINE, openid.None());
      const token = await openid.genericGrantRequest(configured, JwtBearerGrant.type, { assertion });
      expect(token.scope).toBe('users:read');
      expect(token.expires_in).toBeLessThanOrEqual(600); // the life of the assertion
      const { body: record } = await new Client(service.url, { value: token.access_token })
        .get('/v1/tokens/current')
        .expect(200);
      expect(record.createdBy).toEqual({ issuer: providerUrl, subject: PIPELINE, name: PIPELINE });
    }
  });
});

describe('a process', () => {
  let database: TestDatabase;
  let directory: string;
  let organizationId: string;
  beforeAll(async () => {
    database = await copyOfTemplate();
    directory = mkdtempSync(join(tmpdir(), 'ums-oauth-'));
    const created = await run(['organizations', 'create', 'Acme', '--json'], database.env);
    organizationId = JSON.parse(created.stdout).id;
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true });
    await database.drop();
  });

  const ruleFor = (organizationId: string) => `${issuer.url} sub=${SUBJECT} -> ${organizationId} users:read`;

  /** The variables that switch on the exchange, and sign-in. */
  const variables = () => ({
    ...database.env,
    PUBLIC_URL: AUDIENCE,
    TOKEN_ISSUERS: ruleFor(organizationId),
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: 'dashboard',
    OIDC_ADMINS: `groups=Admins -> ${organizationId}`,
    SIGN_IN_KEY: Buffer.alloc(32).toString('base64'),
    MIGRATE_ON_START: 'false',
    PORT: '0',
    HOST: '127.0.0.1',
  });

  /** The option of Node that makes a library seem not to be installed. */
  function without(library: string): string {
    const file = join(directory, `without-${library}.cjs`);
    const hooks = `export const resolve = (name, context, next) => {
      if (name !== '${library}') return next(name, context);
      throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    };`;
    const url = `data:text/javascript,${encodeURIComponent(hooks)}`;
    writeFileSync(file, `require('node:module').register(${JSON.stringify(url)});`);
    return `--require ${file}`;
  }

  async function expectNoStart(changes: object, message: string): Promise<void> {
    const ended = await run(['start'], { ...variables(), ...changes, LOG_LEVEL: 'fatal' });
    expect([ended.code, ended.stdout]).toEqual([1, '']);
    expect(ended.stderr).toContain(message);
  }

  it('exchanges assertions, and writes no secret to its log', async () => {
    const service = await start(variables());
    try {
      const { status, body } = await present(service, await assertionOf(issuer));
      expect([status, body]).toMatchObject([200, { scope: 'users:read' }]);
      const output = service.stdout() + service.stderr();
      for (const secret of ['eyJ', body.access_token]) expect(output).not.toContain(secret);
    } finally {
      await stop(service);
    }
  });

  it('does not start with rules that name organizations that are not there', async () => {
    const [gone, lost] = [newId('org'), newId('org')];
    const TOKEN_ISSUERS = [organizationId, gone, lost].map(ruleFor).join();
    await expectNoStart(
      { TOKEN_ISSUERS, OIDC_ADMINS: `groups=Admins -> ${gone}` },
      [
        'Invalid configuration:',
        `  OIDC_ADMINS names organizations that do not exist: ${gone}. See: ums organizations list`,
        `  TOKEN_ISSUERS names organizations that do not exist: ${gone}, ${lost}. See: ums organizations list`,
      ].join('\n'),
    );
  });

  it('does not start without a library that a variable needs', async () => {
    for (const [library, variable] of [
      ['jose', 'TOKEN_ISSUERS'],
      ['openid-client', 'OIDC_ISSUER'],
    ]) {
      const message = `${library} is not installed. Unset ${variable}, or run npm install ${library}.`;
      await expectNoStart({ NODE_OPTIONS: without(library) }, message);
    }
  });

  it('starts without jose if it exchanges no assertions', async () => {
    expect(await stop(await start({ ...database.env, NODE_OPTIONS: without('jose') }))).toBe(0);
  });
});
