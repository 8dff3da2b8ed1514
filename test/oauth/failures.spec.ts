import pg from 'pg';
import { expectFailure, formOf, newNetwork, requestToken, useParents } from '../support/children';
import type { Client } from '../support/client';
import { withoutDatabase } from '../support/database';
import { describeOn } from '../support/engine';
import { exchange } from '../support/oauth';
import { untilBlocked } from '../support/until';

const { service, aParent, replica } = useParents();

/** How often a network may fail in a minute. */
const LIMIT = 60;

/** Fails so often, in every way that is the caller's fault, on two replicas in turn. */
async function fail(parent: Client, headers: Record<string, string>, count: number): Promise<void> {
  const right = formOf(parent);
  const ways = [
    { ...right, client_secret: 'wrong' },
    { ...right, grant_type: 'password' },
    { ...right, scope: 'admin' },
    'grant_type=client_credentials&grant_type=client_credentials',
  ];
  const wayOf = (i: number) => (i >> 1) % ways.length;
  const urls = [service.url, (await replica()).url];
  const sent = Array.from({ length: count }, (_, i) => exchange(urls[i % 2], ways[wayOf(i)], { headers }));
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  expect(statuses).toEqual(statuses.map((_, i) => (wayOf(i) === 0 ? 401 : 400)));
}

describe('a network that has failed 60 times in a minute', () => {
  it('is refused on every replica, unless it is right', async () => {
    const parent = await aParent();
    const headers = newNetwork();
    await fail(parent, headers, LIMIT);
    const wrong = { ...formOf(parent), client_secret: 'wrong' };
    for (const { url } of [service, await replica()]) {
      const refused = await exchange(url, wrong, { headers });
      expectFailure(refused, 'slow_down');
      const seconds = Number(refused.headers['retry-after']);
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
      expect((await exchange(url, formOf(parent), { headers })).status).toBe(200);
      expectFailure(await exchange(url, wrong, { headers: newNetwork() }), 'invalid_client');
    }
  });

  it('may be right in 8 KB, and what is longer is not read', async () => {
    const parent = await aParent();
    const headers = newNetwork();
    const exchangeBytes = (bytes: number) => {
      const form = new URLSearchParams(formOf(parent)).toString();
      return exchange(service.url, `${form}&x=`.padEnd(bytes, 'x'), { headers });
    };
    await fail(parent, headers, LIMIT);
    expect((await exchangeBytes(8_193)).status).toBe(200); // it is not over its limit yet
    expectFailure(await exchange(service.url, {}, { headers }), 'slow_down');
    expect((await exchangeBytes(8_192)).status).toBe(200);
    expectFailure(await exchangeBytes(8_193), 'slow_down');
  });

  it('has not failed by what it did right', async () => {
    const parent = await aParent();
    const headers = newNetwork();
    await fail(parent, headers, LIMIT - 1);
    for (let i = 0; i < 5; i++)
      expect((await exchange(service.url, formOf(parent), { headers })).status).toBe(200);
    expectFailure(await exchange(service.url, 'grant_type=password', { headers }), 'unsupported_grant_type');
    expectFailure(await exchange(service.url, 'grant_type=password', { headers }), 'slow_down');
  });
});

describeOn('postgres', 'a token that is revoked while it is exchanged', () => {
  it('is no client', async () => {
    const parent = await aParent();
    const other = new pg.Client(service.env.DATABASE_URL);
    await other.connect();
    try {
      await other.query('BEGIN');
      await other.query('UPDATE tokens SET revoked_at = now() WHERE id = $1', [parent.tokenId]);
      const answer = requestToken(service, formOf(parent));
      await untilBlocked(service.dataSource);
      await other.query('COMMIT');
      expectFailure(await answer, 'invalid_client');
    } finally {
      await other.end();
    }
  });
});

describeOn('postgres', 'while the database is away', () => {
  it('an exchange and a failure are a 503', async () => {
    const parent = await aParent();
    await withoutDatabase(service.dataSource, async () => {
      for (const form of [formOf(parent), { grant_type: 'password' }]) {
        const answer = await requestToken(service, form);
        expectFailure(answer, 'temporarily_unavailable');
        expect(answer.headers['retry-after']).toMatch(/^\d+$/);
      }
    });
    expect((await requestToken(service, formOf(parent))).status).toBe(200);
  });
});
