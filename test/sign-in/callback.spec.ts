/**
 * @only embedded: it tests what the issuer and the browser send
 */
import { runJob } from '../support/background';
import { asSecret, type FakeIssuer, strangeKey } from '../support/issuer';
import { expectRefused, PUBLIC_URL, useSignIn } from '../support/sign-in';

const { issuer, service, env, browse, session, another } = useSignIn();

describe('the ID token', () => {
  const now = () => Date.now() / 1000;

  it.each([
    ['another issuer', (token) => (token.claims.iss = 'https://evil.example')],
    ['another audience', (token) => (token.claims.aud = 'somebody else')],
    [
      'several audiences, and made for another',
      (token) => {
        token.claims.aud = [issuer.clientId, 'other'];
        token.claims.azp = 'other';
      },
    ],
    ['another nonce', (token) => (token.claims.nonce = 'another')],
    ['no nonce', (token) => delete token.claims.nonce],
    ['a time of expiry 31 s ago', (token) => (token.claims.exp = now() - 31)],
    ['no time of expiry', (token) => delete token.claims.exp],
    ['a time of issue 35 s in the future', (token) => (token.claims.iat = now() + 35)],
    ['no time of issue', (token) => delete token.claims.iat],
    ['a beginning 35 s in the future', (token) => (token.claims.nbf = Math.ceil(now()) + 35)],
    ['no subject', (token) => delete token.claims.sub],
    ['a control character in the subject', (token) => (token.claims.sub = '00u1\u0000')],
    ['half a character in the subject', (token) => (token.claims.sub = '00u1\ud83d')],
    ['a subject of 256 characters', (token) => (token.claims.sub = 'x'.repeat(256))],
    ['no signature', (token) => Object.assign(token, { alg: 'none', key: null })],
    [
      'a signature with the public key as a secret',
      (token) => Object.assign(token, { alg: 'HS256', key: asSecret(issuer.publicKey) }),
    ],
    [
      'a signature with the client secret',
      (token) => Object.assign(token, { alg: 'HS256', key: asSecret(issuer.clientSecret.padEnd(32)) }),
    ],
  ] satisfies [string, Parameters<FakeIssuer['spoil']>[0]][])('is refused with %s', async (_what, spoil) => {
    issuer.spoil(spoil);
    const browser = browse();
    await expectRefused(browser, await browser.signIn(), 400);
  });

  it('is refused with the signature of another key', async () => {
    const key = await strangeKey();
    issuer.spoil((token) => (token.key = key));
    const { logs, url } = await another(env);
    const browser = browse({ url });
    const page = await expectRefused(browser, await browser.signIn(), 400);
    expect(page).toContain('could not be verified');
    const line = logs.findLast((line) => line.includes('A sign-in has failed'))!;
    expect(line).toContain('JWT signature verification failed');
    expect(line).not.toContain('ada@example.com');
  });

  it('may differ by 25 s from the clock of the service', async () => {
    issuer.spoil(({ claims }) =>
      Object.assign(claims, { exp: now() - 25, iat: now() + 25, nbf: now() + 25 }),
    );
    await session();
  });
});

describe('the callback', () => {
  it('ignores parameters that it does not know', async () => {
    const browser = browse();
    const url = `${await browser.untilCallback()}&response=x&id_token=y&token=z&foo[bar]=1`;
    expect((await browser.request(url)).status).toBe(303);
  });

  it.each([
    ['another state', (url: URL) => url.searchParams.set('state', 'another')],
    ['no state', (url: URL) => url.searchParams.delete('state')],
    ['two states', (url: URL) => url.searchParams.append('state', 'another')],
    ['the state twice', (url: URL) => url.searchParams.append('state', url.searchParams.get('state')!)],
    ['two codes', (url: URL) => url.searchParams.append('code', 'another')],
    [
      'two issuers',
      (url: URL) => [issuer.url, issuer.url].forEach((iss) => url.searchParams.append('iss', iss)),
    ],
    ['two errors', (url: URL) => ['a', 'b'].forEach((error) => url.searchParams.append('error', error))],
    ['no code', (url: URL) => url.searchParams.delete('code')],
    ['another code', (url: URL) => url.searchParams.set('code', 'another')],
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example')],
  ])('refuses %s', async (what, change) => {
    const browser = browse();
    const callback = await browser.untilCallback();
    const url = new URL(callback);
    change(url);
    await expectRefused(browser, await browser.request(url.href), 400);
    // A wrong state does not use up the attempt: anybody could send the browser here with one.
    const after = what.includes('state') ? 303 : 400;
    expect((await browser.request(callback)).status).toBe(after);
  });

  it('takes a cookie once', async () => {
    const browser = browse();
    const callback = await browser.untilCallback();
    const cookies = new Map(browser.cookies);
    expect((await browser.request(callback)).status).toBe(303);
    browser.cookies = cookies;
    const asked = issuer.requests.token.length;
    await expectRefused(browser, await browser.request(callback), 400);
    expect(issuer.requests.token.length).toBe(asked);
  });

  it('refuses a code that was used before', async () => {
    const [first, second] = [browse(), browse()];
    const used = new URL(await first.untilCallback()).searchParams.get('code')!;
    expect((await first.request(first.visited.at(-1)!)).status).not.toBe(500);
    const spent = new URL(await second.untilCallback());
    await first.signIn();
    spent.searchParams.set('code', used);
    await expectRefused(second, await second.request(spent.href), 400);
  });

  it('refuses a cookie of another attempt, a changed one, a foreign one and none', async () => {
    const [one, other] = [browse(), browse()];
    const callback = await one.untilCallback();
    await other.untilCallback();
    const [[name, value]] = one.cookies;
    const changed = value.slice(0, 40) + (value[40] === 'A' ? 'B' : 'A') + value.slice(41);
    const foreign = await another({ ...env, SIGN_IN_KEY: Buffer.alloc(32, 1).toString('base64') });
    const begun = await fetch(`${foreign.url}/dashboard/sign-in`, { redirect: 'manual' });
    const [foreignValue] = /[^=;]+(?=;)/.exec(begun.headers.getSetCookie()[0])!;
    for (const cookie of [
      other.cookies.get(name)!,
      changed,
      value.slice(0, -4),
      foreignValue,
      'x',
      undefined,
    ]) {
      const browser = browse();
      if (cookie !== undefined) browser.cookies.set(name, cookie);
      await expectRefused(browser, await browser.request(callback), 400);
    }
    // Nothing of this has used the attempt up.
    expect((await one.request(callback)).status).toBe(303);
    // A whole attempt at a service with another key is none at this one, although it is the same client of the same
    // issuer.
    const stranger = browse(foreign);
    const strange = await stranger.untilCallback();
    const here = browse();
    here.cookies = stranger.cookies;
    await expectRefused(here, await here.request(strange), 400);
  });

  it('refuses an attempt that is older than 10 minutes, by the clock of the database', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 601_000);
    const browser = browse();
    const callback = await browser.untilCallback();
    jest.restoreAllMocks();
    await expectRefused(browser, await browser.request(callback), 400);
  });

  it('does not take the cookie of a finished attempt for one that is under way, or the reverse', async () => {
    const browser = browse();
    await browser.untilCallback();
    expect((await browser.fetchSession()).status).toBe(401);
    await browser.signIn();
    await expect(browser.request(`${PUBLIC_URL}/dashboard/callback?state=`)).resolves.toHaveProperty(
      'status',
      400,
    );
  });

  it('keeps used attempts until they would have expired', async () => {
    await session();
    const rows = () => service.dataSource.query(`SELECT id FROM sign_in_rounds`);
    const before = (await rows()).length;
    await runJob(service.app, 'delete expired attempts to sign in');
    expect((await rows()).length).toBe(before);
    await service.dataSource.query(`UPDATE sign_in_rounds SET expires_at = now()`);
    await runJob(service.app, 'delete expired attempts to sign in');
    expect(await rows()).toEqual([]);
  });
});
