/**
 * @slow it drives a browser
 * @only embedded postgres: the document does not depend on the database
 */
import type { Page } from 'playwright-core';
import { faultsInEveryVariant } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import { tokensIn, useDashboard } from '../support/dashboard';
import { startGateway } from '../support/gateway';
import { until } from '../support/until';

/** Where the markup of Swagger UI misses WCAG 2.2 AA, which no setting and no style changes. */
const IN_MARKUP = {
  'nested-interactive': 'the path of an operation is a link inside its button',
  'button-name': 'the button that closes the dialog is an icon',
  label: 'the field of a body has no label',
  'select-name': 'neither has the list of a parameter',
  'label-content-name-mismatch': 'the buttons of the dialog have other names than their texts',
  'scrollable-region-focusable': 'what scrolls is no stop of the Tab key, unless the browser makes it one',
};

/** The operation that this link opens. */
const operation = (page: Page, link: string) =>
  page.locator('.opblock', { has: page.locator(`a[href="${link}"]`) });
const summary = (page: Page, link: string) => operation(page, link).locator('.opblock-summary-control');
const LIST = '#/Users/users.list';
const CREATE = '#/Users/users.create';
const ROTATE = '#/Tokens/tokens.rotate';
const LIVE = '#/Health/health.live';

/** Closes the dialog. Each of its schemes has a button for that. */
const closeDialog = (page: Page) => page.getByRole('button', { name: 'Close', exact: true }).first().click();

/** Enters a token in the dialog. */
async function authorize(page: Page, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize', exact: true }).click();
  await page.getByLabel('auth-bearer-value').first().fill(value); // the second is the operator's
  await page.getByRole('button', { name: 'Apply credentials', exact: true }).first().click();
  await page.getByRole('button', { name: 'Remove authorization', exact: true }).waitFor();
  await closeDialog(page);
}

/** Sends the request of an open operation, and returns the status of the response. */
async function execute(page: Page, link: string): Promise<string> {
  const block = operation(page, link);
  await block.getByRole('button', { name: 'Try it out' }).click();
  await block.getByRole('button', { name: 'Execute' }).click();
  return block.locator('.live-responses-table tbody .response-col_status').innerText();
}

describeInBrowser('the API reference', () => {
  const { service, open } = useDashboard();

  it.each(['', '/people/directory'])(
    'sends requests with a token that it forgets, below "%s"',
    async (path) => {
      const { url, close } = await startGateway(service().url, path);
      const { page, requestedUrls, expectErrors } = await open();
      const api = await service().client();
      await api.createUser({ name: 'Ada Lovelace' });

      await page.goto(`${url}/docs`);
      await summary(page, LIST).click();
      await authorize(page, api.tokenValue);
      expect(await execute(page, LIST)).toBe('200');
      await operation(page, LIST).locator('.live-responses-table').getByText('"Ada Lovelace"').waitFor();
      expect(requestedUrls.at(-1)).toMatch(`${url}/api/v1/users?`);
      expect(requestedUrls.filter((requested) => !requested.startsWith(`${url}/`))).toEqual([]);

      const state = await page.context().storageState({ indexedDB: true });
      expect(state).toEqual({ cookies: [], origins: [] });
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      await page.reload();
      await summary(page, LIST).waitFor();
      expect(await tokensIn(page)).not.toContain(api.tokenValue);
      expectErrors(401);
      expect(await execute(page, LIST)).toMatch(/^401/);
      await page.close();
      close();
    },
  );

  it('exchanges the value of a token, below the path of a gateway', async () => {
    const { url, close } = await startGateway(service().url, '/people/directory');
    const { page, requestedUrls } = await open();
    const api = await service().client({ scopes: ['users:read', 'users:write'] });
    await page.goto(`${url}/docs`);
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    await page.getByLabel('client_id:').fill(api.tokenId);
    await page.getByLabel('client_secret:').fill(api.tokenValue);
    await page.locator('.scopes label', { hasText: 'users:read' }).click();
    await page.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click();
    await page.getByRole('button', { name: 'Remove authorization' }).waitFor();
    expect(requestedUrls.at(-1)).toBe(`${url}/oauth/token`);
    await closeDialog(page);
    await summary(page, LIST).click();
    expect(await execute(page, LIST)).toBe('200');
    await page.close();
    close();
  });

  it('asks the browser not to remember what is typed', async () => {
    const { page } = await open();
    await page.goto(`${service().url}/docs`);
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    for (const label of ['auth-bearer-value', 'client_id:', 'client_secret:'])
      for (const field of await page.getByLabel(label).all())
        expect(await field.getAttribute('autocomplete')).toBe('off');
  });

  it('opens the operation of a link, and has a link for the operation that is opened', async () => {
    const { page } = await open();
    await page.goto(`${service().url}/docs${ROTATE}`);
    await operation(page, ROTATE).getByRole('button', { name: 'Try it out' }).waitFor();
    expect(await page.locator('.opblock.is-open').count()).toBe(1);
    await summary(page, LIVE).click();
    await page.waitForURL(`**/docs${LIVE}`);
  });

  it('shows the first operation in the first screen, with the button, and folds the guide', async () => {
    const { page } = await open({ viewport: { width: 1280, height: 900 } });
    await page.goto(`${service().url}/docs`);
    const { y, height } = (await operation(page, LIST).boundingBox())!;
    expect(y + height).toBeLessThan(600);
    const { y: top } = (await page.getByRole('button', { name: 'Authorize', exact: true }).boundingBox())!;
    expect(top).toBeLessThan(y);
    for (const text of ['Servers', 'Contact'])
      expect(await page.getByText(text, { exact: false }).locator('visible=true').count()).toBe(0);
    const heading = page.getByRole('heading', { name: 'Rate limit' });
    expect(await heading.isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Guide' }).click();
    await heading.waitFor();
    expect(await page.evaluate('document.activeElement.localName')).toBe('summary');
  });

  it('has the font of the dashboard, and a way back to it, below the path of a gateway', async () => {
    const { url, close } = await startGateway(service().url, '/people/directory');
    const { page, requestedUrls } = await open();
    await page.goto(`${url}/docs`);
    await summary(page, LIST).waitFor();
    const font = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).fontFamily`);
    for (const selector of ['body', '.info p', '.opblock-summary-description'])
      expect(await font(selector)).toMatch(/^"Inter Variable"/);
    expect(await page.evaluate(`document.fonts.check('14px "Inter Variable"')`)).toBe(true);
    expect(requestedUrls).toContain(`${url}/docs/inter.woff2`);
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.waitForURL(`${url}/dashboard`);
    await page.getByLabel('Admin token').waitFor();
    await page.close();
    close();
  });

  it('works with the keyboard', async () => {
    const { page } = await open();
    await page.goto(`${service().url}/docs`);
    await summary(page, LIST).waitFor();
    const focused = () =>
      page.evaluate<string>(
        `document.activeElement.querySelector('a[href^="#/"]')?.getAttribute('href') ?? document.activeElement.innerText`,
      );
    const stops: string[] = [];
    while (stops.at(-1) !== LIST) {
      expect(stops.length).toBeLessThan(20);
      await page.keyboard.press('Tab');
      stops.push(await focused());
    }
    expect(stops).toContain('Authorize');
    await page.keyboard.press('Enter');
    await operation(page, LIST).getByRole('button', { name: 'Try it out' }).waitFor();
    expect(await summary(page, LIST).getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('Enter');
    await operation(page, LIST).getByRole('button', { name: 'Try it out' }).waitFor({ state: 'detached' });
  });

  it('is dark when the system is', async () => {
    const { page } = await open({ colorScheme: 'dark' });
    await page.goto(`${service().url}/docs`);
    await summary(page, LIST).waitFor();
    const luminance = async () => {
      const colour = await page.evaluate<string>(
        `getComputedStyle(document.documentElement).backgroundColor`,
      );
      return Math.max(...colour.match(/\d+/g)!.slice(0, 3).map(Number));
    };
    expect(await page.evaluate('document.documentElement.className')).toBe('dark-mode');
    expect(await luminance()).toBeLessThan(64);
    await page.emulateMedia({ colorScheme: 'light' });
    // The policy of the page forbids waitForFunction(), which evaluates text in it.
    await until(async () => (await page.evaluate('document.documentElement.className')) === '');
  });

  it('meets WCAG 2.2 AA, but for the markup of Swagger UI', async () => {
    for (const [rule, reason] of Object.entries(IN_MARKUP))
      process.stdout.write(`Not checked in /docs: ${rule}, because ${reason}.\n`);
    const { page } = await open();
    const api = await service().client();
    await page.goto(`${service().url}/docs${CREATE}`);
    await operation(page, CREATE).getByRole('button', { name: 'Try it out' }).waitFor();
    await summary(page, LIST).click();
    await operation(page, LIST).getByRole('button', { name: 'Try it out' }).waitFor();
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    const faults = await faultsInEveryVariant(page);
    await closeDialog(page);
    await authorize(page, api.tokenValue);
    await execute(page, CREATE);
    faults.push(...(await faultsInEveryVariant(page)));

    const isOf = (rule: string) => (fault: string) => fault.includes(` px: ${rule} `);
    const rules = Object.keys(IN_MARKUP);
    expect(faults.filter((fault) => !rules.some((rule) => isOf(rule)(fault)))).toEqual([]);
    expect(rules.filter((rule) => !faults.some(isOf(rule)))).toEqual([]);
  });
});
