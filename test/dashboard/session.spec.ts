/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { OrganizationsService, TokensService, UserManagementModule } from '../../src';
import { describeInBrowser } from '../support/browser';
import { dialogButton, signIn, tokensIn, toUsers, useDashboard } from '../support/dashboard';
import { emptyDirectory } from '../support/database';
import { OPTIONS } from '../support/embedding';
import { startGateway } from '../support/gateway';
import { startHost } from '../support/host';
import { start, stop } from '../support/process';

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

describeInBrowser('a session of the dashboard', () => {
  const { service, open, visit } = useDashboard();

  it.each([
    ['', 'Admin token is required.'],
    ['hunter2', 'Admin token is not an API token. Tokens start with umt_ and have 42 characters.'],
  ])('does not send a value that is not a token: %j', async (text, error) => {
    const { page, requestedUrls } = await open();
    await page.goto(`${service().url}/dashboard`);
    await page.getByLabel('Admin token').fill(text);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(error).waitFor();
    expect(requestedUrls.filter((url) => url.includes('/api/'))).toEqual([]);
  });

  it('begins with the focus on the heading of its section', async () => {
    for (const [section, heading] of [
      ['/tokens', 'API tokens'],
      ['/users', 'Users'],
    ]) {
      const { page } = await open();
      const { tokenValue } = await service().client();
      await page.goto(`${service().url}/dashboard${section}`);
      await page.getByLabel('Admin token').fill(tokenValue);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: heading }).and(page.locator(':focus')).waitFor();
    }
  });

  it('does not start with an invalid token', async () => {
    const { page, expectErrors } = await open();
    expectErrors(401);
    await page.goto(`${service().url}/dashboard`);
    await page.getByLabel('Admin token').fill(`umt_${'0'.repeat(38)}`);
    await page.keyboard.press('Enter');
    await page.getByText('Admin token is not valid: it is unknown, expired or revoked.').waitFor();
    expect(await page.getByLabel('Admin token').getAttribute('aria-invalid')).toBe('true');
  });

  it('requires the scope admin, and shows the scopes of another token', async () => {
    const reader = await service().client({ scopes: ['users:read', 'users:write'] });
    const { page } = await open();
    await page.goto(`${service().url}/dashboard`);
    await page.getByLabel('Admin token').fill(reader.tokenValue);
    await page.keyboard.press('Enter');
    await page
      .getByText('The dashboard requires the scope admin; this token has users:read, users:write.')
      .waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
  });

  it('starts with a form that password managers understand', async () => {
    const { page } = await open();
    await page.goto(`${service().url}/dashboard`);
    const fields = await page.evaluate(
      `[...document.querySelectorAll('form[method=post] input')].map(({ type, autocomplete }) => [type, autocomplete])`,
    );
    expect(fields).toEqual([
      ['text', 'username'],
      ['password', 'current-password'],
    ]);
  });

  it('does not keep the token in storage, cookies or URLs, and forgets it on a reload', async () => {
    const { page, requestedUrls, api } = await visit();
    await toUsers(page);
    expect(await page.evaluate(STORED)).toEqual(NOTHING_STORED);
    expect(await page.context().cookies()).toEqual([]);
    expect(await tokensIn(page)).toEqual([]);
    expect(requestedUrls.filter((url) => url.includes(api.tokenValue))).toEqual([]);

    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.getByLabel('Admin token').inputValue()).toBe('');
  });

  it('ends at sign-out', async () => {
    const { page } = await visit();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out').waitFor();
    expect(await page.getByLabel('Admin token').inputValue()).toBe('');
    expect(await page.getByRole('table').count()).toBe(0);
  });

  it('ends when the page is left, even if the browser caches the page', async () => {
    const { page } = await visit();
    await page.goto('about:blank');
    await page.goBack();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();

    const other = await visit();
    const transition = (type: string) =>
      other.page.evaluate(`dispatchEvent(new PageTransitionEvent('${type}', { persisted: true }))`);
    await transition('pagehide');
    expect(await other.page.evaluate('document.body.innerText')).toBe('');
    await transition('pageshow');
    await other.page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  it('ends after 30 minutes of inactivity', async () => {
    const { page } = await visit({}, (_api, page) => page.clock.install());
    await page.clock.fastForward('29:00');
    await page.keyboard.press('Shift');
    await page.clock.fastForward('29:00');
    expect(await page.getByRole('table').count()).toBe(1);
    await page.clock.fastForward('01:01');
    await page.getByText('30 minutes of inactivity').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
  });

  it('ends at the first activity if the computer slept for 30 minutes', async () => {
    const { page } = await visit({}, (_api, page) => page.clock.install());
    await page.clock.setSystemTime(Date.now() + 31 * 60_000); // runs no timers
    await page.keyboard.press('Shift');
    await page.getByText('30 minutes of inactivity').waitFor();
  });

  it.each(['API tokens', 'Users'])('ends at a 401 in the section %s', async (section) => {
    const { page, api, expectErrors } = await visit();
    expectErrors(401);
    if (section === 'Users') await toUsers(page);
    await page.getByText(section === 'Users' ? 'No users on this page' : '1 token').waitFor();
    await service().app.get(TokensService).revoke(api.organizationId, api.tokenId);
    if (section === 'Users') await page.getByLabel('Search').fill('ada');
    else await page.getByRole('radio', { name: 'Expired' }).click();
    await page.getByText('the token was revoked or has expired').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
  });

  it('ends at a 401 in a form', async () => {
    const { page, api, expectErrors } = await visit();
    expectErrors(401);
    await toUsers(page);
    await page.getByText('No users on this page').waitFor();
    await page.getByRole('button', { name: 'Create user' }).click();
    await service().app.get(TokensService).revoke(api.organizationId, api.tokenId);
    await dialogButton(page, 'Create user').click();
    await page.getByText('the token was revoked or has expired').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});

describeInBrowser('the dashboard', () => {
  const { service, open } = useDashboard();
  it.each(['/dashboard', '/dashboard/', '/dashboard/users'])('works behind a gateway at %s', async (path) => {
    const { url, close } = await startGateway(service().url, '/people/directory');
    const { page, requestedUrls } = await open();
    const api = await service().client();
    await api.createUser({ name: 'Ada Lovelace' });
    await page.goto(url + path);
    await signIn(page, api.tokenValue);
    await toUsers(page);
    await page.getByText('Ada Lovelace', { exact: true }).waitFor();
    expect(
      requestedUrls.filter((requested) => !requested.startsWith(url) && !requested.startsWith('data:')),
    ).toEqual([]);
    expect(new URL(page.url()).pathname).toBe('/people/directory/dashboard/users');
    close();
  });

  it('works in a host application, and shows a command with its address', async () => {
    const host = await startHost([UserManagementModule.forRoot(OPTIONS)]);
    const { page } = await open();
    try {
      const { id } = await host.app.get(OrganizationsService).create('Test');
      const { value } = await host.app.get(TokensService).create(id, { name: 'Test', scopes: ['admin'] });
      await page.goto(`${host.url}/backend/internal/dashboard/tokens`);
      await signIn(page, value);
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByLabel('Name').fill('CI');
      await page.getByRole('checkbox', { name: 'users:read' }).check();
      await dialogButton(page, 'Create token').click();
      const command = await page.getByRole('textbox', { name: 'Try it' }).inputValue();
      expect(command).toMatch(
        `curl '${host.url}/backend/internal/api/v1/users' -H 'Authorization: Bearer umt_`,
      );
      await dialogButton(page, 'Done').click();
      await dialogButton(page, 'I have saved it').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    } finally {
      await page.close(); // it may still send requests
      await host.close();
    }
  });

  it('is at the address that the first start prints, accepts the printed token and warns about it', async () => {
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
