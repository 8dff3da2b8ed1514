import { LastUse } from '../../src/auth/last-use';
import { canonicalNetwork, isWithin } from '../../src/tokens/token/allowed-networks';
import { formOf, requestToken, useParents } from '../support/children';
import type { Client } from '../support/client';
import { expectFailure } from '../support/oauth';
import { startService, type TestService } from '../support/service';
import { useOperator } from '../support/operator';

const { service, admin, aParent, childOf, childrenOf } = useParents();

describe('a network', () => {
  it('has one form', () => {
    for (const [text, canonical] of [
      ['203.0.113.0/24', '203.0.113.0/24'],
      ['203.0.113.7', '203.0.113.7'],
      ['203.0.113.7/32', '203.0.113.7'],
      ['0.0.0.0/0', '0.0.0.0/0'],
      ['::/0', '::/0'],
      ['2001:DB8:0:0::/32', '2001:db8::/32'],
      ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
      ['2001:db8::1/128', '2001:db8::1'],
      ['2001:db8::1.2.3.4', '2001:db8::102:304'],
      ['fe80::/10', 'fe80::/10'],
    ])
      expect([text, canonicalNetwork(text)]).toEqual([text, canonical]);
  });

  it('is nothing else', () => {
    for (const text of [
      ...['', ' ', '*', 'example.com', '203.0.113', '010.0.0.0/8', '1e1.0.0.0/8', '203.0.113.7:443'],
      ...['203.0.113.1/24', '203.0.113.0/33', '203.0.113.0/024', '203.0.113.0/', '203.0.113.0/-1'],
      ...['203.0.113.0/255.255.255.0', '203.0.113.0/24/24', ' 203.0.113.0/24', '203.0.113.0/24\n'],
      ...['2001:db8::1/32', '2001:db8::/129', '[2001:db8::]/32', 'fe80::1%eth0', 'fe80::%eth0/10'],
      ...['::ffff:203.0.113.7', '::ffff:cb00:7107', '::ffff:0:0/96', '::ffff:203.0.113.0/120'],
      ...[null, 7, ['203.0.113.7'], { toString: () => '203.0.113.7' }],
    ])
      expect([text, canonicalNetwork(text)]).toEqual([text, undefined]);
  });

  it('has the addresses of its own family that begin like it, as proxies and sockets write them', () => {
    for (const [address, network, is] of [
      ['203.0.113.255', '203.0.113.0/24', true],
      ['203.0.114.0', '203.0.113.0/24', false],
      ['203.0.113.7:4711', '203.0.113.0/24', true],
      ['::ffff:203.0.113.7', '203.0.113.0/24', true],
      ['::ffff:cb00:7107', '203.0.113.7', true],
      ['::FFFF:203.0.113.7', '203.0.113.7', true],
      ['203.0.113.7', '203.0.113.70', false],
      ['203.0.113.70', '203.0.113.7', false],
      ['203.0.113.7', '::/0', false],
      ['::ffff:203.0.113.7', '::/0', false],
      ['2001:db8::1', '0.0.0.0/0', false],
      ['2001:db8:1::1', '2001:db8::/32', true],
      ['[2001:db8::1]:443', '2001:db8::/32', true],
      ['2001:db9::1', '2001:db8::/32', false],
      ['2001:db8::1', '2001:db8::1', true],
      ['2001:db8::10', '2001:db8::1', false],
      ['fe80::1%eth0', 'fe80::/10', true],
      ['198.51.100.1', '0.0.0.0/0', true],
      ['2a00::1', '::/0', true],
      ['unknown', '0.0.0.0/0', false],
      ['', '0.0.0.0/0', false],
      ['203.0.113.7, 10.0.0.1', '203.0.113.0/24', false],
      ['0203.0.113.7', '203.0.113.0/24', false],
    ] as const)
      expect([address, network, isWithin(address, [network])]).toEqual([address, network, is]);
    expect(isWithin(undefined, ['0.0.0.0/0', '::/0'])).toBe(false);
    expect(isWithin('10.1.2.3', ['203.0.113.0/24', '10.0.0.0/8'])).toBe(true);
  });
});

describe('the networks of a new token', () => {
  const create = (allowedNetworks: unknown) =>
    admin.post('/v1/tokens', { name: 'CI', scopes: ['users:read'], allowedNetworks });

  it('are stored in their form, or none', async () => {
    expect((await create(['2001:DB8::/32', '203.0.113.7/32']).expect(201)).body.allowedNetworks).toEqual([
      '2001:db8::/32',
      '203.0.113.7',
    ]);
    expect((await create(null).expect(201)).body.allowedNetworks).toBeNull();
    expect((await create(undefined).expect(201)).body.allowedNetworks).toBeNull();
  });

  it('are refused at their place', async () => {
    const network = (i: number) => `10.${i}.0.0/16`;
    const many = (count: number) => Array.from({ length: count }, (_, i) => network(i));
    for (const [value, ...faults] of [
      ['10.0.0.0/8', ['allowedNetworks', 'invalid']],
      [[], ['allowedNetworks', 'too_short']],
      [many(21), ['allowedNetworks', 'too_many']],
      [
        ['10.0.0.0/8', '10.0.0.1/8', 'x'],
        ['allowedNetworks.1', 'invalid'],
        ['allowedNetworks.2', 'invalid'],
      ],
      [
        ['10.0.0.0/8', '::1', '::1/128'],
        ['allowedNetworks.2', 'invalid'],
      ],
      [
        ['10.0.0.0/8', 7],
        ['allowedNetworks.1', 'invalid'],
      ],
    ] as [unknown, ...string[][]][]) {
      const { body } = await create(value).expect(400);
      const found = body.errors.map(({ field, code }: { field: string; code: string }) => [field, code]);
      expect([value, found]).toEqual([value, faults]);
      expect(JSON.stringify(body)).not.toContain('10.0.0.1/8');
    }
    await create(many(20)).expect(201);
  });
});

/** A request of a token from an address, through one proxy. */
const from = (client: Client, address: string, path = '/api/v1/users') =>
  client.get(path).set('X-Forwarded-For', address);

describe('a token outside of its networks', () => {
  const allowed = { allowedNetworks: ['198.51.100.0/24', '2001:db8::/32'] };

  it('may do nothing, and its use is not recorded', async () => {
    const token = await aParent(allowed);
    for (const address of ['203.0.113.7', '2001:db9::1', 'unknown', '', '198.51.100.7, 203.0.113.7']) {
      const { body, headers } = await from(token, address).expect(403);
      expect(body).toMatchObject({ code: 'network_not_allowed', title: 'Forbidden' });
      expect(JSON.stringify(body)).not.toMatch(/203\.0|2001:db9|198\.51/);
      expect(headers).toHaveProperty('x-ratelimit-remaining');
    }
    await from(token, '203.0.113.7', '/v1/tokens/current').expect(403);
    await from(token, '203.0.113.7', '/v1/tokens').expect(403); // rather than a scope that it lacks
    expect((await from(token, '203.0.113.7', '/v1/tokens')).body.code).toBe('network_not_allowed');
    await service.app.get(LastUse).flush();
    const lastUse = async () => (await admin.get(`/v1/tokens/${token.tokenId}`).expect(200)).body.lastUsedAt;
    expect(await lastUse()).toBeNull();
    for (const address of ['198.51.100.7', '203.0.113.7, 198.51.100.7', '2001:db8::7', '::ffff:198.51.100.7'])
      await from(token, address).expect(200);
    await service.app.get(LastUse).flush();
    expect(await lastUse()).not.toBeNull();
    expect(service.logs.join('')).toContain('"refusal":"network_not_allowed"');
  });

  it('counts against its window, which is judged first', async () => {
    const token = await aParent({ ...allowed, rateLimit: 2 });
    await from(token, '203.0.113.7').expect(403);
    await from(token, '203.0.113.7').expect(403);
    await from(token, '203.0.113.7').expect(429);
    await from(token, '198.51.100.7').expect(429);
  });

  it('gets no child, and its children are outside with it', async () => {
    const token = await aParent({ allowedNetworks: ['127.0.0.0/8', '10.0.0.0/8'] });
    const headers = { 'X-Forwarded-For': '203.0.113.7' };
    expectFailure(await requestToken(service, formOf(token), { headers }), 'invalid_client', /network/);
    const child = await childOf(token);
    expect(await childrenOf(token)).toMatchObject([{ allowedNetworks: ['127.0.0.0/8', '10.0.0.0/8'] }]);
    await from(child, '10.0.0.7').expect(200);
    await from(child, '203.0.113.7').expect(403);
  });

  it('can revoke itself', async () => {
    const token = await aParent(allowed);
    await token.delete('/v1/tokens/current').set('X-Forwarded-For', '203.0.113.7').expect(204);
    await from(token, '198.51.100.7').expect(401);
  });
});

describe('the address of a caller', () => {
  const services: TestService[] = [];
  afterAll(() => Promise.all(services.map((one) => one.close())));

  it('is the one that TRUST_PROXY yields, whatever a caller forwards', async () => {
    for (const [trusted, rows] of [
      // No proxy is trusted: only the connection counts.
      [
        'false',
        [
          [undefined, true],
          ['203.0.113.7', true],
          ['127.0.0.1', true],
        ],
      ],
      // One proxy: the last address, which it has added.
      [
        '1',
        [
          ['203.0.113.7', false],
          ['127.0.0.1, 203.0.113.7', false],
          ['203.0.113.7, 127.0.0.1', true],
        ],
      ],
      // Proxies by their addresses: the last one that is none of them.
      [
        'loopback',
        [
          ['203.0.113.7', false],
          ['127.0.0.1, 203.0.113.7', false],
          ['203.0.113.7, 127.0.0.1', false],
        ],
      ],
      // All: the first address, which a caller can choose unless a proxy replaces the header.
      [
        'true',
        [
          ['203.0.113.7, 127.0.0.1', false],
          ['127.0.0.1, 203.0.113.7', true],
        ],
      ],
    ] as [string, [string | undefined, boolean][]][]) {
      const proxied = await startService({ TRUST_PROXY: trusted });
      services.push(proxied);
      const api = await proxied.client();
      const input = { name: 'Local', scopes: ['users:read'], allowedNetworks: ['127.0.0.1'] };
      const { token } = (await api.post('/v1/tokens', input).expect(201)).body;
      for (const [forwarded, isAllowed] of rows) {
        const request = api.withValue(token).get('/api/v1/users');
        const { status } = await (forwarded === undefined
          ? request
          : request.set('X-Forwarded-For', forwarded));
        expect([trusted, forwarded, status]).toEqual([trusted, forwarded, isAllowed ? 200 : 403]);
      }
    }
  });
});

describe('a token of a suspended organization outside of its networks', () => {
  const { service, create, change, operator } = useOperator({ TRUST_PROXY: '1' });

  it('learns only that it is outside', async () => {
    const { id } = await create();
    const input = { name: 'CI', scopes: ['admin'], allowedNetworks: ['198.51.100.7'] };
    const { token } = (await operator.post(`/v1/organizations/${id}/tokens`, input).expect(201)).body;
    await change(id, { suspended: true });
    const code = async (address: string) =>
      (await from(service.anonymous().withValue(token), address).expect(403)).body.code;
    expect(await code('203.0.113.7')).toBe('network_not_allowed');
    expect(await code('198.51.100.7')).toBe('organization_suspended');
  });
});
