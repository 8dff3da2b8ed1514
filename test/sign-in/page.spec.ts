/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import type { Page } from 'playwright-core';
import { newId } from '../../src/platform/database/id';
import { TokensService } from '../../src';
import { accessibilityFaults, faultsInEveryVariant } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import {
  actionsOf,
  chooseAction,
  shows,
  signIn,
  submits,
  tokensIn,
  useDashboard,
} from '../support/dashboard';
import { type FakeIssuer, startIssuer } from '../support/issuer';

const [ACME, GLOBEX] = [newId('org'), newId('org')];

describeInBrowser('signing in with OpenID Connect', () => {
  const env: NodeJS.ProcessEnv = {};
  let issuer: FakeIssuer;
  let front: Server;
  let publicUrl: string;

  // Its address must be known before the service starts.
  beforeAll(async () => {
    issuer = await startIssuer();
    front = createServer((socket) => {
      const { port } = new URL(service().url);
      const behind = connect(Number(port), '127.0.0.1');
      socket.pipe(behind).pipe(socket);
      for (const end of [socket, behind])
        end.on('error', () => [socket, behind].forEach((one) => one.destroy()));
    }).listen(0, '127.0.0.1');
    await once(front, 'listening');
    publicUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
    Object.assign(env, {
      PUBLIC_URL: publicUrl,
      OIDC_ISSUER: issuer.url,
      OIDC_CLIENT_ID: issuer.clientId,
      OIDC_CLIENT_SECRET: issuer.clientSecret,
      OIDC_ADMINS: `groups=Admins -> ${ACME}, groups=Globex -> ${GLOBEX}, groups=Readers -> ${ACME} users:read, groups=Leavers -> ${ACME} users:read users:delete`,
    });
  });
  const { service, open, visit } = useDashboard(env);
  beforeAll(async () => {
    await service().dataSource.query(
      `INSERT INTO organizations (id, name) VALUES ($1, 'Acme'), ($2, 'Globex')`,
      [ACME, GLOBEX],
    );
  });
  afterAll(async () => {
    front.close();
    await issuer.down();
  });
  beforeEach(() => {
    issuer.claims = { groups: ['Admins'], name: 'Ada Lovelace', email: 'ada@example.com' };
    issuer.hasSession = true;
  });

  /** Opens a page and signs in, until it shows `goal`. */
  async function begin(path: string, goal: (page: Page) => Promise<unknown>) {
    const window = await open();
    await window.page.goto(`${publicUrl}/dashboard${path}`);
    await window.page.getByRole('button', { name: /^Sign in with 127/ }).waitFor();
    expect(await accessibilityFaults(window.page)).toEqual([]);
    await window.page.getByRole('button', { name: /^Sign in with 127/ }).click();
    await goal(window.page);
    expect(await accessibilityFaults(window.page)).toEqual([]);
    return window;
  }

  const table = (page: Page) => page.getByRole('heading', { name: 'API tokens' }).waitFor();

  it('is one click, lasts over a reload, and ends with the token at sign-out', async () => {
    const { page, requestedUrls } = await begin('/tokens', table);
    await page.getByText('Ada Lovelace').waitFor();
    const sessions = page.getByRole('checkbox', { name: 'Sessions and issued tokens' });
    expect(await page.getByText('ada@example.com').count()).toBe(0);
    await sessions.check();
    await page.getByText('ada@example.com').first().waitFor();
    await page.getByRole('button', { name: /^Actions for ada/ }).click();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Revoke']); // not rotated
    await page.keyboard.press('Escape');
    expect(await tokensIn(page)).toEqual([]);
    expect(await page.context().cookies()).toEqual([]);
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).toBe(
      '[{},{"ums-signed-in":"yes"}]',
    );

    await page.goto(`${publicUrl}/dashboard/users`);
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Users' }).waitFor();
    expect(issuer.requests.authorization.at(-1)!.get('prompt')).toBe('none');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${issuer.url}/logout?**`);
    const { data } = await service().app.get(TokensService).list(ACME, { session: true });
    expect(data[0].state).toBe('revoked');
    expect(requestedUrls.filter((url) => url.includes('umt_'))).toEqual([]);

    await page.goto(`${publicUrl}/dashboard`);
    await page.getByRole('button', { name: /^Sign in with 127/ }).waitFor();
  });

  it('is the first choice, above the field for a token, and a reload ends nothing that a note must say', async () => {
    const { page } = await open();
    await page.goto(`${publicUrl}/dashboard`);
    const button = page.getByRole('button', { name: /^Sign in with 127/ });
    await button.and(page.locator('.primary:focus')).waitFor();
    const field = page.getByLabel('Admin token');
    expect((await button.boundingBox())!.y).toBeLessThan((await field.boundingBox())!.y);
    expect(await page.locator('.primary').count()).toBe(1);
    await button.click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await page.getByText('Reloading this page signs you out').count()).toBe(0);
  });

  it('asks again if the issuer has forgotten the person', async () => {
    const { page } = await begin('/tokens', table);
    issuer.hasSession = false;
    const asked = issuer.requests.authorization.length;
    await page.reload();
    while (issuer.requests.authorization.length === asked) await page.waitForTimeout(20);
    await page.getByRole('button', { name: /^Sign in with 127/ }).waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
  });

  it('lets a person choose an organization', async () => {
    issuer.claims = { ...issuer.claims, groups: ['Admins', 'Globex'] };
    const { page } = await begin('/tokens', (page) => page.getByRole('button', { name: 'Globex' }).waitFor());
    await page.getByRole('button', { name: 'Globex' }).click();
    await table(page);
    const { data } = await service().app.get(TokensService).list(GLOBEX, { session: true });
    expect(data).toMatchObject([{ createdBy: { name: 'Ada Lovelace' }, state: 'active' }]);
  });

  it('shows what the scopes allow', async () => {
    issuer.claims = { ...issuer.claims, groups: ['Readers'] };
    const { page } = await begin('/users', (page) =>
      page.getByRole('heading', { name: 'Users', level: 1 }).waitFor(),
    );
    const links = await page.getByRole('navigation').getByRole('link').allInnerTexts();
    expect(links).not.toContain('API tokens');
    expect(links).toContain('Users');
    await page.getByText('There are no users yet').waitFor();
    for (const name of ['Create user', 'Import users', 'Delete'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(await page.getByText('Create the first one').count()).toBe(0);
    await page.goto(`${publicUrl}/dashboard/tokens`);
    await page.getByRole('heading', { name: 'Not for you' }).waitFor();
    await page.getByText('You have users:read.').waitFor();
    expect(await faultsInEveryVariant(page)).toEqual([]);
  });

  it('offers no Undo of a deletion to a person who may not restore', async () => {
    const api = await service().client({ organizationId: ACME });
    for (const name of ['Ada', 'Grace']) await api.createUser({ name });
    issuer.claims = { groups: ['Leavers'], name: 'Lea', email: 'lea@example.com' };
    const { page } = await begin('/users', (page) => actionsOf(page, 'Ada').waitFor());
    await chooseAction(page, 'Delete', 'Ada');
    await submits(page, 'Delete user');
    await shows(page, 'Deleted Ada');
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
    await page.getByRole('checkbox', { name: 'Select Grace' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await submits(page, 'Delete 1 user');
    await shows(page, 'Deleted 1 user');
    expect(await page.getByRole('button', { name: /^Undo/ }).count()).toBe(0);
  });

  it('says what is missing to a person without a rule', async () => {
    issuer.claims = { ...issuer.claims, groups: ['<i>Guests</i>'] };
    const { page, expectErrors } = await open();
    expectErrors(403);
    await page.goto(`${publicUrl}/dashboard`);
    await page.getByRole('button', { name: /^Sign in with 127/ }).click();
    await page.getByText('groups: sent, but no rule has its value').waitFor();
    await page.waitForLoadState();
    expect(await page.evaluate('document.styleSheets.length')).toBe(1);
    expect(await accessibilityFaults(page, { all: true })).toEqual([]);
    await page.getByRole('link', { name: 'use an API token' }).click();
    await page.getByRole('button', { name: /^Sign in with 127/ }).waitFor();
  });

  it('is off while the issuer does not answer, and a token is not', async () => {
    const answer = { issuer: 'login.example.com', available: false, url: '', signedIn: false };
    const { page } = await visit('tokens', (_api, page) =>
      page.route('**/dashboard/session', (route) => route.fulfill({ json: answer })),
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    const button = page.getByRole('button', { name: 'login.example.com does not answer' });
    await button.waitFor();
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await signIn(page, (await service().client()).tokenValue);
  });
});
