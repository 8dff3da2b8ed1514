import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { readConfig } from '../../src/entry/process/config';
import { newId } from '../../src/platform/database/id';
import { grantsOf } from '../../src/platform/issuers/claim-rules';
import { matchingClaims, parseAdminRules } from '../../src/sign-in/oidc/admin-rules';
import { runJob } from '../support/background';
import { asSecret, DISCOVERY, type FakeIssuer, strangeKey } from '../support/issuer';
import { ACME, expectRefused, GLOBEX, PUBLIC_URL, useSignIn } from '../support/sign-in';
import { connectTo } from '../support/socket';
import { useTimeouts } from '../support/timeouts';

const { issuer, service, env, browse, session, another, replica, anotherIssuer } = useSignIn();

describe('the ID token', () => {
  const now = () => Date.now() / 1000;

  it('is refused with anything that is not right', async () => {
    const rows: Record<string, Parameters<FakeIssuer['spoil']>[0]> = {
      'another issuer': ({ claims }) => (claims.iss = 'https://evil.example'),
      'another audience': ({ claims }) => (claims.aud = 'somebody else'),
      'several audiences, and made for another': ({ claims }) =>
        Object.assign(claims, { aud: [issuer.clientId, 'other'], azp: 'other' }),
      'another nonce': ({ claims }) => (claims.nonce = 'another'),
      'no nonce': ({ claims }) => delete claims.nonce,
      'a time of expiry 31 s ago': ({ claims }) => (claims.exp = now() - 31),
      'no time of expiry': ({ claims }) => delete claims.exp,
      'a time of issue 35 s in the future': ({ claims }) => (claims.iat = now() + 35),
      'a beginning 35 s in the future': ({ claims }) => (claims.nbf = Math.ceil(now()) + 35),
      'no subject': ({ claims }) => delete claims.sub,
      'a control character in the subject': ({ claims }) => (claims.sub = '00u1\u0000'),
      'half a character in the subject': ({ claims }) => (claims.sub = '00u1\ud83d'),
      'a subject of 256 characters': ({ claims }) => (claims.sub = 'x'.repeat(256)),
      'no signature': (token) => Object.assign(token, { alg: 'none', key: null }),
      'a signature with the public key as a secret': (token) =>
        Object.assign(token, { alg: 'HS256', key: asSecret(issuer.publicKey) }),
      'a signature with the client secret': (token) =>
        Object.assign(token, { alg: 'HS256', key: asSecret(issuer.clientSecret.padEnd(32)) }),
    };
    for (const [what, spoil] of Object.entries(rows)) {
      issuer.spoil(spoil);
      const browser = browse();
      await expectRefused(browser, await browser.signIn(), 400, what);
    }
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

  it('refuses what the issuer has not said', async () => {
    const rows: Record<string, (query: URLSearchParams) => unknown> = {
      'another state': (query) => query.set('state', 'another'),
      'no state': (query) => query.delete('state'),
      'the state twice': (query) => query.append('state', query.get('state')!),
      'two codes': (query) => query.append('code', 'another'),
      'two issuers': (query) => [issuer.url, issuer.url].forEach((iss) => query.append('iss', iss)),
      'two errors': (query) => ['a', 'b'].forEach((error) => query.append('error', error)),
      'no code': (query) => query.delete('code'),
      'another code': (query) => query.set('code', 'another'),
      'another issuer': (query) => query.set('iss', 'https://evil.example'),
    };
    for (const [what, change] of Object.entries(rows)) {
      const browser = browse();
      const callback = await browser.untilCallback();
      const url = new URL(callback);
      change(url.searchParams);
      await expectRefused(browser, await browser.request(url.href), 400, what);
      // A wrong state does not use up the attempt: anybody could send the browser here with one.
      const after = what.includes('state') ? 303 : 400;
      expect([what, (await browser.request(callback)).status]).toEqual([what, after]);
    }
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

  it('refuses a cookie of another attempt, a changed one, a foreign one and none', async () => {
    const [one, other] = [browse(), browse()];
    const callback = await one.untilCallback();
    await other.untilCallback();
    const [[name, value]] = one.cookies;
    const changed = value.slice(0, 40) + (value[40] === 'A' ? 'B' : 'A') + value.slice(41);
    // A whole attempt at a service with another key is none at this one, although it is the same client of the same
    // issuer.
    const stranger = browse(await replica({ SIGN_IN_KEY: Buffer.alloc(32, 1).toString('base64') }));
    const strange = await stranger.untilCallback();
    const here = browse();
    here.cookies = new Map(stranger.cookies);
    await expectRefused(here, await here.request(strange), 400);
    for (const cookie of [
      other.cookies.get(name)!,
      changed,
      value.slice(0, -4),
      stranger.cookies.get(name)!,
      'x',
      undefined,
    ]) {
      const browser = browse();
      if (cookie !== undefined) browser.cookies.set(name, cookie);
      await expectRefused(browser, await browser.request(callback), 400);
    }
    // Nothing of this has used the attempt up.
    expect((await one.request(callback)).status).toBe(303);
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
    expect((await browser.request(`${PUBLIC_URL}/dashboard/callback?state=`)).status).toBe(400);
  });

  it('keeps used attempts until they would have expired', async () => {
    await session();
    const rows = () => service.dataSource.query(`SELECT id FROM sign_in_rounds`);
    const before = (await rows()).length;
    await runJob(service.app, 'delete expired attempts to sign in');
    expect((await rows()).length).toBe(before);
    await service.dataSource.query(`UPDATE sign_in_rounds SET expires_at = now() - interval '1 ms'`);
    await runJob(service.app, 'delete expired attempts to sign in');
    expect(await rows()).toEqual([]);
  });
});

describe('POST /dashboard/session', () => {
  it('refuses other origins and other input', async () => {
    const browser = browse();
    await browser.signIn();
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:10', 'http://127.0.0.1'])
      expect((await browser.fetchSession(undefined, origin)).status).toBe(403);
    const withoutOrigin = await browser.request(`${PUBLIC_URL}/dashboard/session`, { method: 'POST' });
    expect(withoutOrigin.status).toBe(403);
    expect((await browser.fetchSession({ organizationId: 'x' })).status).toBe(400);
    expect((await browser.fetchSession({ scopes: ['admin'] })).status).toBe(400);
    expect((await browser.fetchSession()).status).toBe(201); // nothing of this has used it up
  });

  it('lets the person choose between several organizations', async () => {
    issuer.claims = { groups: ['Readers', 'Globex', 'Writers'] };
    const browser = browse();
    await browser.signIn();
    const choices = await browser.fetchSession();
    expect([choices.status, await choices.json()]).toEqual([
      200,
      {
        organizations: [
          { id: ACME, name: 'Acme' },
          { id: GLOBEX, name: 'Globex' },
        ],
      },
    ]);
    const { organizationId } = await service.client();
    expect((await browser.fetchSession({ organizationId })).status).toBe(404);
    const chosen = await browser.fetchSession({ organizationId: ACME });
    expect(await chosen.json()).toMatchObject({ scopes: ['users:read', 'users:write'] });
    expect((await browser.fetchSession({ organizationId: GLOBEX })).status).toBe(401);
  });

  describe('with many organizations', () => {
    const organizations = Array.from({ length: 300 }, (_, i) => ({
      id: newId('org'),
      name: `Tenant ${1000 + i}`,
    }));
    const ids = organizations.map(({ id }) => id);
    beforeAll(() =>
      service.dataSource.query(
        `INSERT INTO organizations (id, name) SELECT * FROM unnest($1::text[], $2::text[])`,
        [ids, organizations.map(({ name }) => name)],
      ),
    );
    const browseWith = async (rules: string[]) => browse(await replica({ OIDC_ADMINS: rules.join() }));

    it('lets a person choose, one value of a claim being enough for all of them', async () => {
      issuer.claims = { groups: ['Support', ...Array.from({ length: 200 }, (_, i) => `Group ${i}`)] };
      const browser = await browseWith(ids.map((id) => `groups=Support -> ${id} users:read`));
      await browser.signIn();
      expect(await (await browser.fetchSession()).json()).toEqual({ organizations });
      const chosen = await browser.fetchSession({ organizationId: ids[299] });
      expect([chosen.status, await chosen.json()]).toMatchObject([201, { scopes: ['users:read'] }]);
    });

    it('says so if more values match than a cookie can have', async () => {
      const groups = ids.map((id) => `Admins of ${id}`);
      issuer.claims = { groups };
      const browser = await browseWith(ids.map((id) => `groups=Admins of ${id} -> ${id}`));
      expect(await expectRefused(browser, await browser.signIn(), 403)).toContain('Too many rules');
      issuer.claims = { groups: groups.slice(0, 20) };
      expect((await browser.signIn()).status).toBe(303);
    });
  });

  const sockets: Socket[] = [];
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  /** Begins to send a body, and returns the head of the response, or of what asks for the body. */
  async function begin(headers: Record<string, string>) {
    const socket = await connectTo(service.url);
    sockets.push(socket);
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `POST /dashboard/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 65536\r\nExpect: 100-continue\r\n${lines.join('')}\r\n`,
    );
    await once(socket, 'readable');
    return String(socket.read());
  }

  /** The cookie of a person who may choose between two organizations. */
  async function signedIn() {
    issuer.claims = { groups: ['Admins', 'Globex'] };
    const browser = browse();
    await browser.signIn();
    const Cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return { browser, Cookie };
  }

  it('reads no body from another origin, or without a sign-in', async () => {
    const { Cookie } = await signedIn();
    expect(await begin({ Cookie })).toMatch(/^HTTP\/1\.1 403 /);
    expect(await begin({ Cookie, Origin: 'https://evil.example' })).toMatch(/^HTTP\/1\.1 403 /);
    expect(await begin({ Origin: PUBLIC_URL })).toMatch(/^HTTP\/1\.1 401 [^]*WWW-Authenticate: Bearer\r\n/);
    expect(await begin({ Origin: PUBLIC_URL, Cookie: Cookie.slice(0, -9) })).toMatch(/^HTTP\/1\.1 401 /);
    expect(await begin({ Cookie, Origin: PUBLIC_URL })).toMatch(/^HTTP\/1\.1 100 /);
  });

  it('is open to a network of which other bodies never arrive', async () => {
    const { browser, Cookie } = await signedIn();
    const headers = { Cookie, Origin: PUBLIC_URL, 'X-Forwarded-For': '2001:db8::1' };
    for (let i = 0; i < 20; i++) expect(await begin(headers)).toContain('100 Continue');
    const choice = await browser.request(`${PUBLIC_URL}/dashboard/session`, {
      method: 'POST',
      headers: { Origin: PUBLIC_URL, 'Content-Type': 'application/json', 'X-Forwarded-For': '2001:db8::2' },
      body: JSON.stringify({ organizationId: ACME }),
    });
    expect(choice.status).toBe(201);
  });
});

describe('the rules', () => {
  it('let nobody in whom they do not know, and name the claims, but no values', async () => {
    issuer.claims = { groups: ['<b>Guests</b>'], email: '<script>@example.com', name: '<img>' };
    const browser = browse();
    const page = await expectRefused(browser, await browser.signIn(), 403);
    expect(page).toContain('groups: sent, but no rule has its value');
    expect(page).toContain('email: not verified by the issuer');
    expect(page).not.toMatch(/Guests|<script>|<img>|@example/);
    issuer.claims = {};
    expect(await (await browser.signIn()).text()).toContain('groups: not sent by the issuer');
  });

  it('may name claims with any characters, which the page escapes', async () => {
    const browser = browse(await replica({ OIDC_ADMINS: `<b>'"&=x -> ${ACME}` }));
    issuer.claims = { [`<b>'"&`]: 'y' };
    expect(await expectRefused(browser, await browser.signIn(), 403)).toContain(
      '<p>&lt;b&gt;&#39;&quot;&amp;: sent, but no rule has its value</p>',
    );
  });

  it('take an address only if it is verified, and one', async () => {
    const email = 'ada@example.com';
    issuer.claims = { email, email_verified: 'true' };
    const browser = browse();
    await expectRefused(browser, await browser.signIn(), 403);
    issuer.claims = { email: ['eve@example.com', email], email_verified: true };
    const page = await expectRefused(browser, await browser.signIn(), 403);
    expect(page).toContain('email: sent, but not as one address');
    issuer.claims = { email, email_verified: true };
    await session();
  });
});

describe('an issuer', () => {
  it('is asked for its discovery once in 10 s, or in 2 s while that fails', async () => {
    const busy = await anotherIssuer();
    const { url } = await replica({ OIDC_ISSUER: busy.url });
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

  it('that does not answer stops neither the start nor pasted tokens, and is asked again', async () => {
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

  const timeouts = useTimeouts();
  /** Never answers; the 5 s are over as soon as a request hangs. */
  const never = (response: ServerResponse, begin = '') => {
    if (begin) response.write(begin);
    timeouts.end();
  };

  it('that does not answer, or fails, is no fault of the person', async () => {
    const rows: [string, (response: ServerResponse) => unknown][] = [
      [DISCOVERY, never],
      ['/token', never],
      ['/token', (response) => never(response, '{')],
      ['/keys', never],
      ['/token', (response) => response.writeHead(500).end('{}')],
      ['/token', (response) => response.destroy()],
    ];
    for (const [path, answer] of rows) {
      const before = timeouts.times().length;
      const slow = await anotherIssuer();
      slow.answerAt(path, answer);
      const browser = browse(await replica({ OIDC_ISSUER: slow.url }));
      const begun = await browser.request(`${PUBLIC_URL}/dashboard/sign-in`);
      expect([path, begun.status]).toEqual([path, path === DISCOVERY ? 503 : 303]);
      if (path !== DISCOVERY) {
        const issued = await browser.request(begun.headers.get('Location')!);
        await expectRefused(browser, await browser.request(issued.headers.get('Location')!), 503, path);
      }
      const asked = slow.requests.paths.filter((path) => path !== '/authorize');
      expect(timeouts.times().slice(before)).toEqual(asked.map(() => 5_000));
    }
  });
});

describe('the settings', () => {
  /** Variables that make sense together. */
  const ENV = {
    OIDC_ISSUER: 'https://login.example.com',
    OIDC_CLIENT_ID: 'dashboard',
    OIDC_CLIENT_SECRET: 'a secret of the client',
    PUBLIC_URL: 'https://people.example.com',
  };
  const KEY = Buffer.alloc(32).toString('base64');

  it('have rules, which match whole values of single claims and of lists', () => {
    const rules = `a=1 -> ${ACME}, https://x.example/b=x=y z -> ${ACME} users:read users:write`;
    expect(parseAdminRules(rules)).toEqual([
      { conditions: [{ claim: 'a', value: '1' }], organizationId: ACME, scopes: ['admin'] },
      {
        conditions: [{ claim: 'https://x.example/b', value: 'x=y z' }],
        organizationId: ACME,
        scopes: ['users:read', 'users:write'],
      },
    ]);
  });

  it('have rules, which give the same for the claims that match as for all of them', () => {
    const rules = parseAdminRules(
      `groups=A -> ${ACME}, groups=B -> ${newId('org')}, email=a@x.org -> ${ACME} users:read, email_verified=true -> ${newId('org')}, __proto__=x -> ${newId('org')}`,
    );
    const claims = {
      ...JSON.parse('{ "__proto__": "x" }'),
      groups: ['B', 'C', 'B'],
      name: 'Ada',
      email: 'a@x.org',
    };
    for (const email_verified of [true, false, 'true', undefined]) {
      const all = { ...claims, email_verified };
      const matching = matchingClaims(rules, all);
      expect(grantsOf(rules, matching)).toEqual(grantsOf(rules, all));
      expect(JSON.stringify(matching)).not.toMatch(/Ada|"C"|"B","B"/);
    }
  });

  it('stop the start if one is malformed, with this fault alone', () => {
    for (const [name, value, message] of [
      ['OIDC_ADMINS', ' ', 'must not be blank'],
      ['OIDC_ADMINS', 'groups=Admins', 'must be rules'],
      ['OIDC_ADMINS', `=Admins -> ${ACME}`, 'must be rules'],
      ['OIDC_ADMINS', `groups= -> ${ACME}`, 'must be rules'],
      ['OIDC_ADMINS', `groups=Admins -> ${ACME},`, 'must be rules'],
      ['OIDC_ADMINS', 'groups=Admins -> org_1', 'without the id of an organization'],
      ['OIDC_ADMINS', `groups=Admins -> ${ACME} admin; x=y -> ${ACME}`, 'unknown scope'],
      ['OIDC_ISSUER', 'http://login.example.com', 'https'],
      ['OIDC_ISSUER', 'https://login.example.com/.well-known/openid-configuration', 'without /.well-known/'],
      ['OIDC_CLIENT_ID', ' ', 'must not be blank'],
      ['OIDC_CLIENT_SECRET', '123456789012345', 'has fewer than 16 characters'],
      ['PUBLIC_URL', 'http://people.example.com', 'https'],
      ['PUBLIC_URL', 'https://people.example.com/?x=1', 'without'],
      ['SIGN_IN_KEY', Buffer.alloc(31).toString('base64'), 'must be 32 bytes in base64'],
    ])
      expect(() => readConfig({ ...ENV, [name]: value })).toThrow(
        new RegExp(`^Invalid configuration:\\n {2}${name} .*${message}.*$`),
      );
  });

  it('may have a secret that nobody guesses, a key beside a shorter one, or none, and any safe issuer', () => {
    readConfig({ ...ENV, OIDC_CLIENT_SECRET: '1234567890123456' });
    readConfig({ ...ENV, OIDC_CLIENT_SECRET: '123456789012345', SIGN_IN_KEY: KEY });
    readConfig({ ...ENV, OIDC_CLIENT_SECRET: '' }); // a public client
    for (const OIDC_ISSUER of ['http://127.0.0.1:8080', 'http://localhost', 'https://a.example/tenant/'])
      expect(readConfig({ ...ENV, OIDC_ISSUER }).oidc?.issuer).toBe(OIDC_ISSUER);
  });

  it('stop the start with an issuer alone, or without one, and name all that is missing', () => {
    for (const empty of ['', undefined])
      expect(() => readConfig({ ...ENV, OIDC_CLIENT_ID: empty, PUBLIC_URL: empty })).toThrow(
        /^Invalid configuration:\n {2}OIDC_CLIENT_ID must be set with OIDC_ISSUER: the .+\n {2}PUBLIC_URL must be set .+$/,
      );
    for (const [name, value] of [
      ['OIDC_CLIENT_ID', 'dashboard'],
      ['OIDC_CLIENT_SECRET', 'a secret of the client'],
      ['OIDC_ADMINS', `groups=Admins -> ${ACME}`],
      ['SIGN_IN_KEY', KEY],
    ])
      for (const PUBLIC_URL of ['', ENV.PUBLIC_URL])
        expect(() => readConfig({ PUBLIC_URL, [name]: value })).toThrow(
          `${name} has no effect without OIDC_ISSUER; set OIDC_ISSUER, or unset ${name}`,
        );
  });
});
