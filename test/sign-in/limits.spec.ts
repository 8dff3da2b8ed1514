/**
 * @slow a server is three times as fast
 * @only embedded postgres: sign-in runs its statements on a cluster
 */
import type { ServerResponse } from 'node:http';
import { Database } from '../../src/platform/database/database';
import { DISCOVERY } from '../support/issuer';
import { expectRefused, PUBLIC_URL, useSignIn } from '../support/sign-in';
import { useTimeouts } from '../support/timeouts';

const { issuer, service, env, browse, another, anotherIssuer } = useSignIn();

describe('what anybody may cost', () => {
  /** Finishes an attempt with a made-up code, as anybody can. */
  async function madeUp(address: string, at = service) {
    const browser = browse(at);
    const url = new URL(await browser.untilCallback());
    url.searchParams.set('code', 'made up');
    return {
      browser,
      response: await browser.request(url.href, { headers: { 'X-Forwarded-For': address } }),
    };
  }
  const count = async (table: string) =>
    (await service.dataSource.query(`SELECT count(*)::integer AS count FROM ${table}`))[0].count;

  it('is 600 attempts an hour from an address, and then no row and no request to the issuer', async () => {
    expect((await madeUp('192.0.2.1')).response.status).toBe(400);
    await service.dataSource.query(
      `UPDATE rate_limit_windows SET hits = 599 WHERE organization_id = '' AND hits = 1`,
    );
    expect((await madeUp('192.0.2.1')).response.status).toBe(400);
    const before = [issuer.requests.token.length, await count('sign_in_rounds')];
    const { browser, response } = await madeUp('192.0.2.1');
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(3500);
    expect(await expectRefused(browser, response, 429)).toContain('Too many sign-ins');
    const queries = jest.spyOn(service.dataSource, 'query');
    expect((await madeUp('192.0.2.1')).response.status).toBe(429);
    expect(queries.mock.calls.filter(([sql]) => sql.includes('rate_limit_windows'))).toEqual([]);
    expect([issuer.requests.token.length, await count('sign_in_rounds')]).toEqual(before);
    expect((await madeUp('192.0.2.2')).response.status).toBe(400);
  });

  it('is nothing without the cookie of an attempt', async () => {
    const rows = () => Promise.all(['rate_limit_windows', 'sign_in_rounds'].map(count));
    const before = await rows();
    for (const query of ['', '?code=1&state=2', '?error=access_denied'])
      await browse().request(`${PUBLIC_URL}/dashboard/callback${query}`, {
        headers: { 'X-Forwarded-For': '192.0.2.3' },
      });
    expect(await rows()).toEqual(before);
  });

  it('takes connections of its own share, and none that people with a token need', async () => {
    const idle = await another(env); // nobody has used a token there, so nothing writes in the background
    const write = jest.spyOn(idle.app.get(Database), 'write');
    const writeAll = jest.spyOn(idle.app.get(Database), 'writeAll');
    await madeUp('192.0.2.4', idle);
    expect(write.mock.calls.map(([organizationId]) => organizationId)).toEqual(['']);
    expect(writeAll).not.toHaveBeenCalled();
  });

  it('is one discovery in 10 s, or in 2 s while that fails', async () => {
    const busy = await anotherIssuer();
    const { url } = await another({ ...env, OIDC_ISSUER: busy.url });
    const ask = async () => {
      const paths = ['session', 'sign-in', 'session', 'sign-in'];
      await Promise.all(paths.map((path) => fetch(`${url}/dashboard/${path}`, { redirect: 'manual' })));
    };
    await ask(); // the discovery of the start is over
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now');
    const requestsAfter = async (ms: number) => {
      clock.mockReturnValue(now + ms);
      await ask();
      await ask();
      return busy.requests.paths.length;
    };
    expect(await requestsAfter(30_000)).toBe(2);
    expect(await requestsAfter(39_900)).toBe(2);
    busy.answerAt(DISCOVERY, (response) => response.writeHead(500).end());
    expect(await requestsAfter(60_000)).toBe(3);
    expect(await requestsAfter(61_900)).toBe(3);
    expect(await requestsAfter(62_100)).toBe(4);
  });
});

describe('an issuer that does not answer', () => {
  it('stops neither the start nor pasted tokens, and is asked again', async () => {
    const late = await anotherIssuer();
    await late.down();
    const waiting = await another({ ...env, OIDC_ISSUER: late.url, LOG_LEVEL: 'trace' });
    const state = () => waiting.anonymous().get('/dashboard/session').expect(200);
    const name = new URL(late.url).host;
    expect((await state()).body).toMatchObject({ issuer: name, available: false, signedIn: false });
    const api = await waiting.client();
    await api.get('/api/v1/users').expect(200);
    const refused = await waiting.anonymous().get('/dashboard/sign-in').expect(503);
    expect(refused.headers['retry-after']).toBe('2');
    expect(refused.text).toContain('does not answer');

    const clock = jest.spyOn(performance, 'now');
    const later = (ms: number) => clock.mockReturnValue(performance.timeOrigin + 1e9 + ms);
    await late.up();
    later(5_000);
    expect((await state()).body).toMatchObject({ issuer: name, available: true });
    await late.down();
    later(20_000);
    expect((await state()).body).toMatchObject({ issuer: name, available: false, signedIn: false });
  });

  it('between the beginning and the end of an attempt is no fault of the person', async () => {
    const shaky = await anotherIssuer();
    const waiting = await another({ ...env, OIDC_ISSUER: shaky.url });
    const browser = browse(waiting);
    const callback = await browser.untilCallback();
    await shaky.down();
    await expectRefused(browser, await browser.request(callback), 503);
  });

  const timeouts = useTimeouts();

  it.each([
    [DISCOVERY, 'never', () => {}],
    ['/token', 'never', () => {}],
    ['/token', 'never to its end', (response: ServerResponse) => response.write('{')],
    ['/keys', 'never', () => {}],
  ])('within 5 s is unreachable: %s answers %s', async (path, _how, answer) => {
    const slow = await anotherIssuer();
    // The 5 s are over as soon as a request hangs.
    slow.answerAt(path, (response) => {
      answer(response);
      timeouts.end();
    });
    const waiting = await another({ ...env, OIDC_ISSUER: slow.url });
    const browser = browse(waiting);
    const begun = await browser.request(`${PUBLIC_URL}/dashboard/sign-in`);
    expect(begun.status).toBe(path === DISCOVERY ? 503 : 303);
    if (path !== DISCOVERY) {
      const issued = await browser.request(begun.headers.get('Location')!);
      await expectRefused(browser, await browser.request(issued.headers.get('Location')!), 503);
    }
    const asked = slow.requests.paths.filter((path) => path !== '/authorize');
    expect(timeouts.times()).toEqual(asked.map(() => 5_000));
  });

  it('but fails itself is no fault of the person, either', async () => {
    const failing = await anotherIssuer();
    failing.answerAt('/token', (response) => response.writeHead(500).end('{}'));
    const browser = browse(await another({ ...env, OIDC_ISSUER: failing.url }));
    await expectRefused(browser, await browser.signIn(), 503);
  });

  it('with more than a megabyte is not listened to', async () => {
    const chatty = await anotherIssuer();
    const waiting = await another({ ...env, OIDC_ISSUER: chatty.url });
    const browser = browse(waiting);
    const callback = await browser.untilCallback();
    chatty.answerAt('/token', (response) => response.end(JSON.stringify({ x: 'x'.repeat(1_100_000) })));
    await expectRefused(browser, await browser.request(callback), 400);
    expect(waiting.logs.join('')).toContain('the response is too long');
  });
});
