import { Client } from '../support/client';
import { ACME, expectRefused, PUBLIC_URL, useSignIn } from '../support/sign-in';

const { issuer, service, env, browse, session, another, replica } = useSignIn();

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

    const other = await service.client({ organizationId: ACME });
    const refused = await other.post(`/v1/tokens/${record.id}/rotate`).expect(409);
    expect(refused.body.detail).toContain('cannot be rotated');
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

  it('keeps the attempt in a cookie that scripts and other sites cannot use', async () => {
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

  it('cuts names to 100 characters, keeps the row storable, and knows at least the subject', async () => {
    issuer.claims = { groups: 'Admins', sub: 'x', name: '😀'.repeat(150), email: `a\0${'b'.repeat(300)}` };
    const { name, createdBy } = await session();
    expect(createdBy!.name).toBe('😀'.repeat(100));
    expect(name).toBe(`a ${'b'.repeat(98)}`);
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
    url.searchParams.set('error_description', 'Call 555-0100 at once');
    const page = await expectRefused(browser, await browser.request(url.href), 403);
    expect(page).toContain('access_denied');
    expect(page).not.toContain('at once');
  });
});

it('is not there at all without an issuer', async () => {
  const other = await another({ PUBLIC_URL });
  for (const path of ['sign-in', 'callback', 'session'])
    await other.anonymous().get(`/dashboard/${path}`).expect(404);
  expect((await other.anonymous().get('/dashboard').expect(200)).text).not.toContain('name="sign-in"');
  const { text } = await service.anonymous().get('/dashboard').expect(200);
  expect(text).toContain('name="sign-in"');
  expect(text).toContain('name="docs"');
});

describe('what anybody may cost', () => {
  /** Finishes an attempt with a made-up code, as anybody can. */
  async function madeUp(address: string, at: { url: string } = service) {
    const browser = browse(at);
    const url = new URL(await browser.untilCallback());
    url.searchParams.set('code', 'made up');
    const headers = { 'X-Forwarded-For': address };
    return { browser, response: await browser.request(url.href, { headers }) };
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
});

it('never lets a cookie into the API', async () => {
  const browser = browse();
  await browser.signIn();
  for (const path of ['/api/v1/users', '/v1/tokens/current', '/scim/v2/Users'])
    expect((await browser.request(PUBLIC_URL + path)).status).toBe(401);
});
