/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { OrganizationsService, TokensService, UserManagementModule } from '../../src';
import { describeInBrowser } from '../support/browser';
import {
  buttonOf,
  chooseAction,
  closed,
  dialogButton,
  dialogOf,
  fills,
  focusOn,
  headingOf,
  namesOf,
  panelOf,
  showAt,
  shows,
  signIn,
  submits,
  tokensIn,
  toSection,
  useDashboard,
} from '../support/dashboard';
import { emptyDirectory } from '../support/database';
import { OPTIONS } from '../support/embedding';
import { startGateway } from '../support/gateway';
import { startHost } from '../support/host';
import { start, stop } from '../support/process';
import { until } from '../support/until';

/** Everything that a page can store in the browser. */
const STORED = `(async () => ({
  local: localStorage.length,
  session: sessionStorage.length,
  cookies: document.cookie,
  databases: (await indexedDB.databases()).length,
  caches: (await caches.keys()).length,
  workers: (await navigator.serviceWorker.getRegistrations()).length,
}))()`;
const NOTHING_STORED = { local: 0, session: 0, cookies: '', databases: 0, caches: 0, workers: 0 };

const LINK = { name: 'Users', exact: true };
const pathOf = (page: Page) => new URL(page.url()).pathname;

describeInBrowser('a session of the dashboard', () => {
  const { service, open, visit } = useDashboard();
  const revoke = ({ organizationId, tokenId }: { organizationId: string; tokenId: string }) =>
    service().app.get(TokensService).revoke(organizationId, tokenId);

  it('starts with a form that password managers understand, and that sends nothing but tokens', async () => {
    const { page, requestedUrls } = await open();
    await page.goto(`${service().url}/dashboard`);
    const fields = await page.evaluate(
      `[...document.querySelectorAll('form[method=post] input')].map(({ type, autocomplete }) => [type, autocomplete])`,
    );
    expect(fields).toEqual([
      ['text', 'username'],
      ['password', 'current-password'],
    ]);
    await buttonOf(page, 'Sign in').click();
    await shows(page, 'Admin token is required.');
    await page.getByLabel('Admin token').fill('hunter2');
    await buttonOf(page, 'Sign in').click();
    await shows(page, 'Admin token is not an API token. Tokens start with umt_ and have 42 characters.');
    expect(requestedUrls.filter((url) => url.includes('/api/'))).toEqual([]);
  });

  it('does not start with a token that is not valid, has few scopes, or is of a suspended organization', async () => {
    const [reader, suspended] = [
      await service().client({ scopes: ['users:read', 'users:write'] }),
      await service().client(),
    ];
    await service().app.get(OrganizationsService).suspend(suspended.organizationId);
    const { page, expectErrors } = await open();
    expectErrors(401, 403);
    await page.goto(`${service().url}/dashboard`);
    for (const [value, message] of [
      [`umt_${'0'.repeat(38)}`, 'Admin token is not valid: it is unknown, expired or revoked.'],
      [reader.tokenValue, 'The dashboard requires the scope admin; this token has users:read, users:write.'],
      [suspended.tokenValue, 'The organization is suspended.'],
    ]) {
      await page.getByLabel('Admin token').fill(value);
      await page.keyboard.press('Enter');
      await shows(page, message);
      const isInvalid = await page.getByLabel('Admin token').getAttribute('aria-invalid');
      expect([message, isInvalid === 'true']).toEqual([message, value !== suspended.tokenValue]);
    }
    expect(await page.getByRole('navigation').count()).toBe(0);
  });

  it('does not keep the token in storage, cookies or URLs, and forgets it on a reload', async () => {
    const { page, requestedUrls, api } = await visit('tokens');
    await toSection(page, 'Users');
    expect(await page.evaluate(STORED)).toEqual(NOTHING_STORED);
    expect(await page.context().cookies()).toEqual([]);
    expect(await tokensIn(page)).toEqual([]);
    expect(requestedUrls.filter((url) => url.includes(api.tokenValue))).toEqual([]);

    await page.reload();
    await buttonOf(page, 'Sign in').waitFor();
    expect(await page.getByLabel('Admin token').inputValue()).toBe('');
  });

  it('ends at sign-out', async () => {
    const { page } = await visit('tokens');
    await page.getByRole('table').waitFor();
    await buttonOf(page, 'Sign out').click();
    await shows(page, 'You are signed out');
    expect(await page.getByLabel('Admin token').inputValue()).toBe('');
    expect(await page.getByRole('table').count()).toBe(0);
  });

  it('ends when the page is left, even if the browser caches the page', async () => {
    const { page, api } = await visit('tokens');
    await page.goto('about:blank');
    await page.goBack();
    await signIn(page, api.tokenValue);

    const transition = (type: string) =>
      page.evaluate(`dispatchEvent(new PageTransitionEvent('${type}', { persisted: true }))`);
    await transition('pagehide');
    expect(await page.evaluate('document.body.innerText')).toBe('');
    await transition('pageshow');
    await buttonOf(page, 'Sign in').waitFor();
  });

  it('ends after 30 minutes of inactivity, also at the first activity after the computer slept', async () => {
    const { page, api } = await visit('tokens', undefined, { hasClock: true });
    await page.getByRole('table').waitFor();
    await page.clock.fastForward('29:00');
    await page.keyboard.press('Shift');
    await page.clock.fastForward('29:00');
    expect(await page.getByRole('table').count()).toBe(1);
    await page.clock.fastForward('01:01');
    await shows(page, '30 minutes of inactivity');
    expect(await page.getByRole('table').count()).toBe(0);

    await signIn(page, api.tokenValue);
    const now = (await page.evaluate('Date.now()')) as number;
    await page.clock.setSystemTime(now + 31 * 60_000); // runs no timers
    await page.keyboard.press('Shift');
    await shows(page, '30 minutes of inactivity');
  });

  it('ends at a 401 in a list', async () => {
    const { page, api, expectErrors } = await visit('tokens');
    expectErrors(401);
    await shows(page, '1 token on this page');
    await revoke(api);
    await page.getByRole('radio', { name: 'Expired' }).click();
    await shows(page, 'the token was revoked or has expired');
    expect(await page.getByRole('table').count()).toBe(0);
  });

  it('ends at a 401 in a form, and goes on at the same place with another token', async () => {
    const { page, api, expectErrors } = await visit('users', (api) => api.createUser({ name: 'Ada' }));
    const other = await service().client({ organizationId: api.organizationId });
    expectErrors(401);
    await fills(page, { Role: 'Member' });
    await shows(page, '1 user on this page');
    const groups = page.waitForResponse((response) => response.url().includes('user=usr_'));
    await chooseAction(page, 'Edit', 'Ada');
    await groups; // no request is under way
    await revoke(api);
    await submits(page, 'Save changes', { Name: 'Ada King' });
    await shows(page, 'You were signed out because the token was revoked or has expired.');
    await focusOn(page.getByLabel('Admin token'));
    expect(await page.getByText('Ada').count()).toBe(0);
    expect(await dialogOf(page).count()).toBe(0);
    await signIn(page, other.tokenValue);
    await shows(page, '1 user on this page');
    expect(new URL(page.url()).search).toBe('?role=member');
    expect(await namesOf(page)).toEqual(['Ada']);
  });

  it('ends, and says why, when its organization is suspended meanwhile', async () => {
    const { page, api, expectErrors } = await visit('tokens');
    await page.getByRole('table').waitFor();
    await service().app.get(OrganizationsService).suspend(api.organizationId);
    expectErrors(403);
    await page.getByRole('link', LINK).click();
    await shows(page, 'You were signed out because your organization is suspended.');
    expect(await page.getByRole('navigation', { name: 'Sections' }).count()).toBe(0);
  });
});

describeInBrowser('the dashboard with few rights', () => {
  const { enter, service } = useDashboard();

  it('shows and asks only what the scopes of the token allow', async () => {
    const api = await service().client();
    await service().client({ organizationId: api.organizationId }); // another admin token, so that no last one ends
    const user = await api.createUser({ name: 'Ada' });
    // Nobody signs in with a token that may only read users, but a session can go on with one.
    const { body } = await api.post('/v1/tokens', { name: 'Reader', scopes: ['users:read'] }).expect(201);
    const { page, requestedUrls } = await enter(`tokens/${api.tokenId}`, api);
    await page.route('**/rotate', (route) => route.fulfill({ status: 201, json: body }));
    await buttonOf(page, 'Rotate').click();
    await submits(page, 'Rotate token');
    await submits(page, 'Done');
    await submits(page, 'I have saved it');
    await closed(page);
    const before = requestedUrls.length;
    await page.getByRole('link', { name: 'Overview' }).click();
    await shows(page, 'shown to tokens with the scope admin');
    await page.locator('.figures').waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['Users created']);
    expect(requestedUrls.slice(before).filter((url) => /events|webhooks|tokens\?/.test(url))).toEqual([]);

    await showAt(page, `users/${user.id}`);
    await headingOf(page, 'Ada').waitFor();
    await shows(panelOf(page, 'Groups'), 'In no group.');
    for (const name of ['Edit', 'Deactivate', 'Delete', "Export this person's data"])
      expect(await buttonOf(page, name).count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Activity' }).count()).toBe(0);
  });
});

describeInBrowser('the addresses of the dashboard', () => {
  const { service, open, visit } = useDashboard();

  it('can be opened, reloaded and shared: the page asks for the token and shows what is there', async () => {
    const { page, api } = await visit('activity');
    for (const _visit of ['the first', 'a reload']) {
      await focusOn(headingOf(page, 'Activity'));
      expect(pathOf(page)).toBe('/dashboard/activity');
      expect(await page.locator('nav [aria-current=page]').count()).toBe(1);
      await page.reload();
      await signIn(page, api.tokenValue);
    }
  });

  it('change with the page, so that Back and Forward work', async () => {
    const { page } = await visit('tokens');
    for (const name of ['Users', 'Groups']) {
      await toSection(page, name);
      expect(pathOf(page)).toBe(`/dashboard/${name.toLowerCase()}`);
    }
    await page.goBack();
    await focusOn(headingOf(page, 'Users'));
    await page.goBack();
    await headingOf(page, 'API tokens').waitFor();
    await page.goForward();
    await headingOf(page, 'Users').waitFor();
    expect(pathOf(page)).toBe('/dashboard/users');
  });

  it('show a page that arrives between the click and the next frame', async () => {
    const { page } = await open({ hasClock: true });
    const { tokenValue } = await service().client();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/webhooks-page-*.js', async (route) => {
      await held;
      await route.continue();
    });
    const script = page.waitForRequest('**/webhooks-page-*.js'); // asked for when the first page is shown
    await page.goto(`${service().url}/dashboard`);
    await signIn(page, tokenValue);
    const url = (await script).url();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.waitForURL('**/dashboard/webhooks');
    release();
    await page.evaluate(`import('${url}').then(() => {})`);
    await page.clock.resume();
    await headingOf(page, 'Webhooks').waitFor();
  });

  it('open in another tab, as links do', async () => {
    const { page } = await visit('tokens', undefined, {});
    const [other] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', LINK).click({ modifiers: ['ControlOrMeta'] }),
    ]);
    await buttonOf(other as Page, 'Sign in').waitFor();
    expect(pathOf(other)).toBe('/dashboard/users');
    await headingOf(page, 'API tokens').waitFor();
  });

  it('stay while Back closes a dialog, which asks before it discards what was entered', async () => {
    const { page } = await visit('tokens');
    await toSection(page, 'Users');
    await buttonOf(page, 'Create user').click();
    await page.goBack();
    await closed(page);
    await page.waitForURL('**/dashboard/users');

    await buttonOf(page, 'Create user').click();
    await fills(dialogOf(page), { Name: 'Ada' });
    await page.goBack();
    await dialogButton(page, 'Keep editing').click();
    expect(await dialogOf(page).getByLabel('Name').inputValue()).toBe('Ada');
    await page.waitForURL('**/dashboard/users');
    await page.goBack();
    await dialogButton(page, 'Discard changes').click();
    await closed(page);
    await page.waitForURL('**/dashboard/users');
    await page.goBack();
    await headingOf(page, 'API tokens').waitFor();
  });

  it('of nothing that there is say so', async () => {
    const { page } = await visit('groups');
    await page.evaluate(
      `history.replaceState({ index: 0 }, '', 'groups/a/b'); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await headingOf(page, 'Nothing is here').waitFor();
    await page.getByRole('link', { name: 'Go to the first page' }).click();
    await headingOf(page, 'Nothing is here').waitFor({ state: 'detached' });
    expect(pathOf(page)).toBe('/dashboard');
  });

  it.each(['/dashboard/', '/dashboard/users'])('work behind a gateway at %s', async (path) => {
    const { url, close } = await startGateway(service().url, '/people/directory');
    const { page, requestedUrls } = await open();
    const api = await service().client();
    await api.createUser({ name: 'Ada Lovelace' });
    await page.goto(url + path);
    await signIn(page, api.tokenValue);
    await toSection(page, 'Users');
    await page.getByText('Ada Lovelace', { exact: true }).waitFor();
    expect(
      requestedUrls.filter((requested) => !requested.startsWith(url) && !requested.startsWith('data:')),
    ).toEqual([]);
    expect(pathOf(page)).toBe('/people/directory/dashboard/users');
    close();
  });

  it('work in a host application, which a command of the page names', async () => {
    const host = await startHost([UserManagementModule.forRoot(OPTIONS)]);
    const { page } = await open();
    try {
      const { id } = await host.app.get(OrganizationsService).create('Test');
      const { value } = await host.app.get(TokensService).create(id, { name: 'Test', scopes: ['admin'] });
      await page.goto(`${host.url}/backend/internal/dashboard/tokens`);
      await signIn(page, value);
      await buttonOf(page, 'Create token').click();
      await submits(page, 'Create token', { Name: 'CI', 'users:read': true });
      const command = await page.getByRole('textbox', { name: 'Try it' }).inputValue();
      expect(command).toMatch(
        `curl '${host.url}/backend/internal/api/v1/users' -H 'Authorization: Bearer umt_`,
      );
      await dialogButton(page, 'Done').click();
      await dialogButton(page, 'I have saved it').click();
      await closed(page);
    } finally {
      await page.close(); // it may still send requests
      await host.close();
    }
  });

  it('begin with the one that the first start prints, whose token the page warns about', async () => {
    const { env, drop } = await emptyDirectory();
    const running = await start({ DATA_DIR: env.DATA_DIR, DATABASE_URL: '' });
    const { page } = await open();
    try {
      const [, address] = /^Dashboard: (.*)$/m.exec(running.stdout())!;
      const [token] = /umt_\w{38}/.exec(running.stdout())!;
      await page.goto(address);
      await signIn(page, token);
      await page.getByRole('complementary', { name: 'Bootstrap token' }).waitFor();
    } finally {
      await page.close(); // it may still send requests
      await stop(running);
      await drop();
    }
  });
});

describeInBrowser('the rate limit in the dashboard', () => {
  const { visit } = useDashboard({ RATE_LIMIT_PER_MINUTE: '7' });
  const USED_UP = "Too many requests: the token's rate limit is used up.";

  it('is shown when it is low, and a list retries when a used-up limit resets', async () => {
    const { page, requestedUrls, expectErrors } = await visit('tokens', undefined, { hasClock: true });
    expectErrors(429);
    await page.getByRole('table').waitFor();
    const filterBy = (state: string) =>
      Promise.all([page.waitForResponse('**/tokens?**'), page.getByRole('radio', { name: state }).check()]);
    await filterBy('active');
    await shows(page, '1 token on this page');
    expect(await page.getByText('requests left').count()).toBe(0);
    await filterBy('expired');
    await shows(page, '1 of 7 requests left');
    await filterBy('revoked');
    await filterBy('all');
    const message = page.getByText(USED_UP);
    await message.waitFor();
    const secondsOf = async () => Number(/in (\d+) s/.exec(await message.innerText())![1]);
    const before = await secondsOf();
    expect(before).toBeGreaterThan(20);
    await page.clock.fastForward(10_000);
    await until(async () => (await secondsOf()) <= before - 10);
    expect(await message.innerText()).toMatch(/It resets at \d+:\d\d:\d\d [AP]M/);
    // At the reset the page retries by itself.
    const count = requestedUrls.length;
    const retry = page.waitForRequest('**/tokens?**');
    await page.clock.fastForward(60_000);
    await retry;
    expect(requestedUrls.length).toBeGreaterThan(count);
  });

  it('is reported in a form, which keeps the input', async () => {
    const { page, api, expectErrors } = await visit('tokens');
    expectErrors(429);
    await buttonOf(page, 'Create token').click();
    for (let i = 0; i < 7; i++) await api.get('/v1/tokens/current');
    await submits(page, 'Create token', { Name: 'Typed' });
    await shows(page, USED_UP);
    expect(await dialogOf(page).getByLabel('Name').inputValue()).toBe('Typed');
  });
});
