/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { readFile } from 'node:fs/promises';
import type { Page, Request } from 'playwright-core';
import { TokensService } from '../../src';
import { describeInBrowser } from '../support/browser';
import type { Client } from '../support/client';
import { dialogButton, toUsers, useDashboard } from '../support/dashboard';

const HOSTILE = '<img src=x onerror=alert(1)>';

describeInBrowser('many users in the dashboard', () => {
  const { service, visit } = useDashboard();
  const box = (page: Page, name: string) =>
    page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
  const bar = (page: Page) => page.getByRole('group', { name: 'Selected users' });

  /** Opens the list of `count` users, and two that spreadsheets and browsers might run. */
  const visitUsers = async (count: number) => {
    const opened = await visit({}, async (api) => {
      const users = Array.from({ length: count }, (_, i) => ({
        name: `Person ${String(i).padStart(3, '0')}`,
        email: `person-${i}@example.com`,
      }));
      await api.post('/api/v1/users/batch', { users }).expect(200);
      await api.createUser({ name: HOSTILE, email: 'img@example.com', role: 'admin' });
      await api.createUser({ name: '=1+1', email: 'formula@example.com' });
    });
    await toUsers(opened.page);
    await opened.page.getByRole('table').waitFor();
    await opened.page.getByRole('columnheader').getByRole('button', { name: 'Name' }).click();
    await opened.page.locator('table[aria-busy=false] th[aria-sort=ascending]').waitFor();
    return opened;
  };
  const usersOf = async (api: Client, query = '') =>
    (await api.get(`/api/v1/users?limit=200${query}`).expect(200)).body.data as {
      name: string;
      role: string;
    }[];

  it('are selected with Shift, and changed, and changed back with Undo', async () => {
    const { page, api } = await visitUsers(5);
    await box(page, HOSTILE).click();
    await box(page, 'Person 002').click({ modifiers: ['Shift'] });
    await bar(page).getByText('5 users selected').waitFor();
    await bar(page).getByRole('button', { name: 'Change role' }).click();
    await page.getByRole('menuitem', { name: 'Viewer' }).click();
    await dialogButton(page, 'Change 5 users').click();
    await page.getByText('Changed 5 users').waitFor();
    await page.getByRole('heading', { name: 'Users' }).and(page.locator(':focus')).waitFor();
    expect(await usersOf(api, '&role=viewer')).toHaveLength(5);

    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Restored 5 users').waitFor();
    expect(await usersOf(api, '&role=viewer')).toEqual([]);
    expect(await usersOf(api, '&role=admin')).toMatchObject([{ name: HOSTILE }]);
    expect(await page.locator('img').count()).toBe(0);
  });

  it('are selected, changed and deleted with the keyboard alone, and come back', async () => {
    const { page, api } = await visitUsers(3);
    const { keyboard } = page;
    await box(page, '=1+1').focus();
    await keyboard.press('Space');
    for (const key of ['ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowDown']) await keyboard.press(key);
    expect(await bar(page).getByText('2 users selected').count()).toBe(0);
    await keyboard.press('Space');
    await bar(page).getByText('2 users selected').waitFor();
    while (
      (await bar(page).getByRole('button', { name: 'Delete' }).and(page.locator(':focus')).count()) === 0
    )
      await keyboard.press('Shift+Tab');
    await keyboard.press('Enter');
    await dialogButton(page, 'Cancel').and(page.locator(':focus')).waitFor();
    for (const key of ['Tab', 'Enter']) await keyboard.press(key);
    await page.getByText('Deleted 2 users').waitFor();
    expect(await usersOf(api)).toHaveLength(3);
    while ((await page.getByRole('button', { name: 'Undo' }).and(page.locator(':focus')).count()) === 0)
      await keyboard.press('Tab');
    await keyboard.press('Enter');
    await page.getByText('Restored 2 users').waitFor();
    expect(await usersOf(api)).toHaveLength(5);
  });

  it('are all that a search finds, on every page', async () => {
    const { page, api } = await visitUsers(70);
    await page.getByLabel('Search').fill('person');
    await page.getByText('50 users on this page').waitFor();
    await page.getByRole('checkbox', { name: 'Select all users on this page' }).click();
    await bar(page).getByText('50 users selected').waitFor();
    await bar(page).getByRole('button', { name: 'Select all that this search has' }).click();
    await bar(page).getByText('70 users selected').waitFor();
    await bar(page).getByRole('button', { name: 'Deactivate' }).click();
    await dialogButton(page, 'Deactivate 70 users').click();
    await page.getByText('Changed 70 users').waitFor();
    expect(await usersOf(api, '&active=false')).toHaveLength(70);
  });

  it('are deleted in the time that the rate limit allows', async () => {
    const { page, api, expectErrors } = await visitUsers(8);
    expectErrors(429);
    let refused = 0;
    await page.route('**/api/v1/users/usr_*', async (route) => {
      if (route.request().method() !== 'DELETE' || refused >= 4) return route.continue();
      refused++;
      const body = {
        title: 'Too Many Requests',
        status: 429,
        code: 'rate_limited',
        detail: 'x',
        requestId: 'x',
      };
      await route.fulfill({
        status: 429,
        headers: { 'Retry-After': '3', 'Content-Type': 'application/problem+json' },
        body: JSON.stringify(body),
      });
    });
    await page.getByRole('checkbox', { name: 'Select all users on this page' }).click();
    await bar(page).getByRole('button', { name: 'Delete' }).click();
    await dialogButton(page, 'Delete 10 users').click();
    await page.getByText('It continues at').waitFor();
    await page.getByText('Deleted 10 users').waitFor();
    expect(refused).toBe(4);
    expect(await usersOf(api)).toEqual([]);
  });

  it.each([
    [3, /^Deleting 10 users was interrupted: deleted 3 users before, from .+ to .+ in the order of the list/],
    [1, /^Deleting 10 users was interrupted: deleted 1 user before, [^,]+\. Some/],
    [0, 'Deleting 10 users was interrupted before any answer came'],
  ])('are said to be done when the token is revoked after %i of them', async (count, message) => {
    const { page, api, expectErrors } = await visitUsers(8);
    expectErrors(401);
    const isDelete = (request: Request) => request.method() === 'DELETE';
    const passed = new Set<string>();
    const revoke = async () => {
      await page.getByText(`${count} of 10 users`, { exact: true }).waitFor();
      await service().app.get(TokensService).revoke(api.organizationId, api.tokenId);
    };
    let revoked: Promise<void> | undefined;
    await page.route('**/api/v1/users/usr_*', async (route) => {
      const url = route.request().url(); // a request may be repeated
      if (isDelete(route.request()) && !passed.has(url)) {
        if (passed.size < count) passed.add(url);
        else await (revoked ??= revoke());
      }
      await route.continue();
    });
    await page.getByRole('checkbox', { name: 'Select all users on this page' }).click();
    await bar(page).getByRole('button', { name: 'Delete' }).click();
    await dialogButton(page, 'Delete 10 users').click();
    await page.getByText('the token was revoked or has expired').waitFor();
    await page.getByText(message).waitFor();
  });

  /** Exports the list, as the dialog is by default or as `choose` makes it, and returns the lines of the file. */
  const save = async (page: Page, choose?: () => Promise<unknown>) => {
    await page.getByRole('button', { name: 'Export' }).click();
    await choose?.();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialogButton(page, 'Save as CSV').click(),
    ]);
    return (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
  };

  it('are exported as CSV as the list shows them, without formulas', async () => {
    const { page } = await visitUsers(60);
    const all = await save(page);
    await page.getByText('Exported 62 users').waitFor();
    expect(all[0]).toBe('id,externalId,name,email,role,active,metadata,version,createdAt,updatedAt');
    expect(all).toHaveLength(63);
    expect(all[2]).toMatch(/^usr_\w+,,'=1\+1,formula@example\.com,member,true,\{\},1,/);
    await page.getByLabel('Role').selectOption('Admin');
    await page.getByText('1 user on this page').waitFor();
    expect(await save(page)).toMatchObject([all[0], expect.stringContaining(HOSTILE)]);
  });

  it('are exported if they changed since a time, in the zone of the browser', async () => {
    const { page, requestedUrls } = await visit({ timezoneId: 'Asia/Kolkata' }, async (api) => {
      for (const [name, updatedAt] of [
        ['Before', '2026-01-31T09:29:59.999Z'],
        ['After', '2026-01-31T09:30:00.001Z'],
        ['At', '2026-01-31T09:30:00.000Z'],
        ['Viewer', '2026-02-01T00:00:00.000Z'],
      ]) {
        const { id } = await api.createUser({ name, role: name === 'Viewer' ? 'viewer' : 'member' });
        await service().dataSource.query('UPDATE users SET updated_at = $2 WHERE id = $1', [id, updatedAt]);
      }
    });
    await toUsers(page);
    await page.getByLabel('Role').selectOption('Member');
    await page.getByText('3 users on this page').waitFor();
    const [head, ...rows] = await save(page, () => page.getByLabel('Changed since').fill('2026-01-31T15:00'));
    expect(head).toMatch(/^id,externalId,name,/);
    expect(rows.map((row) => row.split(',')[2])).toEqual(['At', 'After']);
    await page.getByText('Exported 2 users').waitFor();
    const sent = requestedUrls
      .map((url) => new URL(url).searchParams)
      .find((query) => query.has('updatedSince'))!;
    expect(sent.get('updatedSince')).toBe('2026-01-31T09:30:00.000Z');
    expect(sent.get('sort')).toBe('updatedAt');

    await page.getByLabel('Search').fill('after');
    await page.getByText('1 user on this page').waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    expect(await page.getByLabel('Changed since').isDisabled()).toBe(true);
    await dialogButton(page, 'Cancel').click();
  });

  it('are not exported by a time that is not whole', async () => {
    const { page } = await visitUsers(1);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByLabel('Changed since').focus();
    await page.keyboard.type('01');
    await dialogButton(page, 'Save as CSV').click();
    await page.getByText('Changed since must be a whole date and time.').waitFor();
  });
});

describeInBrowser('the command palette of the dashboard', () => {
  const { visit } = useDashboard();

  it('finds users, pages and actions with the keyboard alone', async () => {
    const { page } = await visit({}, (api) =>
      api.createUser({ name: 'Ada Lovelace', email: 'ada@example.com' }),
    );
    const field = page.getByRole('combobox', { name: 'Search users, pages and actions' });
    const find = async (text: string, option: string | RegExp) => {
      await page.keyboard.press('Control+k');
      await field.and(page.locator(':focus')).waitFor();
      await page.keyboard.type(text);
      await page.getByRole('option', { name: option, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await field.waitFor({ state: 'detached' });
    };
    await find('groups', 'Go to Groups');
    await page.getByRole('heading', { name: 'Groups' }).waitFor();
    await find('ada love', /Ada Lovelace/);
    await page.waitForURL(/\/dashboard\/users\/usr_\w{26}$/);
    await find('create user', 'Action Create user');
    await page.getByRole('heading', { name: 'Create a user' }).waitFor();
    await page.keyboard.press('Control+k');
    expect(await field.count()).toBe(0); // a dialog is open
    await page.keyboard.press('Escape');
    await find('dark', 'Theme Dark');
    // The palette closes before its action runs.
    await page.locator('html[data-theme=dark]').waitFor();
    expect(await page.evaluate('({ ...localStorage })')).toEqual({ theme: 'dark' });
    await find('theme system', 'Theme System');
    await page.locator('html:not([data-theme])').waitFor();
    expect(await page.evaluate('localStorage.length')).toBe(0);
    await find('sign out', 'Action Sign out');
    await page.getByText('You are signed out').waitFor();
  });
});
