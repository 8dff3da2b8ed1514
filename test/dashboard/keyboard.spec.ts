/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Locator } from 'playwright-core';
import { GroupsService } from '../../src/groups/groups.service';
import { describeInBrowser } from '../support/browser';
import type { Client } from '../support/client';
import {
  actionsOf,
  buttonOf,
  closed,
  dialogButton,
  focusOn,
  headingOf,
  keyboardOf,
  shows,
  submits,
  useDashboard,
} from '../support/dashboard';

describeInBrowser('the dashboard with the keyboard alone', () => {
  const { service, open, visit } = useDashboard();

  it('can sign in, create, copy and revoke a token, and create, find, edit and delete a user', async () => {
    const [{ page }, api] = [await open(), await service().client()];
    const { press, tabTo, enter, type } = keyboardOf(page);
    await page.goto(`${service().url}/dashboard/tokens`);
    await focusOn(page.getByLabel('Admin token'));
    await type(api.tokenValue);
    await press('Enter');
    await shows(page, '1 token on this page');

    await enter('button', 'Create token');
    await focusOn(page.getByLabel('Name'));
    await type('By hand');
    await tabTo('checkbox', 'users:read');
    await press('Space');
    await tabTo('combobox', 'Expiry');
    await press('ArrowUp', 'Tab');
    await enter('button', 'Create token');
    await page.getByRole('textbox', { name: 'Token' }).waitFor();
    await enter('button', 'Copy: Token');
    await shows(page, 'Copied');
    const value: string = await page.evaluate('navigator.clipboard.readText()');
    await press('Escape');
    await closed(page);
    expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BODY');
    const { body } = await api.get('/v1/tokens?limit=1').expect(200);
    expect(body.data[0]).toMatchObject({ name: 'By hand', scopes: ['users:read'], expiresIn: '30d' });
    expect(value).toMatch(new RegExp(`^${body.data[0].hint.replace('…', '.*')}$`));

    const revoke = async () => {
      await press('Enter', 'ArrowDown', 'ArrowDown', 'Enter');
      await focusOn(buttonOf(page, 'Cancel'));
    };
    await actionsOf(page, 'By hand').waitFor();
    await tabTo('button', 'Actions for By hand');
    await revoke();
    await press('Escape');
    await focusOn(actionsOf(page, 'By hand'));
    await revoke();
    await enter('button', 'Revoke token');
    await focusOn(headingOf(page, 'API tokens'));
    await actionsOf(page, 'By hand').waitFor({ state: 'detached' });

    await press('Shift+Tab');
    await tabTo('button', 'Create token'); // from the heading on through the whole page
    await enter('link', 'Users', 'Shift+Tab');
    await shows(page, /^No users$/);
    await enter('button', 'Create user');
    await focusOn(page.getByLabel('Name'));
    await type('Ada');
    await tabTo('textbox', 'Email');
    await type('ada@example.com');
    await enter('button', 'Add a key');
    await focusOn(page.getByLabel('Key 1'));
    await type('plan');
    await tabTo('textbox', 'Value of plan');
    await type('pro');
    await enter('button', 'Create user');
    await shows(page, 'Created Ada');
    await focusOn(buttonOf(page, 'Create user'));

    await tabTo('searchbox', 'Search');
    await type('ada');
    await shows(page, 'Search results');
    await tabTo('button', 'Actions for Ada');
    await press('Enter', 'ArrowDown', 'Enter');
    await focusOn(page.getByLabel('Name'));
    await enter('button', 'Remove plan');
    await focusOn(buttonOf(page, 'Add a key'));
    await enter('button', 'Save changes');
    await shows(page, 'Saved Ada');
    await focusOn(actionsOf(page, 'Ada'));
    await press('ArrowUp', 'Enter');
    await enter('button', 'Delete user');
    await shows(page, 'Deleted Ada');
    await focusOn(headingOf(page, 'Users'));

    await enter('link', 'Activity', 'Shift+Tab');
    await shows(page, 'Test deleted Ada');
    await tabTo('combobox', 'Kind');
    await type('Users changed');
    await shows(page, '1 entry');
    while ((await page.locator('.opener').and(page.locator(':focus')).count()) === 0) await press('Tab');
    await press('Enter');
    await page.getByRole('table', { name: 'Values' }).waitFor();
    await enter('button', 'Only what happened to this user');
    await focusOn(buttonOf(page, 'Show everything'));
    await press('Enter');
    await focusOn(headingOf(page, 'Activity'));
    await enter('button', 'Sign out', 'Shift+Tab');
    await focusOn(page.getByLabel('Admin token'));
  });

  it('can sort, filter, export, look at a group and choose a theme', async () => {
    const prepare = async (api: Client) => {
      const { id } = await api.createUser({ name: 'Ada', role: 'viewer' });
      await service().app.get(GroupsService).create(api.organizationId, { displayName: 'Sales' }, [id]);
    };
    const { page } = await visit('tokens', prepare, {});
    const { press, tabTo, enter, type } = keyboardOf(page);
    const head = (direction: string) =>
      page.locator(`table[aria-busy=false] th[aria-sort=${direction}]`, { hasText: 'Email' });

    await focusOn(headingOf(page, 'API tokens')); // which signing in gives it
    await enter('link', 'Users', 'Shift+Tab');
    await focusOn(headingOf(page, 'Users'));
    await tabTo('combobox', 'Role');
    await type('Viewer');
    await shows(page, /^1 user$/);
    await enter('button', 'Email');
    await head('ascending').waitFor();
    await focusOn(page.getByRole('button', { name: 'Email' }));
    await press('Space');
    await head('descending').waitFor();
    const download = page.waitForEvent('download');
    await enter('button', 'Export', 'Shift+Tab');
    await focusOn(dialogButton(page, 'Save as CSV'));
    await press('Enter');
    expect((await download).suggestedFilename()).toBe('users.csv');
    await focusOn(buttonOf(page, 'Export'));

    await enter('link', 'Groups', 'Shift+Tab');
    await shows(page, '1 group on this page');
    await enter('link', 'Sales');
    await shows(page, '1 member on this page');
    await enter('link', 'Ada');
    await focusOn(headingOf(page, 'Ada'));
    await page.goBack();
    await focusOn(headingOf(page, 'Sales'));

    await tabTo('radio', 'System', 'Shift+Tab');
    await press('ArrowRight', 'ArrowRight');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  });

  // Timers wait for the next frame, which may be late, and would then take the focus from a field that is typed in.
  it('has the focus in place before any timer', async () => {
    const { page } = await visit('users');
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

    await buttonOf(page, 'Create user').click();
    expect(await focusAfter(buttonOf(page, 'Add a key'))).toBe('input Key 1');
    expect(await focusAfter(buttonOf(page, 'Add a key'))).toBe('input Key 2');
    await submits(page, 'Cancel');
    await closed(page);
    expect(await focusAfter(page.getByRole('link', { name: 'Tokens' }))).toBe('h1 API tokens');
  });
});
