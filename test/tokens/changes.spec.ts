import { TokensService } from '../../src/tokens/tokens.service';
import type { Client } from '../support/client';
import { requestToken, formOf, useParents } from '../support/children';
import { expectFailure } from '../support/oauth';
import { startService } from '../support/service';

const { service, admin, aParent, childOf, childrenOf, replica } = useParents();

const patch = ({ tokenId }: Client, changes: object) => admin.patch(`/v1/tokens/${tokenId}`, changes);
const recordOf = async ({ tokenId }: Client) => (await admin.get(`/v1/tokens/${tokenId}`).expect(200)).body;
const changes = async () => (await admin.get('/api/v1/events?type=token.updated').expect(200)).body.data;
const fault = (field: string, code: string) => [expect.objectContaining({ field, code })];

describe('PATCH /v1/tokens/{id}', () => {
  it('changes a token, and records what it was before', async () => {
    const token = await aParent();
    const before = await recordOf(token);
    const { body } = await patch(token, {
      name: ' CI pipeline ',
      rateLimit: 7,
      allowedNetworks: ['2001:DB8:0::/32', '203.0.113.7', '10.0.0.0/8', '::1/128'],
      scopes: ['users:read'],
    }).expect(200);
    const fields = {
      name: 'CI pipeline',
      rateLimit: 7,
      allowedNetworks: ['2001:db8::/32', '203.0.113.7', '10.0.0.0/8', '::1'],
      scopes: ['users:read'],
    };
    expect(body).toEqual({ ...before, ...fields });
    expect(await recordOf(token)).toEqual(body);
    const { name, rateLimit, allowedNetworks, scopes } = before;
    expect(await changes()).toMatchObject([
      {
        type: 'token.updated',
        actor: { type: 'token', id: admin.tokenId },
        target: { type: 'token', id: token.tokenId },
        data: { token: body, previous: { name, rateLimit, allowedNetworks, scopes } },
      },
    ]);
  });

  it('changes and records only what differs, and takes lists as sets', async () => {
    const token = await aParent({ rateLimit: 5, allowedNetworks: ['127.0.0.1', '10.0.0.0/8'] });
    const before = await recordOf(token);
    for (const same of [
      {},
      { name: ' CRM ' },
      { scopes: ['users:write', 'users:read'] },
      { rateLimit: 5 },
      { allowedNetworks: ['10.0.0.0/8', '127.0.0.1/32'] },
    ])
      await patch(token, same).expect(200, before);
    expect(await changes()).toEqual([]);
    await patch(token, { name: 'CRM', rateLimit: null, allowedNetworks: null }).expect(200);
    expect((await changes())[0].data.previous).toEqual({
      rateLimit: 5,
      allowedNetworks: ['127.0.0.1', '10.0.0.0/8'],
    });
    expect(await recordOf(token)).toEqual({ ...before, rateLimit: null, allowedNetworks: null });
  });

  it('refuses more scopes, and a limit above that of the service', async () => {
    const token = await aParent();
    for (const [tokenOf, scopes] of [
      [token, ['users:read', 'users:delete']],
      [token, ['admin']],
      [await aParent({ scopes: ['admin'] }), ['users:read']],
    ] as const)
      expect((await patch(tokenOf, { scopes }).expect(400)).body.errors).toEqual(
        fault('scopes', 'out_of_range'),
      );
    const { body } = await patch(token, { scopes: ['admin'], rateLimit: 100_001 }).expect(400);
    expect(body.errors).toEqual([
      ...fault('scopes', 'out_of_range'),
      { field: 'rateLimit', code: 'out_of_range', message: 'must be at most 100000' },
    ]);
    expect(await changes()).toEqual([]);
  });

  it('accepts a limit of the operator that it already has', async () => {
    const small = await startService({ RATE_LIMIT_PER_MINUTE: '100' });
    try {
      const api = await small.client();
      const tokens = small.app.get(TokensService);
      const { token } = await tokens.create(api.organizationId, {
        name: 'Big',
        scopes: ['admin'],
        rateLimit: 6000,
      });
      const change = (fields: object) => api.patch(`/v1/tokens/${token.id}`, fields);
      await change({ name: 'Bigger', rateLimit: 6000 }).expect(200);
      await change({ rateLimit: 5999 }).expect(400);
      await change({ rateLimit: 100 }).expect(200);
      await change({ rateLimit: 6000 }).expect(400);
      expect(await tokens.update(api.organizationId, token.id, { rateLimit: 6000 })).toMatchObject({
        rateLimit: 6000,
      });
    } finally {
      await small.close();
    }
  });

  it('records each of several changes at once against the one before it', async () => {
    const token = await aParent();
    const names = Array.from({ length: 8 }, (_, i) => `Name ${i}`);
    await Promise.all(names.map((name) => patch(token, { name }).expect(200)));
    const recorded: { data: { token: { name: string }; previous: { name: string } } }[] = await changes();
    const after = recorded.map(({ data }) => data.token.name);
    expect([...after].sort()).toEqual(names);
    expect(recorded.map(({ data }) => data.previous.name)).toEqual(['CRM', ...after.slice(0, -1)]);
  });

  it('reports what is malformed before all else', async () => {
    const token = await aParent();
    await admin.delete(`/v1/tokens/${token.tokenId}`).expect(204);
    for (const [field, value, code] of [
      ['name', null, 'invalid'],
      ['name', ' ', 'too_short'],
      ['scopes', [], 'too_short'],
      ['scopes', null, 'invalid'],
      ['scopes', ['root'], 'invalid'],
      ['rateLimit', 0, 'out_of_range'],
      ['rateLimit', '5', 'invalid'],
      ['expiresIn', '90d', 'unknown'],
      ['createdAt', null, 'unknown'],
    ])
      expect((await patch(token, { [field as string]: value }).expect(400)).body.errors).toEqual(
        fault(field as string, code as string),
      );
    await patch(token, {}).expect(409);
  });

  it('changes only what is active and was made by people', async () => {
    const [expired, revoked] = [await aParent(), await aParent()];
    await service.dataSource.query(`UPDATE tokens SET expires_at = now() - interval '1 ms' WHERE id = $1`, [
      expired.tokenId,
    ]);
    await admin.delete(`/v1/tokens/${revoked.tokenId}`).expect(204);
    const parent = await aParent();
    await childOf(parent);
    const [child] = await childrenOf(parent);
    const createdBy = { issuer: 'https://issuer.example.com', subject: '42', name: 'Ada' };
    const { token: ofSignIn } = await service.app
      .get(TokensService)
      .createFor(admin.organizationId, { name: 'Ada', scopes: ['admin'] }, { createdBy, hours: 8 });
    for (const id of [expired.tokenId, revoked.tokenId, child.id, ofSignIn.id])
      for (const fields of [{}, { name: 'New' }])
        expect((await admin.patch(`/v1/tokens/${id}`, fields).expect(409)).body.code).toBe('conflict');
    await admin.patch('/v1/tokens/tok_00000000000000000000000000', { name: 'New' }).expect(404);
    await (await service.client()).patch(`/v1/tokens/${parent.tokenId}`, { name: 'New' }).expect(404);
    const { headers } = await admin.patch('/v1/tokens/current', { name: 'New' }).expect(405);
    expect(headers.allow).toBe('GET, HEAD, DELETE');
    expect(await changes()).toEqual([]);
  });

  it('holds from the next request on, on every replica, also for children', async () => {
    const parent = await aParent();
    const child = await childOf(parent);
    const other = await replica();
    const statuses = async (path: string, method = 'GET') => {
      const found = [];
      for (const { tokenValue } of [parent, child])
        for (const { url } of [service, other]) {
          const headers = { Authorization: `Bearer ${tokenValue}` };
          found.push((await fetch(url + path, { method, headers })).status);
        }
      return found;
    };
    expect(await statuses('/api/v1/users', 'POST')).toEqual([415, 415, 415, 415]);
    await patch(parent, { scopes: ['users:read'] }).expect(200);
    expect(await statuses('/api/v1/users', 'POST')).toEqual([403, 403, 403, 403]);
    expect(await statuses('/api/v1/users')).toEqual([200, 200, 200, 200]);
  });

  it('gives children the name, the limit, the networks and the scopes that are left', async () => {
    const parent = await aParent({ scopes: ['admin', 'users:read', 'users:write'] });
    for (const scope of ['users:delete', 'users:write users:read', 'admin users:read', 'users:write'])
      await childOf(parent, { scope });
    await admin.delete(`/v1/tokens/${(await childrenOf(parent))[0].id}`).expect(204);
    const networks = { allowedNetworks: ['127.0.0.0/8', '10.0.0.0/8'] };
    await patch(parent, { name: 'New', rateLimit: 50, ...networks }).expect(200);
    const all = { name: 'New', rateLimit: 50, ...networks };
    expect(await childrenOf(parent)).toMatchObject([
      { name: 'CRM', scopes: ['users:write'], state: 'revoked', allowedNetworks: null },
      { ...all, scopes: ['admin', 'users:read'] },
      { ...all, scopes: ['users:write', 'users:read'] },
      { ...all, scopes: ['users:delete'] },
    ]);
    await patch(parent, { scopes: ['users:read', 'admin'] }).expect(200);
    await patch(parent, { scopes: ['users:read'] }).expect(200);
    expect((await childrenOf(parent)).map(({ scopes }: { scopes: string[] }) => scopes)).toEqual([
      ['users:write'],
      ['users:read'],
      ['users:read'],
      [],
    ]);
    expect((await changes()).map(({ target }: { target: { id: string } }) => target.id)).toEqual(
      Array(3).fill(parent.tokenId),
    );
  });

  it('never leaves a child with more than its parent, however it races with the exchange', async () => {
    for (let round = 0; round < 10; round++) {
      const parent = await aParent();
      const [named, unnamed] = await Promise.all([
        requestToken(service, formOf(parent, { scope: 'users:write' })),
        requestToken(service, formOf(parent)),
        patch(parent, { scopes: ['users:read'] }).expect(200),
      ]);
      if (named.status !== 200) expectFailure(named, 'invalid_scope');
      expect(unnamed.status).toBe(200);
      for (const { scopes } of await childrenOf(parent)) expect(scopes).not.toContain('users:write');
    }
  });
});

it('a limit holds in the window that is running, whose requests stay counted', async () => {
  const parent = await aParent({ rateLimit: 3 });
  const child = await childOf(parent); // the first request
  const remaining = async (client: Client, status = 200) => {
    const { headers } = await client.get('/api/v1/users').expect(status);
    return [headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']];
  };
  expect(await remaining(parent)).toEqual(['3', '1']);
  expect(await remaining(child)).toEqual(['3', '0']);
  expect(await remaining(child, 429)).toEqual(['3', '0']);
  await patch(parent, { rateLimit: 10 }).expect(200);
  expect(await remaining(child)).toEqual(['10', '6']); // three that were admitted, and this one
  await patch(parent, { rateLimit: 2 }).expect(200);
  expect(await remaining(parent, 429)).toEqual(['2', '0']);
  expect(await remaining(child, 429)).toEqual(['2', '0']);
});

it('a rotation keeps the limit and the networks', async () => {
  const parent = await aParent({ rateLimit: 3, allowedNetworks: ['10.0.0.0/8', '127.0.0.1'] });
  const { body } = await admin.post(`/v1/tokens/${parent.tokenId}/rotate`).expect(201);
  expect(body).toMatchObject({ rateLimit: 3, allowedNetworks: ['10.0.0.0/8', '127.0.0.1'] });
});
