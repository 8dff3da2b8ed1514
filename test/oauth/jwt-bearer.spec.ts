import { randomUUID } from 'node:crypto';
import type { Response } from 'supertest';
import { ClientCredentialsGrant } from '../../src/oauth/client-credentials.grant';
import { JwtBearerGrant } from '../../src/oauth/jwt-bearer.grant';
import { newId } from '../../src/platform/database/id';
import { TokensService } from '../../src/tokens/tokens.service';
import { ACME, assertionOf, GLOBEX, inSeconds, present, SUBJECT, useAssertions } from '../support/assertions';
import { runJob } from '../support/background';
import { aUser, Client } from '../support/client';
import { fakeClock } from '../support/clock';
import { itNotOn } from '../support/engine';
import { type FakeIssuer, startIssuer } from '../support/issuer';
import { basic, exchange, expectFailure, newNetwork } from '../support/oauth';

let other: FakeIssuer;
beforeAll(async () => (other = await startIssuer()));
afterAll(() => other.down());

const GONE = newId('org');
const LONG = `long:${'🚀'.repeat(150)}`;

const { issuer, service, exchanged, clientWith, replica } = useAssertions((issuer) => [
  `${issuer} sub=${SUBJECT} -> ${ACME} users:read users:write`,
  `${issuer} sub=${LONG} -> ${ACME} users:read`,
  `${issuer} sub=gone -> ${GONE} users:read`,
  // Each test of windows has a subject of its own.
  ...['a', 'b', 'c'].flatMap((sub) => [ACME, GLOBEX].map((id) => `${issuer} sub=${sub} -> ${id} users:read`)),
  `${issuer} sub=d -> ${ACME} users:read`,
  `${other.url} sub=c -> ${ACME} users:read`,
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

describe('POST /oauth/token with an assertion', () => {
  it('answers with an ordinary token of the organization, which lives an hour', async () => {
    const { answer, api, record } = await newToken();
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^umt_\w{38}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'users:read users:write',
    });
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'x-ratelimit-limit': '1000' });
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
      allowedNetworks: null,
      createdBy: { issuer: issuer.url, subject: SUBJECT, name: SUBJECT },
      parentId: null,
    });
    await api.get('/v1/tokens').expect(403);

    const { body: user } = await api.post('/api/v1/users', aUser()).expect(201);
    expect(await eventsOf(user.id)).toMatchObject([
      { type: 'user.created', source: 'api', actor: { type: 'token', id: record.id, name: SUBJECT } },
    ]);
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
    const answer = await present(
      service,
      assertion,
      {},
      { headers: { 'X-Request-ID': requestId, 'X-On-Behalf-Of': 'ada@example.com' } },
    );
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
        onBehalfOf: 'ada@example.com',
        data: { token: { ...record, lastUsedAt: null } },
      },
    ]);
    expect(JSON.stringify(events)).not.toContain(answer.body.access_token);
  });

  it('refuses an X-On-Behalf-Of that events cannot have, whatever the grant', async () => {
    const headers = { ...newNetwork(), 'X-On-Behalf-Of': 'x'.repeat(201) };
    const description = /X-On-Behalf-Of must have at most 200 characters\.$/;
    const assertion = await assertionOf(issuer);
    expectFailure(await present(service, assertion, {}, { headers }), 'invalid_request', description);
    const form = { grant_type: ClientCredentialsGrant.type, client_id: 'tok_x', client_secret: 'x' };
    expectFailure(await exchange(service.url, form, { headers }), 'invalid_request', description);
  });

  it('may have a client_id, and fields that nobody knows, but no other credentials', async () => {
    const assertion = await assertionOf(issuer);
    const fields = { client_id: 'pipeline', client_assertion: 'x', resource: 'https://x.example', empty: '' };
    expect((await present(service, assertion, fields)).status).toBe(200);
    for (const [fields, headers] of [
      [{ client_id: 'tok_x', client_secret: 'x' }, {}],
      [{}, basic('tok_x', 'x')],
      [{}, { Authorization: 'bAsIc' }],
    ] as [Record<string, string>, Record<string, string>][]) {
      const answer = await present(service, assertion, fields, { headers });
      expectFailure(answer, 'invalid_request', /^An assertion is exchanged without a secret\.$/);
      expect(answer.headers['www-authenticate']).toBeUndefined();
    }
    const without = await exchange(service.url, { grant_type: JwtBearerGrant.type, assertion: '' });
    expectFailure(without, 'invalid_request', /^The field assertion is required\.$/);
  });

  it('is invalid_grant if the organization has been deleted', async () => {
    await service.dataSource.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Gone')`, [GONE]);
    expect((await exchanged({ sub: 'gone' })).status).toBe(200);
    await service.dataSource.query('DELETE FROM tokens WHERE organization_id = $1', [GONE]);
    await service.dataSource.query('DELETE FROM organizations WHERE id = $1', [GONE]);
    expectFailure(await exchanged({ sub: 'gone' }), 'invalid_grant', /^No rule of this service matches/);
  });
});

describe('a window', () => {
  const LIMIT = 10;
  const limited = () => replica({ RATE_LIMIT_PER_MINUTE: `${LIMIT}` });
  const inAcme = { organization_id: ACME };
  const remaining = ({ headers }: Response) => Number(headers['x-ratelimit-remaining']);
  const get = (made: Response, { url }: { url: string }) =>
    new Client(url, { value: made.body.access_token }).get('/api/v1/users');

  itNotOn('embedded', 'is shared by all tokens of a subject, on all replicas', async () => {
    const [here, there] = [await limited(), await limited()];
    const first = await exchanged({ sub: 'a' }, inAcme, here);
    const second = await exchanged({ sub: 'a', jti: 'another' }, inAcme, there);
    expect([remaining(first), remaining(second)]).toEqual([LIMIT - 1, LIMIT - 2]);
    expect(second.headers['x-ratelimit-reset']).toBe(first.headers['x-ratelimit-reset']);
    for (let left = LIMIT - 3; left >= 0; left--) {
      const answer = await get(left % 2 ? first : second, left % 3 ? here : there).expect(200);
      expect(remaining(answer)).toBe(left);
    }
    for (const at of [here, there]) {
      expect((await get(first, at).expect(429)).body.code).toBe('rate_limited');
      const { status, body, headers } = await exchanged({ sub: 'a' }, inAcme, at);
      expect([status, body]).toEqual([429, { error: 'slow_down', error_description: expect.any(String) }]);
      expect(headers).toMatchObject({
        'x-ratelimit-limit': `${LIMIT}`,
        'x-ratelimit-remaining': '0',
        'retry-after': expect.stringMatching(/^\d+$/),
      });
    }
  });

  it('counts an exchange that fails for its scope, and none that no rule lets in', async () => {
    const at = await limited();
    const wrong = await exchanged({ sub: 'b' }, { ...inAcme, scope: 'admin' }, at);
    expect([wrong.status, remaining(wrong)]).toEqual([400, LIMIT - 1]);
    for (const claims of [{ sub: 'nobody' }, { sub: 'b' }]) {
      const answer = await exchanged(claims, {}, at);
      expect([answer.status, answer.headers['x-ratelimit-remaining']]).toEqual([400, undefined]);
    }
    expect(remaining(await exchanged({ sub: 'b' }, inAcme, at))).toBe(LIMIT - 2);
  });

  it('is of one subject of one issuer in one organization', async () => {
    const at = await limited();
    const answers = [
      await exchanged({ sub: 'c' }, inAcme, at),
      await exchanged({ sub: 'd' }, inAcme, at),
      await exchanged({ sub: 'c' }, { organization_id: GLOBEX }, at),
      await present(at, await assertionOf(other, { sub: 'c' })),
    ];
    expect(answers.map(remaining)).toEqual(answers.map(() => LIMIT - 1));
  });
});

describe('the life of the token', () => {
  /** Moves the end of a token, relative to now. */
  const endIn = (id: string, interval: string) =>
    service.dataSource.query(`UPDATE tokens SET expires_at = now() + $2::interval WHERE id = $1`, [
      id,
      interval,
    ]);

  it('is an hour, or that of the assertion if it is shorter', async () => {
    const { answer, record } = await newToken({ exp: inSeconds(20 * 3600) });
    expect(answer.body.expires_in).toBe(3600);
    expect(Date.parse(record.expiresAt) - Date.parse(record.createdAt)).toBe(3_600_000);

    const exp = inSeconds(600);
    const shorter = await newToken({ exp });
    expect(shorter.answer.body.expires_in).toBeGreaterThan(500);
    expect(shorter.answer.body.expires_in).toBeLessThanOrEqual(600);
    expect(shorter.record.expiresAt).toBe(new Date(exp * 1000).toISOString());
    const { headers } = await shorter.api.get('/api/v1/users').expect(200);
    expect(headers['x-token-expires-at']).toBe(shorter.record.expiresAt);
  });

  it('ends with token.expired, of which nothing warns, and which stays when the token is forgotten', async () => {
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
    await endIn(record.id, '-24 hours -1 second');
    await runJob(service.app, 'delete ended tokens of exchanges');
    await admin.get(`/v1/tokens/${record.id}`).expect(404);
    expect(await typesOf(record.id)).toEqual(['token.created', 'token.expired']);
  });

  it('cannot be prolonged by a rotation or an exchange', async () => {
    const { answer, api, record } = await newToken();
    const { body } = await admin.post(`/v1/tokens/${record.id}/rotate`).expect(409);
    expect(body).toMatchObject({ code: 'conflict', detail: expect.stringContaining('Exchange again') });
    const secret = answer.body.access_token;
    const form = { grant_type: 'client_credentials', client_id: record.id, client_secret: secret };
    expectFailure(await exchange(service.url, form), 'invalid_client', /./);
    const exchanges = service.app.get(TokensService).exchange(ACME, record.id);
    await expect(exchanges).rejects.toMatchObject({ status: 409 });
    await api.get('/v1/tokens/current').expect(200);
  });

  it('does not begin if the assertion is over by the clock of the database', async () => {
    const clock = await fakeClock(service.dataSource);
    const tokens = async () => (await service.dataSource.query('SELECT id FROM tokens')).length;
    const before = await tokens();
    await clock.pass(600);
    expectFailure(await exchanged({ exp: inSeconds(300) }), 'invalid_grant', /^The claim exp /);
    expect(await tokens()).toBe(before);
    expect((await exchanged({ exp: inSeconds(900) })).status).toBe(200);
  });
});
