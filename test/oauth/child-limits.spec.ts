import { addChildren, expectFailure, formOf, requestToken, useParents } from '../support/children';
import type { Client } from '../support/client';
import { describeOn } from '../support/engine';

const { service, admin, aParent, childOf, childrenOf, replica } = useParents();

const exchanged = (parent: Client, at: { url: string } = service) => requestToken(at, formOf(parent));

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
    for (const client of [child, parent, sibling, child]) {
      const answer = await client.get('/api/v1/users').expect(200);
      seen.push(windowIn(answer));
    }
    expect(seen).toEqual([597, 596, 595, 594].map((left) => [600, left, reset]));
    const refused = await requestToken(service, formOf(parent, { scope: 'admin' }));
    expectFailure(refused, 'invalid_scope');
    expect(windowIn(refused)).toEqual([600, 593, reset]);
    // Those who are not known have no window.
    expect(windowIn(await requestToken(service, formOf(parent, { client_id: 'x' })))).toEqual([
      NaN,
      NaN,
      NaN,
    ]);
    const other = await aParent();
    expect(windowIn(await exchanged(other))[1]).toBe(windowIn(await exchanged(other))[1] + 1);
  });

  it('admits exactly what it has left, whoever asks', async () => {
    const parent = await aParent({ rateLimit: 20 });
    const [child, sibling] = [await childOf(parent), await childOf(parent)];
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, i) =>
        i % 4 === 3 ? exchanged(parent) : await [parent, child, sibling][i % 4].get('/api/v1/users').retry(0),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(18);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(12);
    for (const client of [parent, child, sibling]) {
      const { body } = await client.get('/api/v1/users').expect(429);
      expect(body.code).toBe('rate_limited');
    }
    await admin.get('/api/v1/users').expect(200);
  });

  it('that is used up refuses an exchange in the form of OAuth, with its headers', async () => {
    const parent = await aParent({ rateLimit: 2 });
    for (let i = 0; i < 2; i++) await childOf(parent);
    // The limit is judged before the scopes.
    for (const form of [formOf(parent), formOf(parent, { scope: 'admin' })]) {
      const answer = await requestToken(service, form);
      expectFailure(answer, 'slow_down');
      const [limit, remaining, reset] = windowIn(answer);
      expect([limit, remaining]).toEqual([2, 0]);
      const retryAfter = Number(answer.headers['retry-after']);
      expect(retryAfter).toBeGreaterThan(0);
      expect(retryAfter).toBeLessThanOrEqual(60);
      expect(reset).toBeGreaterThan(0);
      expect(answer.body.error_description).toContain('2 requests per 60 s');
    }
    expect(await childrenOf(parent)).toHaveLength(2);
  });

  it('is the same for requests of a child that cost more than one', async () => {
    const parent = await aParent();
    const child = await childOf(parent);
    const users = Array.from({ length: 300 }, (_, n) => ({ name: 'Ada', email: `${n}@example.com` }));
    const { body } = await child.post('/api/v1/users/batch', { users }).expect(200);
    const members = body.results.map(({ id }: { id: string }) => ({ value: id }));
    const [, before] = windowIn(await parent.get('/api/v1/users').expect(200));
    const group = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: 'All', members };
    const [, after] = windowIn(await child.post('/scim/v2/Groups', group).expect(201));
    expect(after).toBeLessThan(before - 1);
    expect(windowIn(await parent.get('/api/v1/users').expect(200))[1]).toBe(after - 1);
  });
});

describeOn('postgres', 'the window of a token', () => {
  it('is one over all replicas', async () => {
    const parent = await aParent({ rateLimit: 20 });
    const urls = [service.url, (await replica()).url];
    const { body } = await exchanged(parent, { url: urls[0] });
    const values = [parent.tokenValue, body.access_token];
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const [url, value] = [urls[i % 2], values[(i >> 1) % 2]];
        if (i % 5 === 0) return (await exchanged(parent, { url })).status;
        const headers = { Authorization: `Bearer ${value}` };
        return (await fetch(`${url}/v1/tokens/current`, { headers })).status;
      }),
    );
    expect(answers.filter((status) => status === 200)).toHaveLength(19);
    expect(answers.filter((status) => status === 429)).toHaveLength(21);
  });
});

describe('the children of a token that live at once', () => {
  const end = (id: string) =>
    service.dataSource.query('UPDATE tokens SET expires_at = now() WHERE id = $1', [id]);

  it('are 1,000 at most', async () => {
    const parent = await aParent();
    const ids = await addChildren(service, parent, 999);
    await childOf(parent);
    const refused = await exchanged(parent);
    expectFailure(refused, 'invalid_request');
    expect(refused.body.error_description).toContain('1000');
    await childOf(await aParent());
    // One that has been revoked, or has ended, frees a place.
    await admin.delete(`/v1/tokens/${ids[0]}`).expect(204);
    await childOf(parent);
    expectFailure(await exchanged(parent), 'invalid_request');
    await end(ids[1]);
    await childOf(parent);
    expectFailure(await exchanged(parent), 'invalid_request');
  });

  it('are counted without those that have ended', async () => {
    const parent = await aParent();
    await addChildren(service, parent, 1_000, { hours: -1 });
    await addChildren(service, parent, 1_000, { isRevoked: true });
    await childOf(parent);
    await addChildren(service, parent, 998);
    await childOf(parent);
    expectFailure(await exchanged(parent), 'invalid_request');
  });

  it('are exactly 1,000, however many are wanted at once', async () => {
    const parent = await aParent();
    await addChildren(service, parent, 990);
    const urls = [service, await replica()];
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => exchanged(parent, urls[i % 2])));
    const made = answers.filter(({ status }) => status === 200);
    expect(made).toHaveLength(10);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectFailure(answer, 'invalid_request');
    const [{ count }] = await service.dataSource.query(
      `SELECT count(*)::integer AS count FROM tokens WHERE parent_id = $1`,
      [parent.tokenId],
    );
    expect(count).toBe(1_000);
  });

  it('end together, however many they are', async () => {
    const parent = await aParent();
    await addChildren(service, parent, 999);
    const child = await childOf(parent);
    await admin.delete(`/v1/tokens/${parent.tokenId}`).expect(204);
    await child.get('/v1/tokens/current').expect(401);
    expect(
      (await admin.get(`/v1/tokens?parent=${parent.tokenId}&state=active`).expect(200)).body.data,
    ).toEqual([]);
  });
});
