import { TokensService } from '../../src/tokens/tokens.service';
import { isTokenValue } from '../../src/tokens/token-value';
import { copyOfTemplate, type TestDatabase } from '../support/database';
import { run } from '../support/process';
import { between, DAY, HOUR, useTokens } from '../support/token-life';

const { service, api, create, get, events, endIn } = useTokens();

describe.each(['/v1/tokens', '/api/v1/tokens'])('POST %s/{id}/rotate', (path) => {
  it('returns a new token of the same name, scopes and term; both work during the overlap', async () => {
    const old = await create({ expiresIn: '90d', scopes: ['users:read', 'users:write'] });
    const { body, headers } = await api.post(`${path}/${old.id}/rotate`, {}).expect(201);
    const { token, ...record } = body;
    expect(record).toEqual({
      id: expect.stringMatching(/^tok_/),
      name: 'CI',
      hint: `${token.slice(0, 8)}…${token.slice(-4)}`,
      scopes: ['users:read', 'users:write'],
      state: 'active',
      expiresIn: '90d',
      expiresAt: new Date(Date.parse(record.createdAt) + 90 * DAY).toISOString(),
      createdAt: expect.any(String),
      lastUsedAt: null,
      revokedAt: null,
      rotatedFrom: old.id,
      rateLimit: null,
      createdBy: null,
      parentId: null,
    });
    expect(headers['cache-control']).toBe('no-store');
    await api.get(`${path}/${record.id}`).expect(200, record);
    await api.withValue(token).get('/api/v1/users').expect(200);
    await api.withValue(old.token).get('/api/v1/users').expect(200);
    const { expiresAt, expiresIn, rotatedFrom } = (await api.get(`${path}/${old.id}`).expect(200)).body;
    expect({ expiresIn, rotatedFrom }).toEqual({ expiresIn: '90d', rotatedFrom: null });
    expect(between(record.createdAt, expiresAt)).toBe(24 * HOUR);
  });

  it('refuses the old token as soon as the overlap is over', async () => {
    const old = await create();
    await api.post(`${path}/${old.id}/rotate`, { overlap: '1h' }).expect(201);
    await api.withValue(old.token).get('/api/v1/users').expect(200);
    await endIn(old.id, 0);
    await api.withValue(old.token).get('/api/v1/users').expect(401);
    expect((await get(old.id)).state).toBe('expired');
  });

  it('revokes the old token at once if there is no overlap', async () => {
    const old = await create();
    const { body } = await api.post(`${path}/${old.id}/rotate`, { overlap: '0h' }).expect(201);
    await api.withValue(old.token).get('/api/v1/users').expect(401);
    await api.withValue(body.token).get('/api/v1/users').expect(200);
    expect((await get(old.id)).state).toBe('revoked');
  });

  it('never gives the old token a longer life', async () => {
    const old = await create({ expiresIn: '1d' });
    const { body } = await api.post(`${path}/${old.id}/rotate`, { overlap: '168h' }).expect(201);
    expect((await get(old.id)).expiresAt).toBe(old.expiresAt);
    expect(between(body.createdAt, body.expiresAt)).toBe(DAY);
    await api.post(`${path}/${old.id}/rotate`, { overlap: '1h' }).expect(201);
    const { expiresAt } = await get(old.id);
    await api.post(`${path}/${old.id}/rotate`, { overlap: '2h' }).expect(201);
    expect((await get(old.id)).expiresAt).toBe(expiresAt);
  });

  it('starts a whole new term, also of a token that a rotation has shortened, unless another is given', async () => {
    const old = await create({ expiresIn: '90d' });
    for (const { request, days } of [
      { request: undefined, days: 90 },
      { request: { expiresIn: '7d', overlap: '2h' }, days: 7 },
      { request: {}, days: 90 },
    ]) {
      const { body } = await api.post(`${path}/${old.id}/rotate`, request).expect(201);
      expect(body.expiresIn).toBe(`${days}d`);
      expect(between(body.createdAt, body.expiresAt)).toBe(days * DAY);
    }
    const forever = await create();
    const { body } = await api.post(`${path}/${forever.id}/rotate`).expect(201);
    expect(body).toMatchObject({ expiresIn: null, expiresAt: null, rotatedFrom: forever.id });
  });

  it('is a 409 for an expired or revoked token, and changes nothing', async () => {
    const [expired, revoked] = [await create({ expiresIn: '1d' }), await create()];
    await endIn(expired.id, 0);
    await api.delete(`${path}/${revoked.id}`).expect(204);
    for (const { id } of [expired, revoked]) {
      const before = await get(id);
      const { body } = await api.post(`${path}/${id}/rotate`, {}).expect(409);
      expect(body.code).toBe('conflict');
      expect(await get(id)).toEqual(before);
    }
    expect((await api.get(`${path}?state=active`)).body.data).toHaveLength(1);
  });

  it('is a 404 for `current`, an unknown token and one of another organization', async () => {
    const other = await service.client();
    for (const id of ['current', 'tok_00000000000000000000000000', other.tokenId])
      await api.post(`${path}/${id}/rotate`, {}).expect(404);
    expect((await other.get('/v1/tokens/current').expect(200)).body.expiresAt).toBeNull();
    expect((await other.get('/v1/tokens').expect(200)).body.data).toHaveLength(1);
  });

  it.each([
    [{ overlap: null }, 'overlap', 'invalid'],
    [{ overlap: 24 }, 'overlap', 'invalid'],
    [{ overlap: '24' }, 'overlap', 'invalid'],
    [{ overlap: '1d' }, 'overlap', 'invalid'],
    [{ overlap: '024h' }, 'overlap', 'invalid'],
    [{ overlap: '1.5h' }, 'overlap', 'invalid'],
    [{ overlap: '-1h' }, 'overlap', 'invalid'],
    [{ overlap: '169h' }, 'overlap', 'out_of_range'],
    [{ overlap: '1000h' }, 'overlap', 'out_of_range'],
    [{ expiresIn: '0d' }, 'expiresIn', 'out_of_range'],
    [{ name: 'New' }, 'name', 'unknown'],
  ])('rejects %j', async (request, field, code) => {
    const { body } = await api.post(`${path}/${api.tokenId}/rotate`, request).expect(400);
    expect(body.errors).toEqual([{ field, code, message: expect.any(String) }]);
  });

  it('takes no body for {}, but an empty body with a type for malformed JSON', async () => {
    const rotate = () => api.post(`${path}/${api.tokenId}/rotate`);
    await rotate().expect(201);
    const { body } = await rotate().set('Content-Type', 'application/json').expect(400);
    expect(body.code).toBe('malformed_json');
    await rotate().set('Content-Type', 'text/plain').expect(415);
    await rotate().set('Content-Encoding', 'gzip').expect(415);
    await rotate().set('Content-Type', 'text/plain').send('{}').expect(415);
  });

  it('refuses an Idempotency-Key, because the value is shown once', async () => {
    const { body } = await api
      .post(`${path}/${api.tokenId}/rotate`, {})
      .set('Idempotency-Key', 'one')
      .expect(400);
    expect(body.errors).toEqual([expect.objectContaining({ field: 'Idempotency-Key' })]);
    expect(await events()).toEqual([]);
  });

  it('is one event, with the new record and without a value', async () => {
    const old = await create({ expiresIn: '30d' });
    const { token, ...record } = (await api.post(`${path}/${old.id}/rotate`, {}).expect(201)).body;
    const told = await events();
    expect(told).toEqual([
      expect.objectContaining({
        type: 'token.rotated',
        source: 'api',
        actor: { type: 'token', id: api.tokenId, name: 'Test' },
        target: { type: 'token', id: old.id },
        data: { token: record },
      }),
    ]);
    expect(JSON.stringify(told)).not.toContain(token);
    const { body } = await api.get('/api/v1/events?type=token.created').expect(200);
    expect(body.data.map(({ target }: { target: { id: string } }) => target.id)).not.toContain(record.id);
  });
});

it('rotates in a transaction of a host, and not at all if that is rolled back', async () => {
  const tokens = service.app.get(TokensService);
  const { organizationId, tokenId } = api;
  const rolledBack = service.dataSource.transaction(async (manager) => {
    await tokens.within(manager).rotate(organizationId, tokenId, { overlap: '0h' });
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect((await get(tokenId)).state).toBe('active');
  const { token, value } = await service.dataSource.transaction((manager) =>
    tokens.within(manager).rotate(organizationId, tokenId),
  );
  expect((await api.withValue(value).get('/v1/tokens/current').expect(200)).body.id).toBe(token.id);
});

describe('DELETE /v1/tokens/current', () => {
  it.each(['/v1/tokens/current', '/api/v1/tokens/current'])('revokes the caller: %s', async (path) => {
    const { id, token } = await create();
    const own = api.withValue(token);
    await own.delete(path).expect(204, '');
    await own.get('/v1/tokens/current').expect(401);
    expect((await get(id)).state).toBe('revoked');
    expect(await events()).toEqual([
      expect.objectContaining({
        type: 'token.revoked',
        actor: { type: 'token', id, name: 'CI' },
        target: { type: 'token', id },
      }),
    ]);
  });
});

describe('ums tokens rotate', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await copyOfTemplate()));
  afterAll(() => database.drop());

  it('prints the new token once, and the old one works for the overlap', async () => {
    const ums = async (...args: string[]) => {
      const { code, stdout, stderr } = await run([...args, '--json'], database.env);
      expect([code, stderr]).toEqual([0, '']);
      return JSON.parse(stdout);
    };
    const { id: organization } = await ums('organizations', 'create', 'Test');
    const options = [
      '--organization',
      organization,
      '--name',
      'CI',
      '--scopes',
      'admin',
      '--expires-in',
      '30d',
    ];
    const old = await ums('tokens', 'create', ...options);
    const { token, ...record } = await ums('tokens', 'rotate', old.id, '--overlap', '2h');
    expect(isTokenValue(token)).toBe(true);
    expect(record).toMatchObject({ name: 'CI', state: 'active', expiresIn: '30d', rotatedFrom: old.id });
    const [first, second] = await ums('tokens', 'list', '--organization', organization);
    expect(first).toEqual(record);
    expect(between(record.createdAt, second.expiresAt)).toBe(2 * HOUR);

    const refused = await run(['tokens', 'rotate', old.id, '--overlap', '8d'], database.env);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('overlap must be a number of hours'),
    ]);
    const unknown = await run(['tokens', 'rotate', 'tok_x'], database.env);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('There is no such token.')]);
  });
});
