import { randomUUID } from 'node:crypto';
import { JwtBearerGrant } from '../../src/oauth/jwt-bearer.grant';
import { newId } from '../../src/platform/database/id';
import { TokensService } from '../../src/tokens/tokens.service';
import {
  ACME,
  assertionOf,
  expectFailure,
  inSeconds,
  present,
  SUBJECT,
  useAssertions,
} from '../support/assertions';
import { runJob } from '../support/background';
import { aUser, type Client } from '../support/client';
import { fakeClock } from '../support/clock';
import { basic, exchange } from '../support/oauth';

const GONE = newId('org');
const LONG = `long:${'🚀'.repeat(150)}`;

const { issuer, service, exchanged, clientWith, replica } = useAssertions((issuer) => [
  `${issuer} sub=${SUBJECT} -> ${ACME} users:read users:write`,
  `${issuer} sub=${LONG} -> ${ACME} users:read`,
  `${issuer} sub=gone -> ${GONE} users:read`,
]);

let admin: Client;
beforeEach(async () => (admin = await service.client({ organizationId: ACME })));

/** Exchanges an assertion, and returns the record of the token, and a client that has it. */
async function newToken(claims: object = {}) {
  const answer = await exchanged(claims);
  expect(answer.status).toBe(200);
  const api = clientWith(answer);
  const { body: record } = await api.get('/v1/tokens/current').expect(200);
  return { answer, api, record };
}

const eventsOf = async (id: string) =>
  (await admin.get(`/api/v1/events?target=${id}`).expect(200)).body.data as { type: string }[];
const typesOf = async (id: string) => (await eventsOf(id)).map(({ type }) => type);

/** Moves the end of a token, relative to now. */
const endIn = (id: string, interval: string) =>
  service.dataSource.query(`UPDATE tokens SET expires_at = now() + $2::interval WHERE id = $1`, [
    id,
    interval,
  ]);

describe('POST /oauth/token with an assertion', () => {
  it.each(['/oauth/token', '/api/oauth/token'])('answers with a token of an hour: %s', async (path) => {
    const { status, headers, body } = await present(service, await assertionOf(issuer), {}, { path });
    expect([status, body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^umt_\w{38}$/),
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'users:read users:write',
      },
    ]);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': expect.stringMatching(/^application\/json/),
      'x-request-id': expect.any(String),
      'x-ratelimit-limit': '1000',
    });
  });

  it('makes an ordinary token of the organization', async () => {
    const { api, record } = await newToken();
    const { lastUsedAt: _used, ...facts } = record;
    expect(facts).toEqual({
      id: expect.stringMatching(/^tok_/),
      name: SUBJECT,
      hint: expect.stringMatching(/^umt_/),
      scopes: ['users:read', 'users:write'],
      state: 'active',
      expiresIn: null,
      expiresAt: expect.any(String),
      createdAt: expect.any(String),
      revokedAt: null,
      rotatedFrom: null,
      rateLimit: null,
      createdBy: { issuer: issuer.url, subject: SUBJECT, name: SUBJECT },
      parentId: null,
    });
    const { body: user } = await api.post('/api/v1/users', aUser()).expect(201);
    await admin.get(`/api/v1/users/${user.id}`).expect(200);
    await api.get('/v1/tokens').expect(403);
    expect((await admin.get(`/v1/tokens/${record.id}`).expect(200)).body).toMatchObject({ id: record.id });
    const idsOf = async (query: string) =>
      (await admin.get(`/v1/tokens?limit=200&${query}`).expect(200)).body.data.map(
        ({ id }: { id: string }) => id,
      );
    expect(await idsOf('')).toContain(record.id);
    expect(await idsOf('session=true')).toContain(record.id);
    expect(await idsOf('session=false')).not.toContain(record.id);
    await admin.delete(`/v1/tokens/${record.id}`).expect(204);
    await api.get('/api/v1/users').expect(401);
    expect(await typesOf(record.id)).toEqual(['token.created', 'token.revoked']);
  });

  it('names it after the subject, of which it keeps 100 characters', async () => {
    const { record } = await newToken({ sub: LONG });
    const name = [...LONG].slice(0, 100).join('');
    expect([...name]).toHaveLength(100);
    expect(record).toMatchObject({ name, createdBy: { issuer: issuer.url, subject: LONG, name } });
  });

  it('records who has made it', async () => {
    const requestId = randomUUID();
    const assertion = await assertionOf(issuer);
    const answer = await present(service, assertion, {}, { headers: { 'X-Request-ID': requestId } });
    expect(answer.headers['x-request-id']).toBe(requestId);
    const { body: record } = await clientWith(answer).get('/v1/tokens/current').expect(200);
    const events = await eventsOf(record.id);
    expect(events).toEqual([
      {
        id: expect.any(String),
        sequence: expect.any(Number),
        type: 'token.created',
        occurredAt: expect.any(String),
        source: 'federation',
        actor: { type: 'system', id: null, name: issuer.url },
        target: { type: 'token', id: record.id },
        requestId,
        data: { token: { ...record, lastUsedAt: null } },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(answer.body.access_token);
  });

  it('records who has used it like any other token', async () => {
    const { api, record } = await newToken();
    const { body: user } = await api.post('/api/v1/users', aUser()).expect(201);
    expect(await eventsOf(user.id)).toMatchObject([
      { type: 'user.created', source: 'api', actor: { type: 'token', id: record.id, name: SUBJECT } },
    ]);
  });
});

describe('the life of the token', () => {
  it('is an hour at most', async () => {
    const { answer, record } = await newToken({ exp: inSeconds(20 * 3600) });
    expect(answer.body.expires_in).toBe(3600);
    expect(Date.parse(record.expiresAt) - Date.parse(record.createdAt)).toBe(3_600_000);
  });

  it('is no longer than that of the assertion', async () => {
    const exp = inSeconds(600);
    const { answer, api, record } = await newToken({ exp });
    expect(answer.body.expires_in).toBeGreaterThan(500);
    expect(answer.body.expires_in).toBeLessThanOrEqual(600);
    expect(record.expiresAt).toBe(new Date(exp * 1000).toISOString());
    const { headers } = await api.get('/api/v1/users').expect(200);
    expect(headers['x-token-expires-at']).toBe(record.expiresAt);
  });

  it('ends with token.expired, of which nothing warns', async () => {
    const { api, record } = await newToken();
    const warn = () => runJob(service.app, 'warn of expiring tokens');
    await warn();
    await endIn(record.id, '1 minute');
    await warn();
    expect(await typesOf(record.id)).toEqual(['token.created']);
    await endIn(record.id, '-1 second');
    await api.get('/api/v1/users').expect(401);
    await warn();
    await warn();
    expect(await typesOf(record.id)).toEqual(['token.created', 'token.expired']);
  });

  it('cannot be prolonged by a rotation', async () => {
    const { api, record } = await newToken();
    const { body } = await admin.post(`/v1/tokens/${record.id}/rotate`).expect(409);
    expect(body).toMatchObject({ code: 'conflict', detail: expect.stringContaining('Exchange again') });
    await api.get('/v1/tokens/current').expect(200);
  });

  it('cannot be prolonged by an exchange: it is no client', async () => {
    const { answer, record } = await newToken();
    const secret = answer.body.access_token;
    const form = { grant_type: 'client_credentials', client_id: record.id, client_secret: secret };
    expectFailure(await exchange(service.url, form), 'invalid_client', /./);
    await expect(service.app.get(TokensService).exchange(ACME, record.id)).rejects.toMatchObject({
      status: 409,
    });
  });

  it('is over at once if it revokes itself', async () => {
    const { api } = await newToken();
    await api.delete('/v1/tokens/current').expect(204);
    await api.get('/v1/tokens/current').expect(401);
  });

  it('is forgotten 24 hours after its end', async () => {
    const { record } = await newToken();
    const clean = () => runJob(service.app, 'delete ended tokens of exchanges');
    await endIn(record.id, '-23 hours -59 minutes');
    await clean();
    expect((await admin.get(`/v1/tokens/${record.id}`).expect(200)).body.state).toBe('expired');
    await endIn(record.id, '-24 hours -1 second');
    await clean();
    await admin.get(`/v1/tokens/${record.id}`).expect(404);
    expect(await typesOf(record.id)).toEqual(['token.created']); // its events stay
  });
});

describe('a form with an assertion', () => {
  it.each([
    ['a secret', { client_secret: 'x' }, {}],
    ['a client with its secret', { client_id: 'tok_x', client_secret: 'x' }, {}],
    ['HTTP Basic', {}, basic('tok_x', 'x')],
    ['HTTP Basic in another case', {}, { Authorization: 'bAsIc eDp5' }],
    ['HTTP Basic without a value', {}, { Authorization: 'Basic' }],
  ])('must not have %s beside it', async (_what, fields, headers) => {
    const answer = await present(service, await assertionOf(issuer), fields as Record<string, string>, {
      headers,
    });
    expectFailure(answer, 'invalid_request', /^An assertion is exchanged without a secret\.$/);
    expect(answer.headers['www-authenticate']).toBeUndefined();
  });

  it('may have a client_id beside it, and fields that nobody knows', async () => {
    const fields = { client_id: 'pipeline', client_assertion: 'x', resource: 'https://x.example', empty: '' };
    expect((await present(service, await assertionOf(issuer), fields)).status).toBe(200);
  });

  it.each([
    ['missing', {}],
    ['empty', { assertion: '' }],
  ])('must have it: %s', async (_what, form) => {
    const answer = await exchange(service.url, { grant_type: JwtBearerGrant.type, ...form });
    expectFailure(answer, 'invalid_request', /^The field assertion is required\.$/);
  });
});

it('an organization that has been deleted is invalid_grant', async () => {
  await service.dataSource.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Gone')`, [GONE]);
  expect((await exchanged({ sub: 'gone' })).status).toBe(200);
  await service.dataSource.query('DELETE FROM tokens WHERE organization_id = $1', [GONE]);
  await service.dataSource.query('DELETE FROM organizations WHERE id = $1', [GONE]);
  expectFailure(await exchanged({ sub: 'gone' }), 'invalid_grant', /^No rule of this service matches/);
});

it('without TOKEN_ISSUERS the grant type is not supported', async () => {
  const { url } = await replica({ TOKEN_ISSUERS: '' });
  const answer = await present({ url }, await assertionOf(issuer));
  expectFailure(answer, 'unsupported_grant_type', /no issuer is configured/);
});

it('an assertion that is over by the clock of the database makes no token', async () => {
  const clock = await fakeClock(service.dataSource);
  const tokens = async () => (await service.dataSource.query('SELECT id FROM tokens')).length;
  const before = await tokens();
  await clock.pass(600);
  expectFailure(await exchanged({ exp: inSeconds(300) }), 'invalid_grant', /^The claim exp /);
  expect(await tokens()).toBe(before);
  expect((await exchanged({ exp: inSeconds(900) })).status).toBe(200);
});
