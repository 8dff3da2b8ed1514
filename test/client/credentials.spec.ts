import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { type Client, createClient, type Credentials } from '../../client/index';
import { newId } from '../../src/platform/database/id';
import { errorOf } from '../support/calls';
import { aUser } from '../support/client';
import { type FakeIssuer, startIssuer } from '../support/issuer';
import { startService, type TestService } from '../support/service';

const AUDIENCE = 'https://users.example.com';
const [ACME, GLOBEX] = [newId('org'), newId('org')];

let issuer: FakeIssuer;
let service: TestService;
let key: CryptoKey;

beforeAll(async () => {
  issuer = await startIssuer();
  const pair = await generateKeyPair('ES256');
  key = pair.privateKey;
  const keys = JSON.stringify({ keys: [await exportJWK(pair.publicKey)] });
  issuer.answerAt('/keys', (response) => response.end(keys));
  service = await startService({
    PUBLIC_URL: AUDIENCE,
    TOKEN_ISSUERS: [
      `${issuer.url} sub=crm -> ${ACME} users:read users:write`,
      `${issuer.url} sub=both -> ${ACME} users:read`,
      `${issuer.url} sub=both -> ${GLOBEX} users:read`,
    ].join(', '),
  });
  await service.dataSource.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Acme'), ($2, 'Globex')`, [
    ACME,
    GLOBEX,
  ]);
});
afterAll(async () => {
  await service?.close();
  await issuer?.down();
});

const jwtOf = (claims: JWTPayload) =>
  new SignJWT({ iss: issuer.url, aud: AUDIENCE, exp: Math.floor(Date.now() / 1000) + 600, ...claims })
    .setProtectedHeader({ alg: 'ES256' })
    .sign(key);

const clientOf = (credentials: Credentials): Client => createClient({ baseUrl: service.url, credentials });

describe('a client with the ID and the value of a token', () => {
  it('uses its short-lived children, and gets a new one when the last has been revoked', async () => {
    const api = await service.client({ scopes: ['users:read', 'users:write'] });
    const client = clientOf({ clientId: api.tokenId, clientSecret: api.tokenValue });
    const first = await client.tokens.current();
    expect(first).toMatchObject({ parentId: api.tokenId, scopes: ['users:read', 'users:write'] });
    const { id } = await client.users.create(aUser());
    expect(await client.tokens.current()).toMatchObject({ id: first.id });

    await client.tokens.revoke('current');
    await client.users.update(id, { role: 'viewer' }); // is repeated after a 401 alone
    const second = await client.tokens.current();
    expect(second).toMatchObject({ parentId: api.tokenId });
    expect(second.id).not.toBe(first.id);
  });

  it('may ask for some of its scopes, and fails if the token has not all of them', async () => {
    const api = await service.client({ scopes: ['users:read', 'users:write'] });
    const secret = { clientId: api.tokenId, clientSecret: api.tokenValue };
    const reader = clientOf({ ...secret, scopes: ['users:read'] });
    expect(await reader.tokens.current()).toMatchObject({ scopes: ['users:read'] });
    expect(await errorOf(reader.users.create(aUser()))).toMatchObject({ code: 'insufficient_scope' });
    expect(
      await errorOf(
        clientOf({ ...secret, scopes: ['admin'] })
          .users.list()
          .page(),
      ),
    ).toMatchObject({
      status: 400,
      code: 'invalid_scope',
    });
  });

  it('fails once the token has been revoked, and says so', async () => {
    const api = await service.client();
    const client = clientOf({ clientId: api.tokenId, clientSecret: api.tokenValue });
    await client.tokens.revoke(api.tokenId);
    const error = await errorOf(client.users.list().page());
    expect(error).toMatchObject({
      name: 'ApiError',
      status: 401,
      code: 'invalid_client',
      message: expect.stringContaining('client_secret'),
      requestId: expect.stringMatching(/./),
    });
  });
});

describe('a client with an assertion', () => {
  it('uses tokens of its subject', async () => {
    const client = clientOf({ assertion: () => jwtOf({ sub: 'crm' }), scopes: ['users:write'] });
    await client.users.create(aUser());
    expect(await client.tokens.current()).toMatchObject({
      name: 'crm',
      parentId: null,
      scopes: ['users:write'],
      createdBy: { issuer: issuer.url, subject: 'crm', name: 'crm' },
    });
  });

  it('chooses one of several organizations', async () => {
    const assertion = () => jwtOf({ sub: 'both' });
    const statistics = await clientOf({ assertion, organizationId: GLOBEX }).statistics();
    expect(statistics.organization).toEqual({ id: GLOBEX, name: 'Globex' });
    expect(await errorOf(clientOf({ assertion }).statistics())).toMatchObject({
      status: 400,
      code: 'invalid_request',
      message: expect.stringContaining(ACME),
    });
  });

  it('fails with the reason if the service refuses the assertion', async () => {
    const refused = { sub: 'crm', aud: 'https://other.example.com' };
    expect(
      await errorOf(
        clientOf({ assertion: () => jwtOf(refused) })
          .users.list()
          .page(),
      ),
    ).toMatchObject({
      status: 400,
      code: 'invalid_grant',
      message: expect.stringContaining('aud'),
    });
  });
});
