import { LastUse } from '../../src/auth/last-use';
import { countExpiringTokens } from '../../src/entry/metrics/expiring-tokens';
import { scopesOf } from '../../src/oauth/grant';
import { Database } from '../../src/platform/database/database';
import type { Scope } from '../../src/platform/http/scopes';
import { TokensService } from '../../src/tokens/tokens.service';
import { runJob } from '../support/background';
import { addChildren, formOf, requestToken, useParents } from '../support/children';
import { thrownBy } from '../support/calls';
import { aUser, type Client } from '../support/client';
import { type Clock, fakeClock } from '../support/clock';
import { expectFailure } from '../support/oauth';
import { between } from '../support/token-life';
import { until } from '../support/until';

const { service, admin, aParent, childOf, childrenOf, replica } = useParents();

let clock: Clock;
beforeAll(async () => {
  clock = await fakeClock(service.dataSource);
  await service.dataSource.query('ALTER TABLE tokens ALTER created_at SET DEFAULT public.now()');
});

const HOUR = 3_600;

const exchanged = (parent: Client, at: { url: string } = service) => requestToken(at, formOf(parent));
const recordOf = async (client: Client) => (await client.get('/v1/tokens/current').expect(200)).body;

/** The status of a request with each value, here and on another replica. */
async function statuses(clients: Client[]): Promise<number[]> {
  const other = await replica();
  const found = [];
  for (const { tokenValue } of clients)
    for (const { url } of [service, other]) {
      const headers = { Authorization: `Bearer ${tokenValue}` };
      found.push((await fetch(`${url}/v1/tokens/current`, { headers })).status);
    }
  return found;
}

describe('the scopes of a child', () => {
  it('are those that it asks for, or all of its parent, and never more', () => {
    const rows: [Scope[], string | undefined, string | undefined][] = [
      [['users:write', 'users:read'], undefined, 'users:write users:read'],
      [['users:write', 'users:read'], '  ', 'users:write users:read'],
      [['users:read', 'users:write'], 'users:write users:read', 'users:write users:read'],
      [['users:read', 'users:write'], ' users:read  users:read ', 'users:read'],
      [['admin', 'users:read'], undefined, 'admin users:read'],
      [['admin'], 'users:delete', 'users:delete'],
      [['users:read'], 'users:read users:write', undefined],
      [['users:read', 'users:write', 'users:delete'], 'admin', undefined],
      [['users:read'], 'users:read,users:read', undefined],
      [['users:read'], 'users:read\tusers:read', undefined],
      [['users:read'], 'USERS:READ', undefined],
      [['admin'], 'users:read root', undefined],
      [['admin'], 'constructor', undefined],
    ];
    for (const [scopes, wanted, granted] of rows) {
      const row = `${scopes}: ${wanted}`;
      const get = () => (scopesOf(wanted, scopes) ?? scopes).join(' ');
      if (granted === undefined)
        expect([row, thrownBy(get)]).toMatchObject([
          row,
          { message: expect.stringContaining('The scope must name some of ') },
        ]);
      else expect([row, get()]).toEqual([row, granted]);
    }
  });

  it('hold on every route', async () => {
    const child = await childOf(admin, { scope: 'users:read' });
    expect(await recordOf(child)).toMatchObject({ scopes: ['users:read'], parentId: admin.tokenId });
    await child.get('/api/v1/users').expect(200);
    await child.post('/api/v1/users', {}).expect(403);
    await child.get('/v1/tokens').expect(403);
    await (await childOf(admin)).get('/v1/tokens').expect(200);
  });
});

describe('the life of a child', () => {
  it('is an hour, or that of its parent if it is shorter', async () => {
    const parent = await aParent();
    for (const [seconds, life] of [
      [86_400, HOUR],
      [1_800, 1_800],
    ]) {
      await service.dataSource.query(
        `UPDATE tokens SET expires_at = now() + $2 * interval '1 second' WHERE id = $1`,
        [parent.tokenId, seconds],
      );
      const { expiresAt: end } = await recordOf(parent);
      const { body, headers } = await exchanged(parent);
      expect(headers['x-token-expires-at']).toBe(end); // the exchange is a request with the parent
      const child = await parent.withValue(body.access_token).get('/v1/tokens/current').expect(200);
      const { createdAt, expiresAt } = child.body;
      expect(child.headers['x-token-expires-at']).toBe(expiresAt);
      expect(body.expires_in).toBe(Math.floor(between(createdAt, expiresAt) / 1_000));
      expect(body.expires_in).toBeLessThanOrEqual(life);
      if (life === HOUR) expect(between(createdAt, expiresAt)).toBe(HOUR * 1_000);
      else expect(expiresAt).toBe(end);
    }
  });
});

describe('the record of a child', () => {
  it('tells when it was used, and that its parent was used for it', async () => {
    const parent = await aParent();
    const child = await childOf(parent);
    await service.app.get(LastUse).flush();
    const { lastUsedAt } = (await admin.get(`/v1/tokens/${parent.tokenId}`).expect(200)).body;
    expect(Math.abs(between(lastUsedAt, (await clock.now()).toISOString()))).toBeLessThan(60_000);
    expect((await childrenOf(parent))[0].lastUsedAt).toBeNull();
    await child.get('/api/v1/users').expect(200);
    await service.app.get(LastUse).flush();
    expect((await childrenOf(parent))[0].lastUsedAt).toEqual(expect.any(String));
  });

  it('does not count as expiring', async () => {
    const expiring = () => countExpiringTokens(service.app.get(Database));
    const before = await expiring();
    await childOf(await aParent());
    expect(await expiring()).toEqual(before);
  });
});

describe('GET /v1/tokens', () => {
  const listed = async (query: string): Promise<string[]> =>
    (await admin.get(`/v1/tokens?${query}`).expect(200)).body.data.map(({ id }: { id: string }) => id);

  it('shows children, or none, or those of one parent, in pages and by their state', async () => {
    const [parent, other] = [await aParent(), await aParent()];
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await recordOf(await childOf(parent))).id);
    const othersChild = (await recordOf(await childOf(other))).id;
    await admin.delete(`/v1/tokens/${ids[1]}`).expect(204);
    const of = `parent=${parent.tokenId}`;
    const createdBy = { issuer: 'https://issuer.example.com', subject: '42', name: '42' };
    const ofSignIn = await service.app
      .get(TokensService)
      .createFor(admin.organizationId, { name: 'Ada', scopes: ['admin'] }, { createdBy, hours: 8 });
    const sessions = [...ids, othersChild, ofSignIn.token.id];
    const standing = [admin, parent, other].map(({ tokenId }) => tokenId);
    for (const [query, expected] of [
      ['session=true', sessions],
      ['session=false', standing],
      ['', [...sessions, ...standing]],
      [`${of}&session=true`, ids],
      [`${of}&session=false`, []],
      [`${of}&state=revoked`, [ids[1]]],
      [`${of}&state=active`, [ids[0], ids[2]]],
      [`parent=${other.tokenId}`, [othersChild]],
      [`parent=${ids[0]}`, []],
    ] as const)
      expect({ query, ids: (await listed(query)).sort() }).toEqual({ query, ids: [...expected].sort() });

    const first = await admin.get(`/v1/tokens?${of}&limit=2`).expect(200);
    const { nextCursor } = first.body;
    expect(first.headers.link).toBe(`</v1/tokens?${of}&limit=2&cursor=${nextCursor}>; rel="next"`);
    const rest = await listed(`${of}&limit=2&cursor=${nextCursor}`);
    expect([...first.body.data.map(({ id }: { id: string }) => id), ...rest].sort()).toEqual([...ids].sort());
    for (const query of ['', `parent=${other.tokenId}&`, `${of}&state=active&`, `${of}&session=true&`])
      await admin.get(`/v1/tokens?${query}cursor=${nextCursor}`).expect(400);
    for (const parent of ['', 'x', admin.organizationId, 'tok_x'])
      await admin.get(`/v1/tokens?parent=${parent}`).expect(400);
  });
});

describe('children of a token', () => {
  it('end with it, however it is ended, on every replica', async () => {
    for (const end of [
      ({ tokenId }: Client) => admin.delete(`/v1/tokens/${tokenId}`).expect(204),
      (parent: Client) => parent.delete('/v1/tokens/current').expect(204),
      ({ tokenId }: Client) => admin.post(`/v1/tokens/${tokenId}/rotate`, { overlap: '0h' }).expect(201),
    ]) {
      const [parent, other] = [await aParent(), await aParent()];
      const children = [await childOf(parent), await childOf(parent)];
      const nephew = await childOf(other);
      expect(await statuses(children)).toEqual([200, 200, 200, 200]);
      await end(parent);
      expect(await statuses(children)).toEqual([401, 401, 401, 401]);
      expect(await statuses([other, nephew])).toEqual([200, 200, 200, 200]);
      for (const child of await childrenOf(parent))
        expect(child).toMatchObject({ state: 'revoked', revokedAt: expect.any(String) });
      expect((await exchanged(parent)).status).toBe(401);
    }
  });

  it('end with it when it expires, on every replica', async () => {
    const parent = await aParent({ expiresIn: '1d' });
    await clock.pass(24 * HOUR - 1_800);
    const child = await childOf(parent);
    expect(await statuses([parent, child])).toEqual([200, 200, 200, 200]);
    await clock.pass(1_800);
    expect(await statuses([parent, child])).toEqual([401, 401, 401, 401]);
    expect(await childrenOf(parent)).toMatchObject([{ state: 'expired', revokedAt: null }]);
  });

  it('live on while the overlap of its rotation lasts, and no longer', async () => {
    const parent = await aParent();
    const before = await childOf(parent);
    await admin.post(`/v1/tokens/${parent.tokenId}/rotate`, { overlap: '1h' }).expect(201);
    const { expiresAt: end } = await recordOf(parent);
    await clock.pass(1_800);
    const after = await childOf(parent);
    expect((await recordOf(after)).expiresAt).toBe(end);
    expect(await statuses([parent, before, after])).toEqual([200, 200, 200, 200, 200, 200]);
    await clock.pass(1_800);
    expect(await statuses([parent, before, after])).toEqual([401, 401, 401, 401, 401, 401]);
  });

  it('are revoked when they were, if their parent is revoked again', async () => {
    const parent = await aParent();
    const child = await childOf(parent);
    await child.delete('/v1/tokens/current').expect(204);
    const [{ revokedAt }] = await childrenOf(parent);
    await clock.pass(1);
    for (let i = 0; i < 2; i++) await admin.delete(`/v1/tokens/${parent.tokenId}`).expect(204);
    expect(await childrenOf(parent)).toMatchObject([{ revokedAt }]);
  });

  it('and other tokens of exchanges are deleted 24 hours after their end, and nothing else is', async () => {
    const parent = await aParent();
    const [child, revoked] = [await childOf(parent), await childOf(parent)];
    const ofExchanges = [(await recordOf(child)).id, (await recordOf(revoked)).id];
    await revoked.delete('/v1/tokens/current').expect(204);
    const create = async (input: object, fields: object = {}): Promise<string> => {
      const token = { name: 'CI', scopes: ['users:read' as const], ...input };
      return (await service.app.get(TokensService).createFor(admin.organizationId, token, fields)).token.id;
    };
    const createdBy = { issuer: 'https://issuer.example.com', subject: '42', name: '42' };
    ofExchanges.push(await create({}, { createdBy, windowId: 'sub_x', hours: 1 }));
    const others = [await create({ expiresIn: '1d' }), await create({}, { createdBy, hours: 1 })];
    others.push(await create({}), parent.tokenId);
    await admin.delete(`/v1/tokens/${others[2]}`).expect(204);

    const standing = async () => {
      await runJob(service.app, 'delete ended tokens of exchanges');
      const rows: { id: string }[] = await service.dataSource.query('SELECT id FROM tokens');
      return [...ofExchanges, ...others].map((id) => rows.some((row) => row.id === id));
    };
    await clock.pass(25 * HOUR - 60);
    expect(await standing()).toEqual([true, true, true, true, true, true, true]);
    for (const seconds of [120, 1_000 * HOUR]) {
      await clock.pass(seconds);
      expect(await standing()).toEqual([false, false, false, true, true, true, true]);
    }
    expect(await childrenOf(parent)).toEqual([]);
    await admin.get(`/v1/tokens/${ofExchanges[0]}`).expect(404);
  });
});

describe('the events', () => {
  interface Event {
    type: string;
    source: string;
    actor: object;
    target: object;
    data: { token?: object };
  }
  const events = async (query = ''): Promise<Event[]> =>
    (await admin.get(`/api/v1/events?limit=200${query}`).expect(200)).body.data;
  /** Of tokens, after those of so many that have been created. */
  const ofTokens = async (created: number) =>
    (await events()).filter(({ type }) => type.startsWith('token.')).slice(created);

  it('of what a child does name its parent, in the API as in SCIM, and so does the log', async () => {
    const parent = await aParent({ scopes: ['admin'] });
    const child = await childOf(parent);
    await child.createUser();
    const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User'];
    await child.post('/scim/v2/Users', { schemas, userName: aUser().email }).expect(201);
    await child.post('/v1/tokens', { name: 'Made', scopes: ['users:read'] }).expect(201);
    const actor = { type: 'token', id: parent.tokenId, name: 'CRM' };
    expect(await events(`&actor=${parent.tokenId}`)).toMatchObject([
      { type: 'user.created', source: 'api', actor },
      { type: 'user.created', source: 'scim', actor },
      { type: 'token.created', source: 'api', actor },
    ]);
    const { id } = await recordOf(child);
    expect(await events(`&actor=${id}`)).toEqual([]);
    const ofChild = () => service.logs.find((line) => line.includes(id));
    expect(JSON.parse(await until(ofChild))) // it is written after the response
      .toMatchObject({ tokenId: id, parentId: parent.tokenId });
  });

  it('do not have that a child is made, ends, or ends with its parent', async () => {
    const [parent, rotated] = [await aParent(), await aParent()];
    for (const one of [parent, parent, rotated]) await childOf(one);
    expect(await ofTokens(3)).toEqual([]);
    await admin.delete(`/v1/tokens/${parent.tokenId}`).expect(204);
    await admin.post(`/v1/tokens/${rotated.tokenId}/rotate`, { overlap: '0h' }).expect(201);
    await childOf(admin);
    await clock.pass(HOUR);
    await runJob(service.app, 'warn of expiring tokens');
    expect(await ofTokens(3)).toMatchObject([
      { type: 'token.revoked', target: { id: parent.tokenId } },
      { type: 'token.rotated', target: { id: rotated.tokenId } },
    ]);
  });

  it('have that somebody revokes one child, or it revokes itself', async () => {
    const parent = await aParent();
    const [first, second, third] = [await childOf(parent), await childOf(parent), await childOf(parent)];
    const [{ id: firstId }, { id: secondId }] = [await recordOf(first), await recordOf(second)];
    await admin.delete(`/v1/tokens/${firstId}`).expect(204);
    await second.delete('/v1/tokens/current').expect(204);
    expect(await statuses([first, second, third, parent])).toEqual([401, 401, 401, 401, 200, 200, 200, 200]);
    const revoked = (id: string, actor: object) => ({
      type: 'token.revoked',
      target: { type: 'token', id },
      actor: { type: 'token', ...actor },
      data: { token: { id, parentId: parent.tokenId, state: 'revoked' } },
    });
    expect(await ofTokens(2)).toMatchObject([
      revoked(firstId, { id: admin.tokenId }),
      revoked(secondId, { id: parent.tokenId, name: 'CRM' }),
    ]);
  });
});

/** The headers about a window. */
const windowIn = ({ headers }: { headers: Record<string, string> }) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers[`x-ratelimit-${name}`]));

describe('the window of a token', () => {
  it('is that of its children as well, and exchanges count in it', async () => {
    const parent = await aParent({ rateLimit: 600 });
    const first = await exchanged(parent);
    const [limit, remaining, reset] = windowIn(first);
    expect([limit, remaining]).toEqual([600, 599]);
    const child = parent.withValue(first.body.access_token);
    const sibling = await childOf(parent); // 598
    const seen = [];
    for (const client of [child, parent, sibling, child])
      seen.push(windowIn(await client.get('/api/v1/users').expect(200)));
    expect(seen).toEqual([597, 596, 595, 594].map((left) => [600, left, reset]));
    const refused = await requestToken(service, formOf(parent, { scope: 'admin' }));
    expectFailure(refused, 'invalid_scope');
    expect(windowIn(refused)).toEqual([600, 593, reset]);
    // Those who are not known have no window.
    const unknown = await requestToken(service, formOf(parent, { client_id: 'x' }));
    expect(windowIn(unknown)).toEqual([NaN, NaN, NaN]);
  });

  it('that is used up refuses all of them, and an exchange in the form of OAuth with its headers', async () => {
    const parent = await aParent({ rateLimit: 2 });
    const first = await exchanged(parent);
    const children = [parent.withValue(first.body.access_token), await childOf(parent)];
    // The limit is judged before the scopes.
    for (const form of [formOf(parent), formOf(parent, { scope: 'admin' })]) {
      const answer = await requestToken(service, form);
      expectFailure(answer, 'slow_down', '2 requests per 60 s');
      expect(windowIn(answer)).toEqual([2, 0, windowIn(first)[2]]);
      const retryAfter = Number(answer.headers['retry-after']);
      expect(retryAfter).toBeGreaterThan(0);
      expect(retryAfter).toBeLessThanOrEqual(60);
    }
    for (const client of [parent, ...children])
      expect((await client.get('/api/v1/users').expect(429)).body.code).toBe('rate_limited');
    await admin.get('/api/v1/users').expect(200);
    expect(await childrenOf(parent)).toHaveLength(2);
  });
});

describe('the children of a token that live at once', () => {
  it('are 1,000 at most, without those that have ended', async () => {
    const parent = await aParent();
    await addChildren(service, parent, 1_000, { hours: -1 });
    await addChildren(service, parent, 1_000, { isRevoked: true });
    const ids = await addChildren(service, parent, 999);
    const expectFull = async () => {
      const refused = await exchanged(parent);
      expectFailure(refused, 'invalid_request');
      expect(refused.body.error_description).toContain('1000');
    };
    await childOf(parent);
    await expectFull();
    await childOf(await aParent());
    // One that is revoked, or ends, frees a place.
    await admin.delete(`/v1/tokens/${ids[0]}`).expect(204);
    await childOf(parent);
    await expectFull();
    await service.dataSource.query(`UPDATE tokens SET expires_at = now() - interval '1 ms' WHERE id = $1`, [
      ids[1],
    ]);
    await childOf(parent);
    await expectFull();
  });

  it('are exactly 1,000, however many are wanted at once, and end together', async () => {
    const parent = await aParent();
    await addChildren(service, parent, 990);
    const urls = [service, await replica()];
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => exchanged(parent, urls[i % 2])));
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(10);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectFailure(answer, 'invalid_request');
    const living = async () =>
      (
        await service.dataSource.query(
          `SELECT count(*)::integer AS count FROM tokens WHERE parent_id = $1 AND revoked_at IS NULL`,
          [parent.tokenId],
        )
      )[0].count;
    expect(await living()).toBe(1_000);
    await admin.delete(`/v1/tokens/${parent.tokenId}`).expect(204);
    expect(await living()).toBe(0);
    await parent.withValue(made[0].body.access_token).get('/v1/tokens/current').expect(401);
  });
});
