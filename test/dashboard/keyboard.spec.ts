/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Locator, Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import { actionsOf, dialogButton, useDashboard } from '../support/dashboard';

describeInBrowser('the dashboard with the keyboard alone', () => {
  const { service, open, visitUsers } = useDashboard();

  it('can sign in, create, copy and revoke a token, and create, find, edit and delete a user', async () => {
    const { page } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const api = await service().client();
    const { keyboard } = page;
    const focused = () => page.locator(':focus');
    /** Presses Tab until the control has the focus, at most 40 times. */
    const tabTo = async (role: Parameters<Page['getByRole']>[0], name: string | RegExp) => {
      const control = page.getByRole(role, { name, exact: typeof name === 'string' });
      for (let i = 0; i < 40; i++) {
        if ((await control.and(focused()).count()) > 0) return;
        await keyboard.press('Tab');
        // The focus must be visible.
        expect(await page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`)).toBe('solid');
      }
      throw new Error(`${name} cannot be reached with Tab.`);
    };

    await page.goto(`${service().url}/dashboard/tokens`);
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
    await page.getByRole('textbox', { name: 'Token' }).waitFor();
    await tabTo('button', 'Copy: Token');
    await keyboard.press('Enter');
    await page.getByText('Copied').waitFor();
    const value: string = await page.evaluate('navigator.clipboard.readText()');
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BODY');
    const { body } = await api.get('/v1/tokens?limit=1').expect(200);
    expect(body.data[0]).toMatchObject({ name: 'By hand', scopes: ['users:read'], expiresIn: '30d' });
    expect(value).toMatch(new RegExp(`^${body.data[0].hint.replace('…', '.*')}$`));

    const revoke = async () => {
      for (const key of ['Enter', 'ArrowDown', 'Enter']) await keyboard.press(key);
      await page.getByRole('button', { name: 'Cancel' }).and(focused()).waitFor();
    };
    await actionsOf(page, 'By hand').waitFor();
    await tabTo('button', 'Actions for By hand');
    await revoke();
    await keyboard.press('Escape');
    await actionsOf(page, 'By hand').and(focused()).waitFor();
    await revoke();
    await tabTo('button', 'Revoke token');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'API tokens' }).and(focused()).waitFor();
    await actionsOf(page, 'By hand').waitFor({ state: 'detached' });

    await keyboard.press('Shift+Tab');
    await tabTo('button', 'Create token'); // from the heading on through the whole page
    for (let i = 0; i < 12; i++) await keyboard.press('Shift+Tab');
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
    await page.getByText('Search results').waitFor();
    await tabTo('button', 'Actions for Ada');
    for (const key of ['Enter', 'ArrowDown', 'Enter']) await keyboard.press(key);
    await page.getByLabel('Name').and(focused()).waitFor();
    await tabTo('button', 'Remove plan');
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add a key' }).and(focused()).waitFor();
    await tabTo('button', 'Save changes');
    await keyboard.press('Enter');
    await page.getByText('Saved Ada').waitFor();
    await actionsOf(page, 'Ada').and(focused()).waitFor();
    for (const key of ['ArrowUp', 'Enter']) await keyboard.press(key);
    await tabTo('button', 'Delete user');
    await keyboard.press('Enter');
    await page.getByText('Deleted Ada').waitFor();
    await page.getByRole('heading', { name: 'Users' }).and(focused()).waitFor();

    for (let i = 0; i < 8; i++) await keyboard.press('Shift+Tab');
    await tabTo('link', 'Activity');
    await keyboard.press('Enter');
    await page.getByText('Test deleted Ada').waitFor();
    await tabTo('combobox', 'Kind');
    await keyboard.type('Users changed');
    await page.getByText('1 entry').waitFor();
    while ((await page.locator('summary').and(focused()).count()) === 0) await keyboard.press('Tab');
    await keyboard.press('Enter');
    await page.getByRole('table', { name: 'Values' }).waitFor();
    await tabTo('button', 'Only what happened to this user');
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Show everything' }).and(focused()).waitFor();
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Activity' }).and(focused()).waitFor();

    for (let i = 0; i < 2; i++) await keyboard.press('Shift+Tab');
    await tabTo('button', 'Sign out');
    await keyboard.press('Enter');
    await page.getByLabel('Admin token').and(focused()).waitFor();
  });

  // Timers wait for the next frame, which may be late, and would then take the focus from a field that is typed in.
  it('has the focus in place before any timer', async () => {
    const { page } = await visitUsers();
    /** Clicks, and describes what has the focus once everything has run that needs no timer. */
    const focusAfter = async (control: Locator): Promise<string> => {
      await control.focus();
      return page.evaluate(`(async () => {
        document.activeElement.click();
        for (let i = 0; i < 10; i++) await null;
        const { localName, ariaLabel, textContent } = document.activeElement;
        return localName + ' ' + (ariaLabel ?? textContent);
      })()`);
    };

    await page.getByRole('button', { name: 'Create user' }).click();
    expect(await focusAfter(page.getByRole('button', { name: 'Add a key' }))).toBe('input Key 1');
    expect(await focusAfter(page.getByRole('button', { name: 'Add a key' }))).toBe('input Key 2');
    await dialogButton(page, 'Cancel').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focusAfter(page.getByRole('link', { name: 'Tokens' }))).toBe('h1 API tokens');
  });
});
