import { TokensService } from '../../src/tokens/tokens.service';
import { isTokenValue } from '../../src/tokens/token/token-value';
import { runJob } from '../support/background';
import { copyOfTemplate, type TestDatabase } from '../support/database';
import { run } from '../support/process';
import { between, DAY, HOUR, useTokens } from '../support/token-life';

const { service, api, create, get, events, endIn } = useTokens();

const rotate = (id: string, body?: object) => api.post(`/v1/tokens/${id}/rotate`, body);

describe('POST /v1/tokens/{id}/rotate', () => {
  it('returns a new token of the same name, scopes and term; both work during the overlap', async () => {
    const old = await create({ expiresIn: '90d', scopes: ['users:read', 'users:write'] });
    const { body, headers } = await rotate(old.id, {}).expect(201);
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
      allowedNetworks: null,
      createdBy: null,
      parentId: null,
    });
    expect(headers['cache-control']).toBe('no-store');
    await api.get(`/v1/tokens/${record.id}`).expect(200, record);
    await api.withValue(token).get('/api/v1/users').expect(200);
    await api.withValue(old.token).get('/api/v1/users').expect(200);
    const { expiresAt, expiresIn, rotatedFrom } = (await api.get(`/v1/tokens/${old.id}`).expect(200)).body;
    expect({ expiresIn, rotatedFrom }).toEqual({ expiresIn: '90d', rotatedFrom: null });
    expect(between(record.createdAt, expiresAt)).toBe(24 * HOUR);
  });

  it('revokes the old token at once if there is no overlap', async () => {
    const old = await create();
    const { body } = await rotate(old.id, { overlap: '0h' }).expect(201);
    await api.withValue(old.token).get('/api/v1/users').expect(401);
    await api.withValue(body.token).get('/api/v1/users').expect(200);
    expect((await get(old.id)).state).toBe('revoked');
  });

  it('never gives the old token a longer life', async () => {
    const old = await create({ expiresIn: '1d' });
    const { body } = await rotate(old.id, { overlap: '168h' }).expect(201);
    expect((await get(old.id)).expiresAt).toBe(old.expiresAt);
    expect(between(body.createdAt, body.expiresAt)).toBe(DAY);
    await rotate(old.id, { overlap: '1h' }).expect(201);
    const { expiresAt } = await get(old.id);
    await rotate(old.id, { overlap: '2h' }).expect(201);
    expect((await get(old.id)).expiresAt).toBe(expiresAt);
  });

  it('starts a whole new term, also of a token that a rotation has shortened, unless another is given', async () => {
    const old = await create({ expiresIn: '90d' });
    for (const { request, days } of [
      { request: undefined, days: 90 },
      { request: { expiresIn: '7d', overlap: '2h' }, days: 7 },
      { request: {}, days: 90 },
    ]) {
      const { body } = await rotate(old.id, request).expect(201);
      expect(body.expiresIn).toBe(`${days}d`);
      expect(between(body.createdAt, body.expiresAt)).toBe(days * DAY);
    }
    const forever = await create();
    const { body } = await rotate(forever.id).expect(201);
    expect(body).toMatchObject({ expiresIn: null, expiresAt: null, rotatedFrom: forever.id });
  });

  it('is a 409 for an expired or revoked token, and changes nothing', async () => {
    const [expired, revoked] = [await create({ expiresIn: '1d' }), await create()];
    await endIn(expired.id, 0);
    await api.delete(`/v1/tokens/${revoked.id}`).expect(204);
    for (const { id } of [expired, revoked]) {
      const before = await get(id);
      const { body } = await rotate(id, {}).expect(409);
      expect(body.code).toBe('conflict');
      expect(await get(id)).toEqual(before);
    }
    expect((await api.get('/v1/tokens?state=active')).body.data).toHaveLength(1);
  });

  it('rejects any other body', async () => {
    const rows: [object, string, string][] = [
      [{ overlap: '24' }, 'overlap', 'invalid'],
      [{ overlap: '1d' }, 'overlap', 'invalid'],
      [{ overlap: '024h' }, 'overlap', 'invalid'],
      [{ overlap: '1.5h' }, 'overlap', 'invalid'],
      [{ overlap: '169h' }, 'overlap', 'out_of_range'],
      [{ expiresIn: '0d' }, 'expiresIn', 'out_of_range'],
      [{ name: 'New' }, 'name', 'unknown'],
    ];
    for (const [request, field, code] of rows) {
      const { errors } = (await rotate(api.tokenId, request).expect(400)).body;
      expect({ request, errors }).toEqual({
        request,
        errors: [{ field, code, message: expect.any(String) }],
      });
    }
    const { body } = await rotate(api.tokenId, {}).set('Idempotency-Key', 'one').expect(400);
    expect(body.errors).toEqual([expect.objectContaining({ field: 'Idempotency-Key' })]);
    await rotate('current', {}).expect(404);
    expect(await events()).toEqual([]);
  });

  it('takes no body for {}, but an empty body with a type for malformed JSON', async () => {
    const rotateNow = () => rotate(api.tokenId);
    await rotateNow().expect(201);
    const { body } = await rotateNow().set('Content-Type', 'application/json').expect(400);
    expect(body.code).toBe('malformed_json');
    await rotateNow().set('Content-Type', 'text/plain').expect(415);
    await rotateNow().set('Content-Encoding', 'gzip').expect(415);
    await rotateNow().set('Content-Type', 'text/plain').send('{}').expect(415);
  });

  it('is one event, with the new record and without a value', async () => {
    const old = await create({ expiresIn: '30d' });
    const { token, ...record } = (await rotate(old.id, {}).expect(201)).body;
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
  it('revokes the caller', async () => {
    const { id, token } = await create();
    const own = api.withValue(token);
    await own.delete('/v1/tokens/current').expect(204, '');
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

describe('X-Token-Expires-At', () => {
  const HEADER = 'x-token-expires-at';

  it('is on every response to a token that expires, whatever its status, and on no other', async () => {
    const { token, expiresAt } = await create({ expiresIn: '30d' });
    const own = api.withValue(token);
    for (const answer of [
      await own.get('/api/v1/users').expect(200),
      await own.get('/api/v1/users?page=1').expect(400),
      await own.get('/api/v1/users/usr_x').expect(404),
      await own.delete('/api/v1/users/usr_x').expect(403),
    ]) {
      expect(answer.headers[HEADER]).toBe(expiresAt);
    }
    for (const answer of [
      await api.get('/api/v1/users').expect(200),
      await own.get('/api/nothing').expect(404),
      await api.withValue(`${token}0`).get('/api/v1/users').expect(401),
    ]) {
      expect(answer.headers[HEADER]).toBeUndefined();
    }
  });
});

describe('token.expiring and token.expired', () => {
  const warn = () => runJob(service.app, 'warn of expiring tokens');

  /** What the events tell: the days left, or 0 if the token has expired. */
  const told = async (id: string) =>
    (await events())
      .filter(({ target }: { target: { id: string } }) => target.id === id)
      .map(({ type, data }: { type: string; data: { days?: number } }) =>
        type === 'token.expired' ? 0 : data.days,
      );

  it('tell of each token 14, 7 and 1 days before its end, and when it is over, once each', async () => {
    const { id } = await create({ expiresIn: '90d' });
    const seen = [];
    for (const days of [90, 14.1, 13.9, 10, 7.1, 6.9, 1.1, 0.9, 0.1, 0, -1]) {
      await endIn(id, days);
      await warn();
      await warn();
      seen.push([days, await told(id)]);
    }
    expect(Object.fromEntries(seen.map(([days, list]) => [String(days), list]))).toEqual({
      90: [],
      14.1: [],
      13.9: [14],
      10: [14],
      7.1: [14],
      6.9: [14, 7],
      1.1: [14, 7],
      0.9: [14, 7, 1],
      0.1: [14, 7, 1],
      0: [14, 7, 1, 0],
      '-1': [14, 7, 1, 0],
    });
  });

  it('tell only the nearest of several that passed unseen', async () => {
    const [soon, over] = [await create({ expiresIn: '90d' }), await create({ expiresIn: '90d' })];
    await endIn(soon.id, 0.5);
    await endIn(over.id, -3);
    await warn();
    expect([await told(soon.id), await told(over.id)]).toEqual([[1], [0]]);
  });

  it('warn of no time that is longer than the term', async () => {
    const [week, days] = [await create({ expiresIn: '7d' }), await create({ expiresIn: '5d' })];
    await warn();
    expect([await told(week.id), await told(days.id)]).toEqual([[7], []]);
    await endIn(days.id, 1);
    await warn();
    expect(await told(days.id)).toEqual([1]);
  });

  it('warn of no end that a rotation has set, but tell when it is over', async () => {
    const [limited, forever] = [await create({ expiresIn: '90d' }), await create()];
    for (const { id } of [limited, forever]) {
      await rotate(id, { overlap: '168h' }).expect(201);
      await warn();
      await endIn(id, 0.5);
      await warn();
      expect(await told(id)).toEqual([undefined]); // the rotation itself
      await endIn(id, 0);
      await warn();
      expect(await told(id)).toEqual([undefined, 0]);
    }
  });

  it('still warn of a token that ends before the overlap of its rotation', async () => {
    const { id } = await create({ expiresIn: '90d' });
    await endIn(id, 5);
    await rotate(id, { overlap: '168h' }).expect(201);
    await warn();
    expect(await told(id)).toEqual([undefined, 7]);
  });

  it('tell nothing of a revoked token', async () => {
    const { id } = await create({ expiresIn: '90d' });
    await endIn(id, 3);
    await api.delete(`/v1/tokens/${id}`).expect(204);
    await warn();
    await endIn(id, -1);
    await warn();
    expect((await events()).map(({ type }: { type: string }) => type)).toEqual(['token.revoked']);
  });

  it('come from the service, and have the record of the token', async () => {
    const { id } = await create({ expiresIn: '90d' });
    for (const days of [6, 0]) {
      await endIn(id, days);
      await warn();
      const record = await get(id);
      const [event] = (await api.get('/api/v1/events?order=desc&limit=1').expect(200)).body.data;
      expect(event).toMatchObject({
        type: days ? 'token.expiring' : 'token.expired',
        source: 'service',
        actor: { type: 'system', id: null, name: 'system' },
        target: { type: 'token', id },
        requestId: null,
        data: days ? { token: record, days: 7 } : { token: record },
      });
    }
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
    const create = `tokens create --organization ${organization} --name CI --scopes admin`.split(' ');
    const old = await ums(...create, '--expires-in', '30d');
    const { token, ...record } = await ums('tokens', 'rotate', old.id, '--overlap', '2h');
    expect(isTokenValue(token)).toBe(true);
    expect(record).toMatchObject({ name: 'CI', state: 'active', expiresIn: '30d', rotatedFrom: old.id });
    const [first, second] = await ums('tokens', 'list', '--organization', organization);
    expect(first).toEqual(record);
    expect(between(record.createdAt, second.expiresAt)).toBe(2 * HOUR);

    const refusal = async (...args: string[]) => {
      const { code, stderr } = await run(args, { ...database.env, TOKEN_MAX_DAYS: '20' });
      expect(code).toBe(1);
      return stderr;
    };
    expect(await refusal('tokens', 'rotate', 'tok_x')).toContain('There is no such token.');
    const advice = 'TOKEN_MAX_DAYS is 20. Set --expires-in 20d, or a shorter lifetime.\n';
    expect(await refusal('tokens', 'rotate', old.id)).toContain(advice);
    expect(await refusal(...create)).toBe(
      `1 field is invalid.\n  expiresIn is required, because a token may live at most 20d\n${advice}`,
    );
  });
});
