import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describeInBrowser } from './support/browser';
import type { Client } from './support/client';
import { inDialog, toUsers, useDashboard } from './support/dashboard';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const WCAG_2_2_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

const LOOKS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 320].map((width) => ({ colorScheme, width })),
);

/** What a list answers instead. */
const problem = (status: number, code: string) => ({
  status,
  headers: { 'Retry-After': '40', 'Content-Type': 'application/problem+json' },
  body: JSON.stringify({ title: code, status, code, detail: 'The service failed.', requestId: 'some-id' }),
});

/** One of everything that a list can show. */
async function furnish(api: Client): Promise<void> {
  const make = (body: object) => api.post('/v1/tokens', body).expect(201);
  await make({ name: 'Bootstrap', scopes: ['admin'] });
  await make({ name: 'Soon', scopes: ['users:read', 'users:write', 'users:delete'], expiresIn: '3d' });
  const { body } = await make({ name: `Long${'name'.repeat(20)}`, scopes: ['users:read'] });
  await api.delete(`/v1/tokens/${body.id}`).expect(204);
  await api.createUser({ name: 'Ada', metadata: { plan: 'pro', seats: 5, tags: ['a'] } });
  await api.createUser({ name: 'x'.repeat(200), email: `${'x'.repeat(60)}@${'y'.repeat(60)}.example` });
}

/** Goes through every state that the page has, and lets each be looked at. */
async function walk(page: Page, { tokenValue }: Client, url: string, look: (state: string) => Promise<void>) {
  await page.goto(url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Admin token is missing.').waitFor();
  await look('a sign-in that failed');

  await page.getByLabel('Admin token').fill(tokenValue);
  await page.keyboard.press('Enter');
  await page.getByText('4 tokens on this page').waitFor();
  await page.getByRole('complementary').waitFor();
  await look('tokens');
  await page.getByRole('radio', { name: 'expired' }).check();
  await page.getByText('No token is expired.').waitFor();
  await look('no tokens');
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByLabel('Expiry').selectOption('never');
  await inDialog(page, 'Create token').click();
  await page.getByText('Name must not be empty.').waitFor();
  await look('a token with faults');
  await page.getByLabel('Expiry').selectOption('custom');
  await page.getByLabel('Name').fill('New');
  await page.getByLabel('Days').fill('20');
  await page.getByRole('checkbox', { name: 'admin' }).check();
  await look('a token that is about to be');
  await inDialog(page, 'Create token').click();
  await page.getByRole('textbox', { name: 'Value' }).waitFor();
  await page.getByRole('button', { name: 'Copy: Value' }).click();
  await page.getByText('Copied').waitFor();
  await look('the value of a token');
  await inDialog(page, 'Done').click();
  await look('the question whether it is stored');
  await inDialog(page, 'Yes, it is stored').click();
  await page.getByRole('radio', { name: 'all' }).check();
  await page.getByRole('button', { name: 'Revoke Test' }).click();
  await look('a revocation');
  await inDialog(page, 'Cancel').click();

  await page.route('**/api/v1/users?**', () => {});
  await toUsers(page);
  await look('users that are loading');
  await page.unroute('**/api/v1/users?**');
  await page.route('**/api/v1/users?**', (route) => route.fulfill(problem(500, 'internal_error')));
  await page.getByLabel('Rows').selectOption('100');
  await page.getByText('The service failed.').waitFor();
  await look('users that could not be loaded');
  await page.unroute('**/api/v1/users?**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('2 users on this page').waitFor();
  await look('users');
  await page.getByRole('button', { name: 'Edit Ada' }).click();
  await page.getByRole('button', { name: 'Add a key' }).click();
  await page.getByLabel('Value of row 4').fill('x');
  await page.getByLabel('Email').fill('nobody');
  await inDialog(page, 'Save changes').click();
  await page.getByText('The key must not be empty.').waitFor();
  await look('a user with faults');
  await inDialog(page, 'Cancel').click();
  await page.getByRole('button', { name: 'Delete Ada' }).click();
  await look('a deletion');
  await inDialog(page, 'Cancel').click();
  await page.getByLabel('Search').fill('nobody at all');
  await page.getByText('Nobody matches').waitFor();
  await look('nobody');
  await page.route('**/users/search?**', (route) => route.fulfill(problem(429, 'rate_limited')));
  await page.getByLabel('Search').fill('ada');
  await page.getByText('Too many requests').waitFor();
  await look('a limit that is used up');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out').waitFor();
  await look('the end');
}

describeInBrowser('the dashboard', () => {
  const { service, open } = useDashboard();

  it.each(LOOKS)(
    'keeps WCAG 2.2 AA in $colorScheme and $width px wide, in every state',
    async ({ colorScheme, width }) => {
      const { page, expectRefusals } = await open({ colorScheme, viewport: { width, height: 800 } });
      expectRefusals(400, 429, 500);
      await page.addInitScript({ content: axe });
      const api = await service().client();
      await furnish(api);
      const faults: string[] = [];

      await walk(page, api, `${service().url}/dashboard`, async (state) => {
        const { violations, passes } = await page.evaluate<{ violations: Violation[]; passes: object[] }>(
          `axe.run({ runOnly: ${JSON.stringify(WCAG_2_2_AA)} })`,
        );
        expect(passes.length).toBeGreaterThan(10);
        for (const { id, nodes } of violations) {
          for (const { html, failureSummary } of nodes)
            faults.push(`${state}: ${id} ${html} ${failureSummary}`);
        }
        // Nothing is wider than the window, so that nobody has to scroll in two directions.
        const excess: number = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        if (excess > 0) faults.push(`${state}: ${excess} px too wide`);
      });

      expect(faults).toEqual([]);
    },
  );
});

describeInBrowser('a keyboard alone', () => {
  const { service, open } = useDashboard();

  it('signs in, makes a token, copies and revokes it, and makes, finds, edits and deletes a user', async () => {
    const { page } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const api = await service().client();
    const { keyboard } = page;
    const focused = () => page.locator(':focus');
    /** Tabs on until the control has the focus; a person would not do so for ever. */
    const tabTo = async (role: Parameters<Page['getByRole']>[0], name: string | RegExp) => {
      const wanted = page.getByRole(role, { name, exact: typeof name === 'string' });
      for (let i = 0; i < 40; i++) {
        if ((await wanted.and(focused()).count()) > 0) return;
        await keyboard.press('Tab');
        // What has the focus can be seen to have it.
        expect(await page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`)).toBe('solid');
      }
      throw new Error(`The keyboard does not come to ${name}.`);
    };

    await page.goto(`${service().url}/dashboard`);
    await page.getByLabel('Admin token').and(focused()).waitFor();
    await keyboard.type(api.tokenValue);
    await keyboard.press('Enter');
    await page.getByText('1 token on this page').waitFor();

    await tabTo('button', 'Create token');
    await keyboard.press('Enter');
    await page.getByLabel('Name').and(focused()).waitFor();
    await keyboard.type('By hand');
    await tabTo('checkbox', 'users:read');
    await keyboard.press('Space');
    await tabTo('combobox', 'Expiry');
    await keyboard.press('ArrowUp');
    await keyboard.press('Tab');
    await tabTo('button', 'Create token');
    await keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Value' }).waitFor();
    await tabTo('button', 'Copy: Value');
    await keyboard.press('Enter');
    await page.getByText('Copied').waitFor();
    const value: string = await page.evaluate('navigator.clipboard.readText()');
    await keyboard.press('Escape');
    await tabTo('button', 'Yes, it is stored');
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BODY');
    const { body } = await api.get('/v1/tokens?limit=1').expect(200);
    expect(body.data[0]).toMatchObject({ name: 'By hand', scopes: ['users:read'], expiresIn: '30d' });
    expect(value).toMatch(new RegExp(`^${body.data[0].hint.replace('…', '.*')}$`));

    await tabTo('button', 'Revoke By hand');
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Cancel' }).and(focused()).waitFor();
    await keyboard.press('Escape');
    await page.getByRole('button', { name: 'Revoke By hand' }).and(focused()).waitFor();
    await keyboard.press('Enter');
    await tabTo('button', 'Revoke token');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'API tokens' }).and(focused()).waitFor();
    await page.getByRole('button', { name: 'Revoke By hand' }).waitFor({ state: 'detached' });

    await keyboard.press('Shift+Tab');
    await tabTo('button', 'Create token'); // past the heading, through the whole page
    for (let i = 0; i < 4; i++) await keyboard.press('Shift+Tab');
    await tabTo('link', 'Users');
    await keyboard.press('Enter');
    await page.getByText('No users on this page').waitFor();
    await tabTo('button', 'Create user');
    await keyboard.press('Enter');
    await page.getByLabel('Name').and(focused()).waitFor();
    await keyboard.type('Ada');
    await tabTo('textbox', 'Email');
    await keyboard.type('ada@example.com');
    await tabTo('button', 'Add a key');
    await keyboard.press('Enter');
    await page.getByLabel('Key 1').and(focused()).waitFor();
    await keyboard.type('plan');
    await tabTo('textbox', 'Value of plan');
    await keyboard.type('pro');
    await tabTo('button', 'Create user');
    await keyboard.press('Enter');
    await page.getByText('Created Ada').waitFor();
    await page.getByRole('button', { name: 'Create user' }).and(focused()).waitFor();

    await tabTo('searchbox', 'Search');
    await keyboard.type('ada');
    await page.getByText('Users found').waitFor();
    await tabTo('button', 'Edit Ada');
    await keyboard.press('Enter');
    await page.getByLabel('Name').and(focused()).waitFor();
    await tabTo('button', 'Remove plan');
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add a key' }).and(focused()).waitFor();
    await tabTo('button', 'Save changes');
    await keyboard.press('Enter');
    await page.getByText('Saved Ada').waitFor();
    await page.getByRole('button', { name: 'Edit Ada' }).and(focused()).waitFor();
    await tabTo('button', 'Delete Ada');
    await keyboard.press('Enter');
    await tabTo('button', 'Delete user');
    await keyboard.press('Enter');
    await page.getByText('Deleted Ada').waitFor();
    await page.getByRole('heading', { name: 'Users' }).and(focused()).waitFor();

    await keyboard.press('Shift+Tab');
    await tabTo('button', 'Sign out');
    await keyboard.press('Enter');
    await page.getByLabel('Admin token').and(focused()).waitFor();
  });
});
