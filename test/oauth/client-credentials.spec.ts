import { Database } from '../../src/platform/database/database';
import { LastUse } from '../../src/auth/last-use';
import type { Scope } from '../../src/platform/http/scopes';
import { countExpiringTokens } from '../../src/entry/metrics/expiring-tokens';
import { expectFailure, formOf, requestToken, useParents } from '../support/children';
import type { Client } from '../support/client';
import { nextMoment } from '../support/clock';
import { between, HOUR } from '../support/token-life';

const { service, admin, aParent, childOf, childrenOf } = useParents();

const exchanged = (parent: Client, fields: Record<string, string> = {}) =>
  requestToken(service, formOf(parent, fields));
const recordOf = async (client: Client) => (await client.get('/v1/tokens/current').expect(200)).body;
const listed = async (query: string): Promise<string[]> =>
  (await admin.get(`/v1/tokens?${query}`).expect(200)).body.data.map(({ id }: { id: string }) => id);

describe('the scopes of a child', () => {
  it.each<[Scope[], string | undefined, string]>([
    [['users:read', 'users:write'], undefined, 'users:read users:write'],
    [['users:write', 'users:read'], '', 'users:write users:read'],
    [['users:read', 'users:write'], '  ', 'users:read users:write'],
    [['users:read', 'users:write'], 'users:write', 'users:write'],
    [['users:read', 'users:write'], 'users:write users:read', 'users:write users:read'],
    [['users:read', 'users:write'], ' users:read  users:read ', 'users:read'],
    [['admin'], undefined, 'admin'],
    [['admin'], 'users:delete', 'users:delete'],
    [['admin'], 'users:read admin', 'users:read admin'],
    [['admin', 'users:read'], '', 'admin users:read'],
  ])('of %j that asks for %j are %s', async (scopes, scope, granted) => {
    const parent = await aParent({ scopes });
    const { status, body } = await exchanged(parent, scope === undefined ? {} : { scope });
    expect([status, body.scope]).toEqual([200, granted]);
    expect((await recordOf(parent.withValue(body.access_token))).scopes).toEqual(granted.split(' '));
  });

  it.each<[Scope[], string]>([
    [['users:read'], 'users:write'],
    [['users:read'], 'users:read users:write'],
    [['users:read', 'users:write', 'users:delete'], 'admin'],
    [['users:read'], 'users:read,users:read'],
    [['users:read'], 'users:read\tusers:read'],
    [['users:read'], 'USERS:READ'],
    [['users:read'], 'users'],
    [['admin'], 'root'],
    [['admin'], 'users:read root'],
    [['admin'], 'constructor'],
    [['admin'], '\0'],
  ])('of %j cannot be %j', async (scopes, scope) => {
    const parent = await aParent({ scopes });
    expectFailure(await exchanged(parent, { scope }), 'invalid_scope');
    expect(await childrenOf(parent)).toEqual([]);
  });

  it('hold on every route', async () => {
    const child = await childOf(admin, { scope: 'users:read' });
    await child.get('/api/v1/users').expect(200);
    await child.post('/api/v1/users', {}).expect(403);
    await child.get('/v1/tokens').expect(403);
    await (await childOf(admin)).get('/v1/tokens').expect(200);
  });
});

describe('the life of a child', () => {
  /** Lets the token end in so many seconds, and returns the time that its record has. */
  async function endIn({ tokenId }: Client, seconds: number): Promise<string> {
    await service.dataSource.query(
      `UPDATE tokens SET expires_at = now() + $2 * interval '1 second' WHERE id = $1`,
      [tokenId, seconds],
    );
    return (await admin.get(`/v1/tokens/${tokenId}`).expect(200)).body.expiresAt;
  }

  it.each([undefined, 4_000, 86_400])('is an hour, if its parent ends in %j seconds', async (seconds) => {
    const parent = await aParent();
    if (seconds) await endIn(parent, seconds);
    const { body } = await exchanged(parent);
    expect(body.expires_in).toBe(3_600);
    const { createdAt, expiresAt } = await recordOf(parent.withValue(body.access_token));
    expect(between(createdAt, expiresAt)).toBe(HOUR);
  });

  it('is never longer than that of its parent', async () => {
    const parent = await aParent();
    const end = await endIn(parent, 1_800);
    const { body, headers } = await exchanged(parent);
    const { createdAt, expiresAt } = await recordOf(parent.withValue(body.access_token));
    expect(expiresAt).toBe(end);
    expect(body.expires_in).toBe(Math.floor(between(createdAt, end) / 1_000));
    expect(body.expires_in).toBeLessThanOrEqual(1_800);
    // The exchange is a request with the parent.
    expect(headers['x-token-expires-at']).toBe(end);
  });

  it('is in each of its responses', async () => {
    const parent = await aParent();
    const { body, headers } = await exchanged(parent);
    expect(headers['x-token-expires-at']).toBeUndefined();
    const { body: record, headers: own } = await parent
      .withValue(body.access_token)
      .get('/v1/tokens/current')
      .expect(200);
    expect(own['x-token-expires-at']).toBe(record.expiresAt);
  });
});

describe('the record of a child', () => {
  it('is that of an ordinary token', async () => {
    const limited = await aParent({ name: 'Nightly', expiresIn: '90d', rateLimit: 600 });
    await nextMoment();
    const { body } = await exchanged(limited, { scope: 'users:read' });
    const value: string = body.access_token;
    const record = await recordOf(admin.withValue(value));
    expect(record).toEqual({
      id: expect.stringMatching(/^tok_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      name: 'Nightly',
      hint: `${value.slice(0, 8)}…${value.slice(-4)}`,
      scopes: ['users:read'],
      state: 'active',
      expiresIn: null,
      expiresAt: expect.any(String),
      createdAt: expect.any(String),
      lastUsedAt: null,
      revokedAt: null,
      rotatedFrom: null,
      rateLimit: 600,
      createdBy: null,
      parentId: limited.tokenId,
    });
    await admin.get(`/v1/tokens/${record.id}`).expect(200, record);
    expect((await admin.get('/v1/tokens?limit=1').expect(200)).body.data).toEqual([record]);
    expect((await admin.get(`/v1/tokens/${limited.tokenId}`).expect(200)).body.parentId).toBeNull();
  });

  it('tells when it was used, and that its parent was used for it', async () => {
    const parent = await aParent();
    const child = await childOf(parent);
    await service.app.get(LastUse).flush();
    const { lastUsedAt } = (await admin.get(`/v1/tokens/${parent.tokenId}`).expect(200)).body;
    expect(Math.abs(Date.parse(lastUsedAt) - Date.now())).toBeLessThan(60_000);
    expect((await childrenOf(parent))[0].lastUsedAt).toBeNull();
    await child.get('/api/v1/users').expect(200);
    await service.app.get(LastUse).flush();
    expect((await childrenOf(parent))[0].lastUsedAt).toEqual(expect.any(String));
  });
});

describe('GET /v1/tokens', () => {
  it('shows children with session=true, and not with session=false', async () => {
    const parent = await aParent();
    const child = (await recordOf(await childOf(parent))).id;
    const standing = [parent.tokenId, admin.tokenId].sort();
    expect((await listed('')).sort()).toEqual([child, ...standing].sort());
    expect(await listed('session=true')).toEqual([child]);
    expect((await listed('session=false')).sort()).toEqual(standing);
  });

  it('shows the children of one parent, in pages and by their state', async () => {
    const [parent, other] = [await aParent(), await aParent()];
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.unshift((await recordOf(await childOf(parent))).id);
    const othersChild = (await recordOf(await childOf(other))).id;
    await admin.delete(`/v1/tokens/${ids[1]}`).expect(204);
    const of = `parent=${parent.tokenId}`;
    expect((await listed(of)).sort()).toEqual([...ids].sort());
    expect((await listed(`${of}&session=true`)).sort()).toEqual([...ids].sort());
    expect(await listed(`${of}&session=false`)).toEqual([]);
    expect(await listed(`${of}&state=revoked`)).toEqual([ids[1]]);
    expect((await listed(`${of}&state=active`)).sort()).toEqual([ids[0], ids[2]].sort());
    expect(await listed(`parent=${other.tokenId}`)).toEqual([othersChild]);
    expect(await listed(`parent=${ids[0]}`)).toEqual([]);

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

  it('shows none of another organization', async () => {
    const stranger = await service.client();
    await childOf(stranger);
    expect(await listed(`parent=${stranger.tokenId}`)).toEqual([]);
    expect(await listed('session=true')).toEqual([]);
  });
});

it('makes nothing that can be rotated', async () => {
  const child = await childOf(admin);
  const { id } = await recordOf(child);
  for (const overlap of ['0h', '24h'])
    for (const by of [admin, child])
      expect((await by.post(`/v1/tokens/${id}/rotate`, { overlap }).expect(409)).body.code).toBe('conflict');
  await child.get('/v1/tokens/current').expect(200);
});

it('makes nothing that counts as expiring', async () => {
  const expiring = () => countExpiringTokens(service.app.get(Database));
  const before = await expiring();
  await childOf(await aParent());
  expect(await expiring()).toBe(before);
});

it('makes as many tokens as requests, each with a value of its own', async () => {
  const parent = await aParent();
  const values = [];
  for (let i = 0; i < 5; i++) values.push((await childOf(parent)).tokenValue);
  expect(new Set(values).size).toBe(5);
  for (const value of values) await parent.withValue(value).get('/api/v1/users').expect(200);
  expect(await childrenOf(parent)).toHaveLength(5);
});
