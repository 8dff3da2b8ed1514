import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TokensService } from '../../src';
import { newId } from '../../src/database/id';
import { readConfig } from '../../src/process/config';
import { createLog } from '../../src/process/log';
import { requireOrganizations } from '../../src/sign-in/require-organizations';
import { createApp } from '../../src/process/setup';
import { parseAdminRules } from '../../src/sign-in/oidc/admin-rules';
import { SpentRounds } from '../../src/sign-in/oidc/spent-rounds';
import { ExpiryWarnings } from '../../src/tokens/expiry-warnings';
import { countExpiringTokens } from '../../src/metrics/expiring-tokens';
import { Database } from '../../src/database/database';
import type { NewToken } from '../../client/index';
import { Browse } from '../support/browse';
import { Client } from '../support/client';
import { asSecret, type FakeIssuer, startIssuer, strangeKey } from '../support/issuer';
import { startService, type TestService } from '../support/service';

const PUBLIC_URL = 'http://127.0.0.1:9';
const [ACME, GLOBEX] = [newId('org'), newId('org')];
const RULES = [
  `groups=Admins -> ${ACME}`,
  `groups=Readers -> ${ACME} users:read`,
  `groups=Writers -> ${ACME} users:write`,
  `groups=Globex -> ${GLOBEX}`,
  `email=ada@example.com -> ${ACME}`,
].join(', ');

let issuer: FakeIssuer;
let service: TestService;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  issuer = await startIssuer();
  env = {
    PUBLIC_URL,
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: issuer.clientId,
    OIDC_CLIENT_SECRET: issuer.clientSecret,
    OIDC_ADMINS: RULES,
    TRUST_PROXY: '1', // so that X-Forwarded-Host counts wherever the request's host does
  };
  service = await startService(env);
  await service.dataSource.query(`INSERT INTO organizations (id, name) VALUES ($1, 'Acme'), ($2, 'Globex')`, [
    ACME,
    GLOBEX,
  ]);
});
afterAll(async () => {
  await service.close();
  await issuer.down();
});
/** What a test has started in addition, also if it fails. */
const others: { close(): Promise<void> }[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const other of others.splice(0)) await other.close();
});

async function another(env: NodeJS.ProcessEnv): Promise<TestService> {
  const service = await startService(env);
  others.push(service);
  return service;
}

/** Another process on the same database. */
async function replica(changes: NodeJS.ProcessEnv = {}): Promise<{ url: string }> {
  const config = readConfig({ ...env, MIGRATE_ON_START: 'false', ...service.env, ...changes });
  const database = { dataSource: service.dataSource, close: async () => {} };
  const app = await createApp(config, database, createLog('fatal'));
  others.push(app);
  await app.listen(0, '127.0.0.1');
  return { url: `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}` };
}

async function anotherIssuer(): Promise<FakeIssuer> {
  const issuer = await startIssuer();
  others.push({ close: () => issuer.down() });
  return issuer;
}

beforeEach(() => {
  issuer.claims = { groups: ['Admins'], name: 'Ada Lovelace', email: 'ada@example.com' };
  issuer.hasSession = true;
  issuer.spoil(() => {});
});

const browse = (at: Pick<TestService, 'url'> = service) => new Browse(at, PUBLIC_URL);

/** Signs in, and returns the answer with the token's value, as the page gets it. */
async function session(browser = browse()) {
  expect((await browser.signIn()).status).toBe(303);
  const response = await browser.fetchSession();
  expect(response.status).toBe(201);
  return (await response.json()) as NewToken & { signOutUrl: string };
}

/** What is refused shows a page, sets no cookie, and gives no token. */
async function expectRefused(browser: Browse, response: Response, status: number): Promise<string> {
  const page = await response.text();
  expect([response.status, page]).toEqual([status, expect.stringContaining('<h1>')]);
  expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  expect(response.headers.getSetCookie()).toEqual([]);
  expect((await browser.fetchSession()).status).toBe(401);
  return page;
}

describe('a sign-in', () => {
  it('gives an ordinary token of the person, for 8 hours', async () => {
    const { token: value, signOutUrl, ...record } = await session();

    expect(record).toMatchObject({
      name: 'ada@example.com',
      scopes: ['admin'],
      state: 'active',
      expiresIn: null,
      createdBy: { issuer: issuer.url, subject: '00u1', name: 'Ada Lovelace' },
    });
    expect(Date.parse(record.expiresAt!) - Date.parse(record.createdAt)).toBe(8 * 60 * 60_000);
    const api = new Client(service.url, { organizationId: ACME, tokenId: record.id, value });
    expect((await api.get('/v1/tokens/current').expect(200)).body).toMatchObject({ id: record.id });
    const { body } = await api.get(`/api/v1/events?target=${record.id}`).expect(200);
    expect(body.data).toMatchObject([
      { type: 'token.created', source: 'sign-in', actor: { type: 'system', name: 'sign-in' } },
    ]);
    expect(new URL(signOutUrl).origin + new URL(signOutUrl).pathname).toBe(`${issuer.url}/logout`);
    expect(new URL(signOutUrl).searchParams.get('post_logout_redirect_uri')).toBe(`${PUBLIC_URL}/dashboard`);

    await api.delete('/v1/tokens/current').expect(204);
    await api.get('/v1/tokens/current').expect(401);
  });

  it('uses a code with PKCE, state and nonce, and asks for no more than it needs', async () => {
    await session();
    const query = issuer.requests.authorization.at(-1)!;
    expect(Object.fromEntries(query)).toEqual({
      response_type: 'code',
      client_id: issuer.clientId,
      redirect_uri: `${PUBLIC_URL}/dashboard/callback`,
      scope: 'openid profile email groups',
      state: expect.stringMatching(/^.{43}$/),
      nonce: expect.stringMatching(/^.{43}$/),
      code_challenge: expect.stringMatching(/^.{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('keeps the round in a cookie that scripts and other sites cannot use', async () => {
    const begun = await browse().request(`${PUBLIC_URL}/dashboard/sign-in`);
    const [cookie] = begun.headers.getSetCookie();
    expect(cookie).toMatch(
      /^ums-sign-in=[\w-]+; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    );

    const secure = await another({ ...env, PUBLIC_URL: 'https://people.example.com/ums' });
    const response = await fetch(`${secure.url}/dashboard/sign-in`, { redirect: 'manual' });
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-ums-sign-in=[\w-]+; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    const { searchParams } = new URL(response.headers.get('Location')!);
    expect(searchParams.get('redirect_uri')).toBe('https://people.example.com/ums/dashboard/callback');
  });

  it('hands out the value once, and has it in no address, cookie, log or row', async () => {
    const browser = browse();
    const { token: value } = await session(browser);
    expect(browser.cookies.size).toBe(0);
    expect((await browser.fetchSession()).status).toBe(401);
    expect(browser.visited.join()).not.toContain('umt_');
    expect(service.logs.join()).not.toContain(value);
    const tables: { name: string }[] = await service.dataSource.query(
      `SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = current_schema()`,
    );
    const rows = [];
    for (const { name } of tables)
      rows.push(await service.dataSource.query(`SELECT t::text AS row FROM ${name} t`));
    // Nor is the code, which is in the address of the callback, in a log.
    const code = new URL(browser.visited.find((url) => url.includes('code='))!).searchParams.get('code')!;
    expect(JSON.stringify(rows) + service.logs.join()).not.toContain(code);
    expect(JSON.stringify(rows)).not.toContain(value);
    expect(JSON.stringify(rows)).toContain(value.slice(0, 8)); // the hint
  });

  it('gives the value to one of two requests with the same cookie', async () => {
    const browser = browse();
    await browser.signIn();
    const answers = await Promise.all([browser.fetchSession(), browser.fetchSession()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401]);
  });

  it('begins at one replica and ends at another', async () => {
    const browser = browse();
    const callback = await browser.untilCallback();
    const there = browse(await replica());
    there.cookies = browser.cookies;
    expect((await there.request(callback)).status).toBe(303);
    const cookies = new Map(browser.cookies);
    expect((await browser.fetchSession()).status).toBe(201);
    // Nor does the other one take it again.
    there.cookies = cookies;
    expect((await there.fetchSession()).status).toBe(401);
  });

  it('gives what the rules give when the token is fetched', async () => {
    issuer.claims = { groups: ['Readers', 'Writers'] };
    const browser = browse();
    await browser.signIn();
    const there = browse(await replica({ OIDC_ADMINS: `groups=Readers -> ${ACME} users:delete` }));
    there.cookies = browser.cookies;
    expect(await (await there.fetchSession()).json()).toMatchObject({ scopes: ['users:delete'] });

    await browser.signIn();
    const later = browse(await replica({ OIDC_ADMINS: `groups=Nobody -> ${ACME}` }));
    later.cookies = browser.cookies;
    expect((await later.fetchSession()).status).toBe(401);
  });

  it('cuts names to 100 characters, and keeps the row storable', async () => {
    issuer.claims = { groups: 'Admins', sub: 'x', name: '😀'.repeat(150), email: `a\0${'b'.repeat(300)}` };
    const { name, createdBy } = await session();
    expect(createdBy!.name).toBe('😀'.repeat(100));
    expect(name).toBe(`a ${'b'.repeat(98)}`);
  });

  it('is named after the subject if the issuer tells no address', async () => {
    issuer.claims = { groups: ['Admins'] };
    expect(await session()).toMatchObject({ name: '00u1', createdBy: { name: '00u1' } });
  });

  it('comes back to the page where it began, and to no other site', async () => {
    const locationAfter = async (to: string) =>
      (await browse().signIn(`?to=${encodeURIComponent(to)}`)).headers.get('Location');
    expect(await locationAfter('/users')).toBe(`${PUBLIC_URL}/dashboard/users`);
    for (const to of [
      '//evil.example',
      '.evil.example',
      '@evil.example',
      '/../evil',
      '/\\evil',
      '\\/evil.example',
      '/%2e%2e/evil',
      '%2F%2Fevil.example',
      '/users/..//evil.example',
      '/users?next=//evil.example',
      '/users#//evil.example',
      '/users\n',
      '\t//evil.example',
      'https://evil',
      'javascript:alert(1)',
    ])
      expect(await locationAfter(to)).toBe(`${PUBLIC_URL}/dashboard`);
  });

  it('does not depend on the Host of the request', async () => {
    const headers = {
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      Forwarded: 'host=evil.example',
    };
    const begun = await browse().request(`${PUBLIC_URL}/dashboard/sign-in`, { headers });
    const url = new URL(begun.headers.get('Location')!);
    expect(url.origin).toBe(issuer.url);
    expect(url.searchParams.get('redirect_uri')).toBe(`${PUBLIC_URL}/dashboard/callback`);
    const browser = browse();
    const finished = await browser.request(await browser.untilCallback(), { headers });
    expect(finished.headers.get('Location')).toBe(`${PUBLIC_URL}/dashboard`);
  });

  it('asks nothing with prompt=none, and goes back to the page if the issuer would have to ask', async () => {
    const silent = browse();
    expect((await silent.signIn('?prompt=none&to=/users')).status).toBe(303);
    expect(issuer.requests.authorization.at(-1)!.get('prompt')).toBe('none');
    expect((await silent.fetchSession()).status).toBe(201);

    issuer.hasSession = false;
    const refused = browse();
    const answer = await refused.signIn('?prompt=none&to=/users');
    expect([answer.status, answer.headers.get('Location')]).toEqual([303, `${PUBLIC_URL}/dashboard/users`]);
    expect(refused.cookies.size).toBe(0);
    expect((await refused.fetchSession()).status).toBe(401);
  });

  it('shows the code of a refusal by the issuer, and no text of its address', async () => {
    const browser = browse();
    const url = new URL(await browser.untilCallback());
    url.searchParams.delete('code');
    url.searchParams.set('error', 'access_denied');
    url.searchParams.set('error_description', 'Call 555-0100');
    const page = await expectRefused(browser, await browser.request(url.href), 403);
    expect(page).toContain('access_denied');
    expect(page).not.toContain('555');
  });
});

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
    // A wrong state does not use up the round: anybody could send the browser here with one.
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

  it('refuses a cookie of another round, a changed one, a foreign one and none', async () => {
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
    // Nothing of this has used the round up.
    expect((await one.request(callback)).status).toBe(303);
    // A whole round at a service with another key is none at this one, although it is the same client of the same issuer.
    const stranger = browse(foreign);
    const strange = await stranger.untilCallback();
    const here = browse();
    here.cookies = stranger.cookies;
    await expectRefused(here, await here.request(strange), 400);
  });

  it('refuses a round that is older than 10 minutes, by the clock of the database', async () => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 601_000);
    const browser = browse();
    const callback = await browser.untilCallback();
    jest.restoreAllMocks();
    await expectRefused(browser, await browser.request(callback), 400);
  });

  it('does not take the cookie of a finished round for one that is under way, or the reverse', async () => {
    const browser = browse();
    await browser.untilCallback();
    expect((await browser.fetchSession()).status).toBe(401);
    await browser.signIn();
    await expect(browser.request(`${PUBLIC_URL}/dashboard/callback?state=`)).resolves.toHaveProperty(
      'status',
      400,
    );
  });

  it('keeps spent rounds until they would have expired', async () => {
    await session();
    const rows = () => service.dataSource.query(`SELECT id FROM sign_in_rounds`);
    const before = (await rows()).length;
    const spent = service.app.get(SpentRounds);
    await spent.deleteExpired();
    expect((await rows()).length).toBe(before);
    await service.dataSource.query(`UPDATE sign_in_rounds SET expires_at = now()`);
    await spent.deleteExpired();
    expect(await rows()).toEqual([]);
  });
});

describe('POST /dashboard/session', () => {
  it.each(['https://evil.example', 'null', 'http://127.0.0.1:10', 'http://127.0.0.1'])(
    'refuses the origin %s',
    async (origin) => {
      const browser = browse();
      await browser.signIn();
      expect((await browser.fetchSession(undefined, origin)).status).toBe(403);
      const withoutOrigin = await browser.request(`${PUBLIC_URL}/dashboard/session`, { method: 'POST' });
      expect(withoutOrigin.status).toBe(403);
      expect((await browser.fetchSession()).status).toBe(201); // nothing of this has used it up
    },
  );

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
    const start = async (OIDC_ADMINS: string) => {
      const many = await another({ ...env, OIDC_ADMINS });
      await many.dataSource.query(
        `INSERT INTO organizations (id, name) SELECT * FROM unnest($1::text[], $2::text[])`,
        [ids, organizations.map(({ name }) => name)],
      );
      return many;
    };

    it('lets a person choose, one value of a claim being enough for all of them', async () => {
      issuer.claims = { groups: ['Support', ...Array.from({ length: 200 }, (_, i) => `Group ${i}`)] };
      const many = await start(ids.map((id) => `groups=Support -> ${id} users:read`).join());
      await requireOrganizations(many.app, parseAdminRules(`a=b -> ${ids[0]}`));
      const browser = browse(many);
      await browser.signIn();
      expect(await (await browser.fetchSession()).json()).toEqual({ organizations });
      const chosen = await browser.fetchSession({ organizationId: ids[299] });
      expect([chosen.status, await chosen.json()]).toMatchObject([201, { scopes: ['users:read'] }]);
    });

    it('says so if more values match than a cookie can have', async () => {
      const groups = ids.map((id) => `Admins of ${id}`);
      issuer.claims = { groups };
      const many = await start(ids.map((id) => `groups=Admins of ${id} -> ${id}`).join());
      const browser = browse(many);
      expect(await expectRefused(browser, await browser.signIn(), 403)).toContain('Too many rules');
      issuer.claims = { groups: groups.slice(0, 20) };
      expect((await browser.signIn()).status).toBe(303);
    });

    it('leaves out those that were deleted since, and opens none', async () => {
      issuer.claims = { groups: ['Support'] };
      const [one, other] = organizations;
      const two = await start(`groups=Support -> ${one.id}, groups=Support -> ${other.id}`);
      const remove = (id: string) => two.dataSource.query(`DELETE FROM organizations WHERE id = $1`, [id]);
      const browser = browse(two);
      await browser.signIn();
      await remove(one.id);
      expect(await (await browser.fetchSession()).json()).toEqual({ organizations: [other] });
      await remove(other.id);
      for (const body of [undefined, { organizationId: other.id }])
        expect((await browser.fetchSession(body)).status).toBe(404);
    });
  });

  it('refuses other input', async () => {
    expect((await browse().fetchSession({ organizationId: 'x' })).status).toBe(400);
    expect((await browse().fetchSession({ scopes: ['admin'] })).status).toBe(400);
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
    const odd = await another({ ...env, OIDC_ADMINS: `<b>'"&=x -> ${ACME}` });
    issuer.claims = { [`<b>'"&`]: 'y' };
    const browser = browse(odd);
    expect(await expectRefused(browser, await browser.signIn(), 403)).toContain(
      '<p>&lt;b&gt;&#39;&quot;&amp;: sent, but no rule has its value</p>',
    );
  });

  it.each([undefined, false, 'true', 1])(
    'take an address for no claim if email_verified is %j',
    async (email_verified) => {
      issuer.claims = { email: 'ada@example.com', email_verified };
      const browser = browse();
      await expectRefused(browser, await browser.signIn(), 403);
      issuer.claims = { email: 'ada@example.com', email_verified: true };
      await session();
    },
  );

  it('stop the start if they name an organization that does not exist', async () => {
    const unknown = newId('org');
    const check = (text: string) => requireOrganizations(service.app, parseAdminRules(text));
    await check(RULES);
    await expect(check(`${RULES}, a=b -> ${unknown}`)).rejects.toThrow(
      `OIDC_ADMINS names organizations that do not exist: ${unknown}`,
    );
  });
});

it('is not there at all without an issuer', async () => {
  const other = await another({ PUBLIC_URL });
  for (const path of ['sign-in', 'callback', 'session'])
    await other.anonymous().get(`/dashboard/${path}`).expect(404);
  expect((await other.anonymous().get('/dashboard').expect(200)).text).not.toContain('name="sign-in"');
  expect((await service.anonymous().get('/dashboard').expect(200)).text).toContain('name="sign-in"');
});

describe('the token of a sign-in', () => {
  it('cannot be rotated', async () => {
    const { id } = await session();
    const tokens = service.app.get(TokensService);
    await expect(tokens.rotate(ACME, id)).rejects.toThrow('cannot be rotated');
    await expect(tokens.rotate(ACME, id)).rejects.toHaveProperty('status', 409);
    expect((await tokens.get(ACME, id)).state).toBe('active');
  });

  it('is not counted as expiring, gets no warning, and one event when it is over', async () => {
    const before = await countExpiringTokens(service.app.get(Database));
    const { id } = await session();
    expect(await countExpiringTokens(service.app.get(Database))).toBe(before);
    const types = async () => {
      await service.app.get(ExpiryWarnings).warnAll();
      const rows = await service.dataSource.query(
        `SELECT type FROM token_events WHERE target_id = $1
         UNION ALL SELECT type FROM events WHERE target_id = $1`,
        [id],
      );
      return rows.map(({ type }: { type: string }) => type);
    };
    const endIn = (hours: number) =>
      service.dataSource.query(
        `UPDATE tokens SET expires_at = now() + $2 * interval '1 hour' WHERE id = $1`,
        [id, hours],
      );
    for (const hours of [8, 1, 0.01]) {
      await endIn(hours);
      expect(await types()).toEqual(['token.created']);
    }
    await endIn(0);
    await types();
    expect((await types()).sort()).toEqual(['token.created', 'token.expired']);
  });

  it('is listed, or left out, as the caller wishes', async () => {
    const api = await service.client({ organizationId: ACME });
    const { id } = await session();
    const idsOf = async (query: string) =>
      (await api.get(`/v1/tokens?limit=200${query}`).expect(200)).body.data.map(
        ({ id }: { id: string }) => id,
      );
    expect(await idsOf('')).toEqual(expect.arrayContaining([id, api.tokenId]));
    expect(await idsOf('&session=true')).toContain(id);
    expect(await idsOf('&session=true')).not.toContain(api.tokenId);
    expect(await idsOf('&session=false')).toContain(api.tokenId);
    expect(await idsOf('&session=false')).not.toContain(id);
    await api.get('/v1/tokens?session=yes').expect(400);
  });
});

it('never lets a cookie into the API', async () => {
  const browser = browse();
  await browser.signIn();
  for (const path of ['/api/v1/users', '/v1/tokens/current', '/scim/v2/Users'])
    expect((await browser.request(PUBLIC_URL + path)).status).toBe(401);
});

describe('what anybody may cost', () => {
  /** Finishes a round with a made-up code, as anybody can. */
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

  it('is 600 rounds an hour from an address, and then no row and no request to the issuer', async () => {
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

  it('is nothing without the cookie of a round', async () => {
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
    busy.answerAt('/.well-known/openid-configuration', (response) => response.writeHead(500).end());
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

  it('between the beginning and the end of a round is no fault of the person', async () => {
    const shaky = await anotherIssuer();
    const waiting = await another({ ...env, OIDC_ISSUER: shaky.url });
    const browser = browse(waiting);
    const callback = await browser.untilCallback();
    await shaky.down();
    await expectRefused(browser, await browser.request(callback), 503);
  });

  const DISCOVERY = '/.well-known/openid-configuration';

  it.each([
    [DISCOVERY, 'never', () => {}],
    ['/token', 'never', () => {}],
    ['/token', 'never to its end', (response: ServerResponse) => response.write('{')],
    ['/keys', 'never', () => {}],
  ])('within 5 s is unreachable: %s answers %s', async (path, _how, answer) => {
    const slow = await anotherIssuer();
    // The 5 s are over as soon as a request hangs.
    const hanging: AbortController[] = [];
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const controller = new AbortController();
      hanging.push(controller);
      return controller.signal;
    });
    slow.answerAt(path, (response) => {
      answer(response);
      for (const controller of hanging)
        controller.abort(new DOMException('It took too long.', 'TimeoutError'));
    });
    const waiting = await another({ ...env, OIDC_ISSUER: slow.url });
    const browser = browse(waiting);
    const begun = await browser.request(`${PUBLIC_URL}/dashboard/sign-in`);
    expect(begun.status).toBe(path === DISCOVERY ? 503 : 303);
    if (path !== DISCOVERY) {
      const issued = await browser.request(begun.headers.get('Location')!);
      await expectRefused(browser, await browser.request(issued.headers.get('Location')!), 503);
    }
    expect(hanging.length).toBe(slow.requests.paths.filter((asked) => asked !== '/authorize').length);
    for (const [ms] of timeout.mock.calls) expect(ms).toBe(5_000);
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
