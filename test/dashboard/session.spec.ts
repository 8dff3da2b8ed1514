/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { OrganizationsService, TokensService } from '../../src';
import { meetsWcag } from '../support/accessibility';
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
  hold,
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
import { startGateway } from '../support/gateway';
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
    await meetsWcag(page);
    await page.getByLabel('Admin token').fill('hunter2');
    await buttonOf(page, 'Sign in').click();
    await shows(page, 'Admin token must have 42 characters and start with umt_.');
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
      [reader.tokenValue, 'Admin token must have the scope admin; “Test” has only users:read, users:write.'],
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

  it('does not keep the token in storage, cookies or URLs, and forgets it on a reload and at sign-out', async () => {
    const { page, requestedUrls, api } = await visit('tokens');
    await toSection(page, 'Users');
    expect(await page.evaluate(STORED)).toEqual(NOTHING_STORED);
    expect(await page.context().cookies()).toEqual([]);
    expect(await tokensIn(page)).toEqual([]);
    expect(requestedUrls.filter((url) => url.includes(api.tokenValue))).toEqual([]);

    await page.reload();
    await buttonOf(page, 'Sign in').waitFor();
    expect(await page.getByLabel('Admin token').inputValue()).toBe('');
    await signIn(page, api.tokenValue);
    await buttonOf(page, 'Sign out').click();
    await shows(page, 'You are signed out');
    expect(await page.getByLabel('Admin token').inputValue()).toBe('');
    expect(await page.getByRole('table').count()).toBe(0);
    await meetsWcag(page);
  });

  it('says before the first reload that it ends the session, until somebody has read it', async () => {
    const { page, api } = await visit('tokens', undefined, {});
    const note = page.getByText('Reloading this page signs you out.');
    await note.waitFor();
    await meetsWcag(page);
    await page.reload();
    await signIn(page, api.tokenValue);
    await note.waitFor();
    await buttonOf(page, 'Got it').click();
    await focusOn(headingOf(page, 'API tokens'));
    expect(await note.count()).toBe(0);
    await page.reload();
    await signIn(page, api.tokenValue);
    await headingOf(page, 'API tokens').waitFor();
    expect(await note.count()).toBe(0);
  });

  it('says where a token comes from, and for which host it is', async () => {
    const { page } = await open();
    await page.goto(`${service().url}/dashboard`);
    await shows(page, new URL(service().url).host);
    expect(await page.title()).toBe('User Management');
    await page.getByText('Where do I find a token?').click();
    await shows(page, 'The first start of the service prints one.', 'ums tokens create');
  });

  it('ends when the page is left, even if the browser caches the page', async () => {
    const { page } = await visit('tokens');
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
    await page.getByRole('table').waitFor();
    const now = (await page.evaluate('Date.now()')) as number;
    await page.clock.setSystemTime(now + 31 * 60_000); // runs no timers
    await page.keyboard.press('Shift');
    await shows(page, '30 minutes of inactivity');
  });

  it('ends at a 401 in a form, and goes on at the same place with another token', async () => {
    const { page, api, expectErrors } = await visit('users', (api) => api.createUser({ name: 'Ada' }));
    const other = await service().client({ organizationId: api.organizationId });
    expectErrors(401);
    await fills(page, { Role: 'Member' });
    await shows(page, /^1 user$/);
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
    await shows(page, /^1 user$/);
    expect(new URL(page.url()).search).toBe('?role=member');
    expect(await namesOf(page)).toEqual(['Ada']);
  });

  it('ends, and says why, when its organization is suspended meanwhile', async () => {
    const { page, api, expectErrors } = await visit('tokens');
    await page.getByRole('table').waitFor();
    await service().app.get(OrganizationsService).suspend(api.organizationId);
    expectErrors(403);
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await shows(page, 'You were signed out because your organization is suspended.');
    expect(await buttonOf(page, 'Search …').count()).toBe(0);
  });
});

describeInBrowser('a dashboard with a title', () => {
  const TITLE = 'Acme – <Staging> & "more"';
  const { visit } = useDashboard({ DASHBOARD_TITLE: TITLE });

  it('has it on the page of signing in, in the navigation and in the title of the window', async () => {
    const { page } = await visit('tokens');
    await shows(page.locator('.organization'), 'Test', TITLE);
    await until(async () => (await page.title()) === `Test · ${TITLE} · User Management`);
    await buttonOf(page, 'Sign out').click();
    await shows(page.locator('.sign-in'), TITLE);
    expect(await page.title()).toBe(`${TITLE} · User Management`);
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
    await shows(page, 'This session', /\d+ of 1,000 used in this minute/);
    await page.route('**/rotate', (route) => route.fulfill({ status: 201, json: body }));
    await chooseAction(page, 'Rotate', 'Test');
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
    await page.keyboard.press('e');
    expect(await page.getByRole('button', { name: /^(Edit|Save)/ }).count()).toBe(0);
    await buttonOf(page, 'Actions').click();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Copy as JSON']);
    expect(await page.getByRole('heading', { name: 'Activity' }).count()).toBe(0);

    await toSection(page, 'Settings');
    await shows(page, 'The limits of the service are shown to people with the scope admin.');
    await shows(panelOf(page, 'Organization'), api.organizationId);
    await shows(panelOf(page, 'Signed in'), 'Reader', 'users:read');
    expect(requestedUrls.slice(before).filter((url) => url.includes('v1/settings'))).toEqual([]);
  });
});

describeInBrowser('the addresses of the dashboard', () => {
  const { service, open, visit } = useDashboard();

  it('change with the page, so that Back, Forward, a reload and another tab show what was there', async () => {
    const { page, api } = await visit('tokens', undefined, {});
    for (const name of ['Users', 'Groups']) {
      await toSection(page, name);
      expect(pathOf(page)).toBe(`/dashboard/${name.toLowerCase()}`);
      expect(await page.locator('nav [aria-current=page]').allInnerTexts()).toEqual([name]);
    }
    await page.goBack();
    await focusOn(headingOf(page, 'Users'));
    await page.goBack();
    await headingOf(page, 'API tokens').waitFor();
    await page.goForward();
    await headingOf(page, 'Users').waitFor();
    await page.reload();
    await signIn(page, api.tokenValue);
    await focusOn(headingOf(page, 'Users'));
    const [other] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Groups' }).click({ modifiers: ['ControlOrMeta'] }),
    ]);
    await buttonOf(other, 'Sign in').waitFor();
    expect([pathOf(other), pathOf(page)]).toEqual(['/dashboard/groups', '/dashboard/users']);

    await showAt(page, 'groups/a/b');
    await headingOf(page, 'Nothing is here').waitFor();
    await page.getByRole('link', { name: 'Go to the first page' }).click();
    await headingOf(page, 'Overview').waitFor();
    expect(pathOf(page)).toBe('/dashboard');
  });

  it('show a page that arrives between the click and the next frame', async () => {
    const { page } = await open({ hasClock: true });
    const { tokenValue } = await service().client();
    const release = await hold(page, '**/later-pages-*.js');
    const script = page.waitForRequest('**/later-pages-*.js'); // asked for when the first page is shown
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

  it('work behind a gateway, whose path a command of the page has', async () => {
    const { url, close } = await startGateway(service().url, '/people/directory');
    const { page, requestedUrls } = await open();
    const api = await service().client();
    await api.createUser({ name: 'Ada Lovelace' });
    await page.goto(`${url}/dashboard/users`);
    await signIn(page, api.tokenValue);
    await page.getByText('Ada Lovelace', { exact: true }).waitFor();
    expect(
      requestedUrls.filter((requested) => !requested.startsWith(url) && !requested.startsWith('data:')),
    ).toEqual([]);
    await toSection(page, 'API tokens');
    expect(pathOf(page)).toBe('/people/directory/dashboard/tokens');
    await buttonOf(page, 'Create token').click();
    await submits(page, 'Create token', { Name: 'CI', 'users:read': true });
    const command = await page.getByRole('textbox', { name: 'Try it' }).inputValue();
    expect(command).toContain(`curl '${url}/api/v1/users' -H 'Authorization: Bearer umt_`);
    await page.close(); // it may still send requests
    close();
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

  it('is shown when it is low; when it is used up, a list retries at its reset, and a form keeps the input', async () => {
    const { page, api, requestedUrls, expectErrors } = await visit('tokens', undefined, { hasClock: true });
    expectErrors(429);
    await page.getByRole('table').waitFor();
    const filterBy = (state: string) =>
      Promise.all([page.waitForResponse('**/tokens?**'), page.getByRole('radio', { name: state }).check()]);
    await filterBy('active');
    await shows(page, '1 token on this page');
    await filterBy('expired');
    await shows(page, '1 of 7 requests left');
    await filterBy('revoked');
    await filterBy('all');
    const message = page.getByText(USED_UP);
    await message.waitFor();
    await meetsWcag(page);
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

    await buttonOf(page, 'Create token').click();
    for (let i = 0; i < 7; i++) await api.get('/v1/tokens/current');
    await submits(page, 'Create token', { Name: 'Typed' });
    await dialogOf(page).getByText(USED_UP).waitFor();
    expect(await dialogOf(page).getByLabel('Name').inputValue()).toBe('Typed');
  });
});
