/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import { dialogButton, signIn, useDashboard } from '../support/dashboard';

describeInBrowser('the addresses of the dashboard', () => {
  const { service, open, visit } = useDashboard();
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true });
  const pathOf = (page: Page) => new URL(page.url()).pathname;

  it('can be opened, reloaded and shared: the page asks for the token and shows what is there', async () => {
    const { page } = await open();
    const { tokenValue } = await service().client();
    for (const [path, title] of [
      ['users', 'Users'],
      ['tokens', 'API tokens'],
      ['groups', 'Groups'],
      ['deleted', 'Deleted users'],
      ['webhooks', 'Webhooks'],
      ['activity', 'Activity'],
    ]) {
      await page.goto(`${service().url}/dashboard/${path}`);
      await signIn(page, tokenValue);
      await heading(page, title).and(page.locator(':focus')).waitFor();
      expect(pathOf(page)).toBe(`/dashboard/${path}`);
      expect(await page.locator('nav [aria-current=page]').count()).toBe(1);
    }
    await page.reload();
    await signIn(page, tokenValue);
    await heading(page, 'Activity').waitFor();
  });

  it('change with the page, so that Back and Forward work', async () => {
    const { page } = await visit();
    for (const name of ['Users', 'Groups']) {
      await page.getByRole('link', { name }).click();
      await heading(page, name).waitFor();
      expect(pathOf(page)).toBe(`/dashboard/${name.toLowerCase()}`);
    }
    await page.goBack();
    await heading(page, 'Users').and(page.locator(':focus')).waitFor();
    await page.goBack();
    await heading(page, 'API tokens').waitFor();
    await page.goForward();
    await heading(page, 'Users').waitFor();
    expect(pathOf(page)).toBe('/dashboard/users');
  });

  it('show a page that arrives between the click and the next frame', async () => {
    const { page } = await open();
    const { tokenValue } = await service().client();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/webhooks-page-*.js', async (route) => {
      await held;
      await route.continue();
    });
    await page.clock.install();
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
    await heading(page, 'Webhooks').waitFor();
  });

  it('open in another tab, as links do', async () => {
    const { page } = await visit();
    const [other] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Users' }).click({ modifiers: ['ControlOrMeta'] }),
    ]);
    await other.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(pathOf(other)).toBe('/dashboard/users');
    await heading(page, 'API tokens').waitFor();
  });

  it('stay while Back closes a dialog, which asks before it discards what was entered', async () => {
    const { page } = await visit();
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('button', { name: 'Create user' }).click();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForURL('**/dashboard/users');

    await page.getByRole('button', { name: 'Create user' }).click();
    await page.getByLabel('Name').fill('Ada');
    await page.goBack();
    await dialogButton(page, 'Keep editing').click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
    await page.waitForURL('**/dashboard/users');
    await page.goBack();
    await dialogButton(page, 'Discard changes').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForURL('**/dashboard/users');
    await page.goBack();
    await heading(page, 'API tokens').waitFor();
  });

  it('of nothing that there is say so', async () => {
    const { page } = await open();
    const { tokenValue } = await service().client();
    await page.goto(`${service().url}/dashboard/groups`);
    await signIn(page, tokenValue);
    await page.evaluate(
      `history.replaceState({ index: 0 }, '', 'groups/a/b'); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await heading(page, 'Nothing is here').waitFor();
    await page.getByRole('link', { name: 'Go to the first page' }).click();
    await heading(page, 'Nothing is here').waitFor({ state: 'detached' });
    expect(pathOf(page)).toBe('/dashboard');
  });
});
