import { crc32 } from 'node:zlib';
import type { QueryRunner } from 'typeorm';
import { LastUse } from '../../src/auth/last-use';
import { TokensService } from '../../src/tokens/tokens.service';
import { nextMoment } from '../support/clock';
import { describeOn } from '../support/engine';
import { useService } from '../support/service';
import { until } from '../support/until';

const service = useService({ RATE_LIMIT_PER_MINUTE: '1000' });

/** The id of a token that has been used for the first time, which has not been written yet. */
async function usedToken(): Promise<string> {
  const api = await service.client();
  await api.get('/v1/tokens/current').expect(200);
  return api.tokenId;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

describe('POST /v1/tokens', () => {
  it('creates a token and shows its value once', async () => {
    const api = await service.client();

    const { body, headers } = await api
      .post('/v1/tokens', { name: ' CI ', scopes: ['users:read'], expiresIn: '90d' })
      .expect(201);
    const { token, ...record } = body;

    expect(record).toEqual({
      id: expect.stringMatching(/^tok_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      name: 'CI',
      hint: `${token.slice(0, 8)}…${token.slice(-4)}`,
      scopes: ['users:read'],
      state: 'active',
      expiresIn: '90d',
      expiresAt: new Date(Date.parse(record.createdAt) + 90 * 24 * 3600 * 1000).toISOString(),
      createdAt: expect.any(String),
      lastUsedAt: null,
      revokedAt: null,
      rotatedFrom: null,
      rateLimit: null,
      allowedNetworks: null,
      createdBy: null,
      parentId: null,
    });
    expect(headers['cache-control']).toBe('no-store');
    await api.get(`/v1/tokens/${body.id}`).expect(200, record);
    await api.withValue(token).get('/api/v1/users').expect(200);
  });

  it('ends the value with the CRC-32 of the rest', async () => {
    const api = await service.client();
    const { body } = await api.post('/v1/tokens', { name: 'CI', scopes: ['admin'] }).expect(201);

    expect(body.token).toMatch(/^umt_[0-9A-Za-z]{38}$/);
    const checksum = [...body.token.slice(36)].reduce(
      (total, digit) => total * 62 + BASE62.indexOf(digit),
      0,
    );
    expect(checksum).toBe(crc32(body.token.slice(0, 36)));
  });

  it('rejects any other body, with all faults at once', async () => {
    const api = await service.client();
    const good = { name: 'CI', scopes: ['admin'] };
    const rows: [object, ...(readonly [string, string])[]][] = [
      [{ scopes: ['admin'] }, ['name', 'required']],
      [{ ...good, scopes: ['root'] }, ['scopes', 'invalid']],
      [{ ...good, scopes: ['admin', 'admin'] }, ['scopes', 'invalid']],
      [{ ...good, expiresIn: '12h' }, ['expiresIn', 'invalid']],
      [{ ...good, expiresIn: '0d' }, ['expiresIn', 'out_of_range']],
      [{ ...good, expiresIn: '3651d' }, ['expiresIn', 'out_of_range']],
      [{ ...good, rateLimit: null }, ['rateLimit', 'invalid']],
      [{ ...good, rateLimit: 0 }, ['rateLimit', 'out_of_range']],
      [{ ...good, value: 'mine' }, ['value', 'unknown']],
      [
        { name: '', scopes: [], rateLimit: 1001 },
        ['name', 'too_short'],
        ['scopes', 'too_short'],
        ['rateLimit', 'out_of_range'],
      ],
    ];
    for (const [request, ...faults] of rows) {
      const { errors } = (await api.post('/v1/tokens', request).expect(400)).body;
      const expected = faults.map(([field, code]) => ({ field, code, message: expect.any(String) }));
      expect({ request, errors }).toEqual({ request, errors: expected });
    }
  });
});

it('shows who signed in for a token', async () => {
  const api = await service.client();
  const createdBy = { issuer: 'https://login.example.com', subject: '42', name: 'Ada Lovelace' };
  const input = { name: 'ada@example.com', scopes: ['admin' as const] };
  const { token } = await service.app.get(TokensService).createFor(api.organizationId!, input, { createdBy });
  expect((await api.get(`/v1/tokens/${token.id}`).expect(200)).body.createdBy).toEqual(createdBy);
  expect((await api.get('/v1/tokens').expect(200)).body.data[0].createdBy).toEqual(createdBy);
});

describe('a token value', () => {
  it('with a wrong shape or checksum is rejected without a query', async () => {
    const { tokenValue } = await service.client();
    const flipped = tokenValue.endsWith('0') ? `${tokenValue.slice(0, -1)}1` : `${tokenValue.slice(0, -1)}0`;
    const queries = jest.spyOn(service.dataSource, 'query');

    for (const value of [flipped, tokenValue.slice(1), `${tokenValue}0`, tokenValue.toLowerCase(), 'umt_']) {
      await service.anonymous().get('/v1/tokens/current').set('Authorization', `Bearer ${value}`).expect(401);
    }

    const lookUps = () => queries.mock.calls.filter(([sql]) => sql.includes('hash = ANY'));
    expect(lookUps()).toEqual([]);
    await service
      .anonymous()
      .get('/v1/tokens/current')
      .set('Authorization', `Bearer ${tokenValue}`)
      .expect(200);
    expect(lookUps()).toHaveLength(1);
    queries.mockRestore();
  });

  it('appears only in its 201, and in no table, log line or error', async () => {
    const api = await service.client();
    const { body } = await api.post('/v1/tokens', { name: 'Secret', scopes: ['users:read'] }).expect(201);
    const value: string = body.token;
    await api.withValue(value).get('/api/v1/users').expect(200);
    const forbidden = await api.withValue(value).delete(`/v1/tokens/${body.id}`).expect(403);
    const invalid = await api.withValue(value).get(`/api/v1/users?cursor=${value}`).expect(400);
    const tables: { name: string }[] = await service.dataSource.query(
      `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = current_schema()`,
    );
    const rows = [];
    for (const { name } of tables)
      rows.push(await service.dataSource.query(`SELECT t::text AS row FROM ${name} t`));

    const stored = JSON.stringify(rows);
    expect(stored).toContain(body.id);
    for (const text of [
      stored,
      JSON.stringify(forbidden),
      JSON.stringify(invalid.body),
      service.logs.join(''),
    ]) {
      expect(text.replaceAll(`Bearer ${value}`, '')).not.toContain(value);
      expect(text).not.toContain(Buffer.from(value).toString('hex'));
    }
    expect(service.logs.join('')).not.toContain(value);
  });
});

describe('GET /v1/tokens', () => {
  it('lists the tokens newest first, in pages, and filters by state', async () => {
    const api = await service.client();
    const create = async (name: string) => {
      await nextMoment();
      return (await api.post('/v1/tokens', { name, scopes: ['users:read'] }).expect(201)).body.id;
    };
    const [expired, revoked] = [await create('expired'), await create('revoked')];
    const active = await create('active');
    const expire = `UPDATE tokens SET expires_at = now() - interval '1 ms' WHERE id = ANY ($1)`;
    await service.dataSource.query(expire, [[expired, revoked]]);
    await api.delete(`/v1/tokens/${revoked}`).expect(204);

    const ids = async (query: string) =>
      (await api.get(`/v1/tokens${query}`).expect(200)).body.data.map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual([active, revoked, expired, api.tokenId]);
    expect(await ids('?state=active')).toEqual([active, api.tokenId]);
    expect(await ids('?state=expired')).toEqual([expired]);
    expect(await ids('?state=revoked')).toEqual([revoked]);

    const first = await api.get('/v1/tokens?limit=3').expect(200);
    expect(first.headers.link).toBe(`</v1/tokens?limit=3&cursor=${first.body.nextCursor}>; rel="next"`);
    expect(await ids(`?limit=3&cursor=${first.body.nextCursor}`)).toEqual([api.tokenId]);
    await api.get(`/v1/tokens?state=active&cursor=${first.body.nextCursor}`).expect(400);
    await api.get('/v1/tokens?state=gone').expect(400);
  });
});

describe('GET /v1/tokens/current', () => {
  it('shows every token its own record, with a last use that is at most a minute old', async () => {
    const api = await service.client({ scopes: ['users:delete'] });
    const { body } = await api.get('/v1/tokens/current').expect(200);
    expect(body).toMatchObject({
      id: api.tokenId,
      scopes: ['users:delete'],
      state: 'active',
      expiresAt: null,
    });

    await service.app.get(LastUse).flush();

    const { lastUsedAt } = (await api.get('/v1/tokens/current').expect(200)).body;
    expect(Math.abs(Date.parse(lastUsedAt) - Date.now())).toBeLessThan(60_000);
  });
});

describeOn('postgres', 'lastUsedAt of a token whose row is locked', () => {
  let lock: QueryRunner;
  let locked: string;
  let other: string;
  beforeEach(async () => {
    [locked, other] = [await usedToken(), await usedToken()];
    lock = service.dataSource.createQueryRunner();
    await lock.startTransaction();
    await lock.query('SET LOCAL idle_in_transaction_session_timeout = 0'); // it waits for requests
    await lock.query('SELECT FROM tokens WHERE id = $1 FOR UPDATE', [locked]);
  });
  const unlock = () => lock.isTransactionActive && lock.rollbackTransaction();
  afterEach(async () => {
    await unlock();
    await lock.release();
  });

  const isWritten = async (id: string): Promise<boolean> =>
    (await service.dataSource.query('SELECT last_used_at FROM tokens WHERE id = $1', [id]))[0]
      .last_used_at !== null;
  const warnings = () => service.logs.filter((line) => line.includes('lastUsedAt could not be saved'));

  it('is written once the lock is gone, and that of other tokens meanwhile', async () => {
    const lastUse = service.app.get(LastUse);
    await lastUse.flush();
    expect([await isWritten(locked), await isWritten(other)]).toEqual([false, true]);
    await lastUse.flush();
    await unlock();
    expect(await isWritten(locked)).toBe(false);
    await lastUse.flush();
    expect(await isWritten(locked)).toBe(true);
    expect(warnings()).toEqual([]);
  });

  it('is waited for when the service stops, after those of other tokens have been written', async () => {
    const stopped = service.app.get(LastUse).beforeApplicationShutdown();
    await until(() => isWritten(other));
    expect(await isWritten(locked)).toBe(false);
    await unlock();
    await stopped;
    expect(await isWritten(locked)).toBe(true);
  });
});

describe('DELETE /v1/tokens/{id}', () => {
  it('revokes a token immediately, and succeeds when repeated', async () => {
    const api = await service.client();
    const { body } = await api.post('/v1/tokens', { name: 'CI', scopes: ['users:read'] }).expect(201);
    const ci = api.withValue(body.token);
    await ci.get('/api/v1/users').expect(200);

    const { text } = await api.delete(`/v1/tokens/${body.id}`).expect(204);
    await ci.get('/api/v1/users').expect(401);

    expect(text).toBe('');
    const { revokedAt, state } = (await api.get(`/v1/tokens/${body.id}`).expect(200)).body;
    expect(state).toBe('revoked');
    await api.delete(`/v1/tokens/${body.id}`).expect(204);
    expect((await api.get(`/v1/tokens/${body.id}`).expect(200)).body.revokedAt).toBe(revokedAt);
  });
});
