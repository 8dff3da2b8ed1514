import { ServiceUnavailableException } from '@nestjs/common';
import { Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  OrganizationsService,
  TokensService,
  UserManagementModule,
  type UserManagementOptions,
} from '../../src';
import { Database } from '../../src/database/database';
import { networkOf } from '../../src/rate-limit/network';
import { NetworkLimiter } from '../../src/rate-limit/network-limiter';
import { newTokenValue } from '../../src/tokens/token-value';
import type { Client } from '../support/client';
import { type Host, startHost } from '../support/host';
import { startService, type TestService } from '../support/service';

const PATH = '/v1/tokens/leaked';

let service: TestService;
let api: Client;
beforeAll(async () => (service = await startService({ LEAK_REPORTS: 'true', TRUST_PROXY: '1' })));
beforeEach(async () => (api = await service.client()));
afterAll(() => service.close());

let addresses = 0;

/** An address that has reported nothing yet. */
const newAddress = () => `10.${++addresses >> 8}.${addresses & 255}.1`;

const report = (body: unknown, address = newAddress(), path = PATH) =>
  service
    .anonymous()
    .post(path, body as object)
    .set('X-Forwarded-For', address);

const create = async (client = api, fields: object = {}): Promise<{ id: string; token: string }> =>
  (await client.post('/v1/tokens', { name: 'CI', scopes: ['users:read'], ...fields }).expect(201)).body;

const stateOf = async (id: string, client = api) =>
  (await client.get(`/v1/tokens/${id}`).expect(200)).body.state;

describe.each([PATH, `/api${PATH}`])('POST %s', (path) => {
  it('revokes active tokens of any organization at once, with one event each', async () => {
    const other = await service.client();
    const [own, foreign, safe] = [await create(), await create(other), await create()];
    const { text } = await report({ tokens: [own.token, foreign.token, own.token] }, newAddress(), path)
      .set('X-Request-ID', 'scan-1')
      .expect(202);
    expect(text).toBe('{}');
    for (const { token } of [own, foreign]) await api.withValue(token).get('/v1/tokens/current').expect(401);
    await api.withValue(safe.token).get('/v1/tokens/current').expect(200);
    for (const [client, { id }] of [
      [api, own],
      [other, foreign],
    ] as const) {
      const { body: token } = await client.get(`/v1/tokens/${id}`).expect(200);
      expect(token.state).toBe('revoked');
      const { body } = await client.get(`/api/v1/events?target=${id}`).expect(200);
      expect(body.data.slice(1)).toEqual([
        expect.objectContaining({
          type: 'token.leaked',
          source: 'api',
          actor: { type: 'system', id: null, name: 'leak report' },
          target: { type: 'token', id },
          requestId: 'scan-1',
          data: { token },
        }),
      ]);
    }
  });

  it('answers the same for all that is well-formed, known or not', async () => {
    const [expired, revoked] = [await create(api, { expiresIn: '1d' }), await create()];
    await service.dataSource.query('UPDATE tokens SET expires_at = now() WHERE id = $1', [expired.id]);
    await api.delete(`/v1/tokens/${revoked.id}`).expect(204);
    for (const token of [expired.token, revoked.token, newTokenValue(), 'umt_', '', 'x'.repeat(50_000)])
      expect((await report({ tokens: [token] }, newAddress(), path).expect(202)).text).toBe('{}');
    expect([await stateOf(expired.id), await stateOf(revoked.id)]).toEqual(['expired', 'revoked']);
    const { body } = await api.get('/api/v1/events?type=token.leaked').expect(200);
    expect(body.data).toEqual([]);
  });

  it.each([
    [{}, 'tokens', 'required'],
    [{ tokens: [] }, 'tokens', 'too_short'],
    [{ tokens: Array(101).fill('x') }, 'tokens', 'too_many'],
    [{ tokens: 'x' }, 'tokens', 'invalid'],
    [{ tokens: [1] }, 'tokens', 'invalid'],
    [{ tokens: [['x']] }, 'tokens', 'invalid'],
    [{ tokens: null }, 'tokens', 'invalid'],
    [{ tokens: ['x'], url: 'https://example.com' }, 'url', 'unknown'],
    [[], 'body', 'invalid'],
  ])('rejects %j', async (request, field, code) => {
    const { body } = await report(request, newAddress(), path).expect(400);
    expect(body.errors).toEqual([{ field, code, message: expect.any(String) }]);
  });
});

it('takes 100 tokens in a report', async () => {
  const tokens = await Promise.all(Array.from({ length: 3 }, () => create()));
  await report({
    tokens: [...Array.from({ length: 97 }, newTokenValue), ...tokens.map((t) => t.token)],
  }).expect(202);
  for (const { id } of tokens) expect(await stateOf(id)).toBe('revoked');
});

it('revokes the others when one of them cannot be revoked', async () => {
  const [first, second] = [await create(), await create()];
  const write = jest
    .spyOn(service.app.get(Database), 'write')
    .mockRejectedValueOnce(new ServiceUnavailableException());
  await report({ tokens: [first.token, second.token] }).expect(503);
  write.mockRestore();
  expect([await stateOf(first.id), await stateOf(second.id)].sort()).toEqual(['active', 'revoked']);
  await report({ tokens: [first.token, second.token] }).expect(202);
  expect([await stateOf(first.id), await stateOf(second.id)]).toEqual(['revoked', 'revoked']);
});

it('asks the database for nothing but well-formed values', async () => {
  const queries = jest.spyOn(service.dataSource, 'query');
  const flipped = newTokenValue().replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  await report({ tokens: [flipped, 'umt_', 'ghp_x'] }).expect(202);
  const lookUps = () => queries.mock.calls.filter(([sql]) => sql.includes('hash = ANY'));
  expect(lookUps()).toEqual([]);
  await report({ tokens: [newTokenValue()] }).expect(202);
  expect(lookUps()).toHaveLength(1);
  queries.mockRestore();
});

it('stands in the way of no other request: its path knows POST alone', async () => {
  const { headers } = await service.anonymous().get(PATH).expect(405);
  expect(headers.allow).toBe('POST');
});

describe('the limit of reports', () => {
  const body = { tokens: ['x'] };

  /** The statuses of so many reports at once. */
  const reports = async (count: number, address: string) =>
    (await Promise.all(Array.from({ length: count }, () => report(body, address)))).map(
      ({ status }) => status,
    );

  const anHourLater = () =>
    service.dataSource.query(
      `UPDATE rate_limit_windows SET started_ms = started_ms - 3600000 WHERE organization_id = ''`,
    );

  const admitted = (statuses: number[]) => statuses.filter((status) => status === 202).length;

  it('admits exactly 60 in an hour from an address, and then none', async () => {
    const address = newAddress();
    const statuses = [...(await reports(50, address)), ...(await reports(50, address))];
    expect(admitted(statuses)).toBe(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
    const { body: problem, headers } = await report(body, address).expect(429);
    expect(problem).toMatchObject({
      code: 'rate_limited',
      detail: expect.stringMatching(/^Too many reports/),
    });
    expect(Number(headers['retry-after'])).toBeGreaterThan(3500);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(3600);
    expect(headers['x-ratelimit-limit']).toBeUndefined();
    await report(body).expect(202); // of another address
  });

  it('counts refused reports, too', async () => {
    const address = newAddress();
    for (let i = 0; i < 15; i++) {
      await report({ tokens: [] }, address).expect(400);
      await report(undefined, address).set('Content-Type', 'text/plain').send('x').expect(415);
      await report({ tokens: ['x'.repeat(70_000)] }, address).expect(413);
      await report(body, address, `${PATH}?page=1`).expect(400);
    }
    await report(body, address).expect(429);
  });

  it('reads no body and asks nothing of the database once it is exceeded', async () => {
    const address = newAddress();
    await reports(61, address);
    const { token, id } = await create();
    const queries = jest.spyOn(service.dataSource, 'query');
    await report({ tokens: [token] }, address).expect(429);
    await report({ tokens: ['x'.repeat(70_000)] }, address).expect(429);
    expect(queries.mock.calls.filter(([sql]) => /rate_limit_windows|hash = ANY/.test(sql))).toEqual([]);
    queries.mockRestore();
    expect(await stateOf(id)).toBe('active');
  });

  it('counts a whole /64 of IPv6 as one, and an IPv4 address in IPv6 as itself', async () => {
    const statuses = [];
    for (let i = 0; i < 61; i++) statuses.push((await report(body, `2001:db8:1:2:${i}::1`)).status);
    expect([admitted(statuses), statuses[60]]).toEqual([60, 429]);
    await report(body, '2001:db8:1:3::1').expect(202);
    const address = newAddress();
    await reports(60, address);
    await report(body, `::ffff:${address}`).expect(429);
  });

  it('begins anew after an hour', async () => {
    const address = newAddress();
    expect(admitted(await reports(59, address))).toBe(59);
    await anHourLater();
    expect(admitted(await reports(61, address))).toBe(60);
  });

  it('ignores X-Forwarded-For unless TRUST_PROXY says otherwise', async () => {
    const direct = await startService({ LEAK_REPORTS: 'true' });
    try {
      const send = () => direct.anonymous().post(PATH, body).set('X-Forwarded-For', newAddress());
      const statuses = [];
      for (let i = 0; i < 61; i++) statuses.push((await send()).status);
      expect([admitted(statuses), statuses[60]]).toEqual([60, 429]);
    } finally {
      await direct.close();
    }
  });

  it('keeps no address, and for no longer than it counts', async () => {
    const address = newAddress();
    await report(body, address).expect(202);
    const rows = () =>
      service.dataSource.query(
        `SELECT w::text AS row FROM rate_limit_windows AS w WHERE organization_id = ''`,
      );
    expect(JSON.stringify(await rows())).not.toContain(address);
    expect(service.logs.join('')).not.toContain(address);
    await anHourLater();
    await report(body).expect(202);
    await service.app.get(NetworkLimiter).deleteExpired();
    expect(await rows()).toHaveLength(1);
  });
});

it('leaves no value in a table, log line or error', async () => {
  const { token } = await create();
  const unknown = newTokenValue();
  const failed = await report({ tokens: [token], [unknown]: token });
  await report({ tokens: [token, unknown] }).expect(202);
  await api.get('/api/v1/events').expect(200);
  const tables: { name: string }[] = await service.dataSource.query(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = current_schema()`,
  );
  const rows = [];
  for (const { name } of tables)
    rows.push(await service.dataSource.query(`SELECT t::text AS row FROM ${name} t`));
  const written = JSON.stringify(rows) + service.logs.join('');
  expect(written).toContain('token.leaked');
  for (const value of [token, unknown]) {
    expect(written).not.toContain(value);
    expect(written).not.toContain(Buffer.from(value).toString('hex'));
  }
  expect(failed.text).not.toContain(token);
});

describe('without LEAK_REPORTS', () => {
  let plain: TestService;
  beforeAll(async () => (plain = await startService()));
  afterAll(() => plain.close());

  it.each([PATH, `/api${PATH}`])('is an unknown path, whatever the method: %s', async (path) => {
    const client = await plain.client();
    const send = async (method: 'get' | 'post' | 'delete' | 'put', to: string) => {
      const { status, text, headers } = await client.send(method, to, {}).set('X-Request-ID', 'same');
      return { status, text, allow: headers.allow };
    };
    const unknown = await send('post', '/v1/nothing');
    expect(unknown.status).toBe(404);
    for (const method of ['get', 'post', 'delete', 'put'] as const)
      expect(await send(method, path)).toEqual(unknown);
    expect(
      (
        await plain
          .anonymous()
          .post(path, { tokens: [client.tokenValue] })
          .expect(404)
      ).body.code,
    ).toBe('not_found');
    await client.get('/v1/tokens/current').expect(200);
  });
});

describe('in a host', () => {
  @Module({})
  class BehindProxy {
    constructor({ httpAdapter }: HttpAdapterHost) {
      httpAdapter.getInstance().set('trust proxy', 1);
    }
  }

  let host: Host | undefined;
  const startWith = async (options: UserManagementOptions) =>
    (host = await startHost([
      { module: BehindProxy },
      UserManagementModule.forRoot({ schema: 'ums', ...options }),
    ]));
  afterEach(() => host?.close());

  const send = ({ url }: Host, tokens: string[], address = newAddress()) =>
    fetch(`${url}/backend${PATH}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address, 'X-Host': 'me' },
      body: JSON.stringify({ tokens }),
    });

  it('is there if the application wants it, and knows addresses as the application does', async () => {
    const host = await startWith({ leakReports: true });
    const { id } = await host.app.get(OrganizationsService).create('Test');
    const { token, value } = await host.app.get(TokensService).create(id, { name: 'CI', scopes: ['admin'] });
    for (let i = 0; i < 60; i++) expect((await send(host, ['x'], '192.0.2.1')).status).toBe(202);
    expect((await send(host, [value], '192.0.2.1')).status).toBe(429);
    expect((await send(host, [value])).status).toBe(202);
    expect((await host.app.get(TokensService).get(id, token.id)).state).toBe('revoked');
  });

  it('is an unknown path by default', async () => {
    expect((await send(await startWith({}), ['x'])).status).toBe(404);
  });
});

describe('networkOf()', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['2001:DB8::1', '2001:db8:0:0'],
    ['2001:db8:0:0:ffff::', '2001:db8:0:0'],
    ['2001:0db8:0001:0002:3:4:5:6', '2001:db8:1:2'],
    ['::1', '0:0:0:0'],
    ['1::', '1:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['192.0.2.1:443', '192.0.2.1'],
    ['[2001:DB8::1]:443', '2001:db8:0:0'],
    ['[::1]', '0:0:0:0'],
    ['64:ff9b::c000:201', '192.0.2.1'],
    ['64:ff9b::192.0.2.2', '192.0.2.2'],
    ['64:ff9b:1::c000:201', '64:ff9b:1:0'],
    ['192.0.2.1:443:443', 'unknown'],
    ['example.com:443', 'unknown'],
    ['', 'unknown'],
    [undefined, 'unknown'],
  ])('%s is of %s', (address, network) => expect(networkOf(address)).toBe(network));
});
