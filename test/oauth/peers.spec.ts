/**
 * @slow it starts a process
 * @only embedded postgres: what others send is the same on a cluster
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { JwtBearerGrant } from '../../src/oauth/jwt-bearer.grant';
import { ACME, assertionOf, AUDIENCE, inSeconds, SUBJECT, useAssertions } from '../support/assertions';
import { Client } from '../support/client';

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

/** A token that is accepted. */
async function expectToken(value: string): Promise<void> {
  await new Client(service.url, { value }).get('/api/v1/users').expect(200);
}

const endpoint = () => `${service.url}/oauth/token`;

describe('openid-client', () => {
  /** The service as an authorization server of which a client knows the endpoint. */
  function configuration(id: string, authentication: openid.ClientAuth): openid.Configuration {
    const server = { issuer: service.url, token_endpoint: endpoint() };
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
    await expectToken(all.access_token);
    const some = await openid.clientCredentialsGrant(configured, { scope: 'users:read' });
    expect(some.scope).toBe('users:read');
    const other = configuration(tokenId, authentication(`${tokenValue}0`));
    await expect(openid.clientCredentialsGrant(other)).rejects.toMatchObject(
      authentication === openid.ClientSecretBasic
        ? { code: 'OAUTH_WWW_AUTHENTICATE_CHALLENGE', cause: [{ scheme: 'basic', parameters: {} }] }
        : { error: 'invalid_client', status: 401, error_description: expect.any(String) },
    );
  });

  it('exchanges an assertion', async () => {
    const configured = configuration('any client', openid.None());
    const assertion = await assertionOf(issuer);
    const token = await openid.genericGrantRequest(configured, JwtBearerGrant.type, {
      assertion,
      scope: 'users:read',
    });
    expect(token).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'users:read' });
    await expectToken(token.access_token);
    const over = await assertionOf(issuer, { exp: inSeconds(-1) });
    await expect(
      openid.genericGrantRequest(configured, JwtBearerGrant.type, { assertion: over }),
    ).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
      error_description: 'The claim exp of the assertion is missing or not acceptable.',
    });
  });

  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])(
    'gets an assertion from oidc-provider, signed with %s, which the service exchanges',
    async (alg) => {
      const issued = await openid.discovery(
        new URL(providerUrl),
        PIPELINE,
        SECRET,
        openid.ClientSecretBasic(SECRET),
        { execute: [openid.allowInsecureRequests] },
      );
      const { access_token: assertion } = await openid.clientCredentialsGrant(issued, {
        resource: `${AUDIENCE}/${alg}`,
      });
      const [header] = assertion.split('.');
      expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ alg, typ: 'at+jwt' });
      const token = await openid.genericGrantRequest(
        configuration(PIPELINE, openid.None()),
        JwtBearerGrant.type,
        {
          assertion,
        },
      );
      expect(token.scope).toBe('users:read');
      expect(token.expires_in).toBeLessThanOrEqual(600); // the life of the assertion
      await expectToken(token.access_token);
      const { body: record } = await new Client(service.url, { value: token.access_token })
        .get('/v1/tokens/current')
        .expect(200);
      expect(record.createdBy).toEqual({ issuer: providerUrl, subject: PIPELINE, name: PIPELINE });
    },
  );
});

describe('oauth4webapi', () => {
  const server = () => ({ issuer: service.url, token_endpoint: endpoint() });
  const insecure = { [oauth.allowInsecureRequests]: true };

  it.each([
    ['client_secret_basic', oauth.ClientSecretBasic],
    ['client_secret_post', oauth.ClientSecretPost],
  ])('exchanges client credentials by %s', async (_method, authentication) => {
    const { tokenId, tokenValue } = await service.client({ scopes: ['users:read', 'users:write'] });
    const client = { client_id: tokenId };
    const parameters = { scope: 'users:read' };
    const response = await oauth.clientCredentialsGrantRequest(
      server(),
      client,
      authentication(tokenValue),
      parameters,
      insecure,
    );
    const token = await oauth.processClientCredentialsResponse(server(), client, response);
    expect(token).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'users:read' });
    await expectToken(token.access_token);
  });

  it('exchanges an assertion', async () => {
    const client = { client_id: 'any client' };
    const parameters = { assertion: await assertionOf(issuer) };
    const response = await oauth.genericTokenEndpointRequest(
      server(),
      client,
      oauth.None(),
      JwtBearerGrant.type,
      parameters,
      insecure,
    );
    const token = await oauth.processGenericTokenEndpointResponse(server(), client, response);
    expect(token).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'users:read users:write' });
    await expectToken(token.access_token);
  });
});
