/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Route } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import { nextMoment } from '../support/clock';
import { chooseAction, dialogButton, namesOf, signIn, toUsers, useDashboard } from '../support/dashboard';

const HOSTILE = '<img src=x onerror=alert(1)>';

describeInBrowser('users in the dashboard', () => {
  const { visit, visitUsers } = useDashboard();

  it('have rows of one line, whatever is in them, and an id to copy', async () => {
    let id = '';
    const { page } = await visit(
      { viewport: { width: 1280, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'] },
      async (api) => {
        const email = `${'long'.repeat(15)}@${'long'.repeat(15)}.example`;
        ({ id } = await api.createUser({ name: 'long '.repeat(30), email, externalId: 'long'.repeat(50) }));
        for (let i = 0; i < 9; i++) await api.createUser();
      },
    );
    await toUsers(page);
    await page.getByText('10 users on this page').waitFor();
    const row = page.getByRole('row').last();
    const heights = await page.evaluate<number[]>(
      `[...document.querySelectorAll('tbody tr')].map((row) => row.getBoundingClientRect().height)`,
    );
    expect(heights).toHaveLength(10);
    expect(new Set(heights).size).toBe(1);
    const { y, height } = (await row.boundingBox())!;
    expect(y + height).toBeLessThanOrEqual(800);
    for (const width of [1041, 1280, 1400]) {
      await page.setViewportSize({ width, height: 800 });
      const [last, overflowing] = await page.evaluate<[number, number]>(
        `[document.querySelector('tbody td:last-child').getBoundingClientRect().width,
          [...document.querySelectorAll('td')].filter((cell) => cell.scrollWidth > cell.clientWidth).length]`,
      );
      expect([width, last, overflowing]).toEqual([width, 44, 0]);
    }
    await row.getByRole('button', { name: 'Copy the id of long long' }).click();
    await row.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(id);
  });

  it('are filtered by role, in the list and in a search', async () => {
    const { page } = await visitUsers(async (api) => {
      await api.createUser({ name: 'Ada Lovelace', role: 'viewer' });
      await api.createUser({ name: 'Ada Byron', role: 'member' });
      await api.createUser({ name: 'Bob', role: 'viewer' });
    });
    await page.getByLabel('Role').selectOption('Viewer');
    await page.getByText('2 users on this page').waitFor();
    expect(await namesOf(page)).toEqual(['Bob', 'Ada Lovelace']);
    await page.getByLabel('Search').fill('ada');
    await page.getByText('1 user on this page').waitFor();
    expect(await namesOf(page)).toEqual(['Ada Lovelace']);
    await page.getByLabel('Role').selectOption('Admin');
    await page.getByText('No users with the role Admin match ada.').waitFor();
    await page.getByLabel('Search').fill('');
    await page.getByText('There are no users with the role Admin.').waitFor();
  });

  it('stay in view, marked as stale, if the next list fails', async () => {
    const { page, expectErrors } = await visitUsers((api) => api.createUser({ name: 'Ada' }));
    expectErrors(500);
    await page.getByText('1 user on this page').waitFor();
    await page.route('**/users?*role=*', (route) => route.fulfill({ status: 500 }));
    await page.getByLabel('Role').selectOption('Member');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await namesOf(page)).toEqual(['Ada']);
    expect(await page.locator('table.stale').count()).toBe(1);
    await page.unroute('**/users?*role=*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('1 user on this page').waitFor();
    expect(await page.locator('table.stale').count()).toBe(0);
  });
  it('can be sorted by the heads of the columns, as the address says', async () => {
    const { page, api } = await visitUsers(async (api) => {
      for (const name of ['Bob', 'ada', 'Cid']) {
        await nextMoment();
        await api.createUser({ name, email: `${name}@example.com` });
      }
    });
    await page.getByText('3 users on this page').waitFor();
    const sorted = (column: string, direction: string) =>
      page.locator(`table[aria-busy=false] th[aria-sort=${direction}]`, { hasText: column });
    await sorted('Created', 'descending').waitFor();
    expect(await namesOf(page)).toEqual(['Cid', 'ada', 'Bob']);
    for (const [column, direction, names] of [
      ['Created', 'ascending', ['Bob', 'ada', 'Cid']],
      ['Name', 'ascending', ['ada', 'Bob', 'Cid']],
      ['Email', 'ascending', ['ada', 'Bob', 'Cid']],
      ['Email', 'descending', ['Cid', 'Bob', 'ada']],
    ] as const) {
      await page.getByRole('columnheader').getByRole('button', { name: column }).click();
      await sorted(column, direction).waitFor();
      expect(await namesOf(page)).toEqual(names);
      expect(await page.locator('th[aria-sort=ascending], th[aria-sort=descending]').count()).toBe(1);
    }
    expect(new URL(page.url()).search).toBe('?sort=email&order=desc');
    await page.reload();
    await signIn(page, api.tokenValue);
    await sorted('Email', 'descending').waitFor();
  });

  it('are paginated in a search, in both directions', async () => {
    const { page } = await visitUsers(async (api) => {
      for (let i = 0; i < 60; i++) await api.createUser({ name: `Person ${String(i).padStart(2, '0')}` });
    });
    await page.getByText('50 users on this page').waitFor();
    await page.getByLabel('Search').fill('person');
    await page.locator('table[aria-busy=false]', { hasText: 'best match first' }).waitFor();
    const first = await namesOf(page);
    expect(first).toHaveLength(50);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('10 users on this page').waitFor();
    expect(new Set([...first, ...(await namesOf(page))]).size).toBe(60);
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('50 users on this page').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('51–60', { exact: true }).waitFor();
    await page.getByLabel('Search').fill('person example'); // a new search starts at the first page
    await page.getByText('1–50', { exact: true }).waitFor();
    await page.getByText('50 users on this page').waitFor();
  });

  it.each([1280, 390])('are shown from the top of the next and the previous page, %i wide', async (width) => {
    const { page } = await visitUsers(async (api, page) => {
      await page.setViewportSize({ width, height: 800 });
      for (let i = 0; i < 100; i++) await api.createUser({ name: `Person ${i}` });
    });
    await page.getByText('50 users on this page').waitFor();
    for (const [button, number] of [
      ['Next', '51–100'],
      ['Previous', '1–50'],
    ] as const) {
      await page.getByRole('button', { name: button }).click();
      await page.getByText(number, { exact: true }).waitFor({ state: 'attached' });
      await page.locator('table[aria-busy=false]:focus').waitFor();
      const top = await page.evaluate<number>(
        `document.querySelector('tbody tr').getBoundingClientRect().top`,
      );
      expect(top).toBeGreaterThanOrEqual(0);
      expect(top).toBeLessThan(400);
    }
  });

  it('are found while typing, and show markup as text', async () => {
    const { page } = await visitUsers(async (api) => {
      await api.createUser({ name: 'Ada Lovelace', metadata: { [HOSTILE]: HOSTILE } });
      await api.createUser({ name: HOSTILE, email: 'img@example.com' });
    });
    await page.getByText('2 users on this page').waitFor();
    await page.getByLabel('Search').fill('l');
    await page.getByText('Type at least two characters').waitFor();
    expect(await namesOf(page)).toHaveLength(2);
    await page.getByLabel('Search').fill('lovelase');
    await page.getByText('1 user on this page').waitFor();
    expect(await namesOf(page)).toEqual(['Ada Lovelace']);
    expect(await page.getByLabel('Sort').isDisabled()).toBe(true);

    await chooseAction(page, 'Edit', 'Ada Lovelace');
    expect(await page.getByLabel(`Value of ${HOSTILE}`).inputValue()).toBe(HOSTILE);
    await dialogButton(page, 'Cancel').click();
    await page.getByLabel('Search').fill(`${HOSTILE} nobody`);
    await page.getByText(`No users match ${HOSTILE} nobody`).waitFor();
    await page.getByLabel('Search').fill('');
    await page.getByText('2 users on this page').waitFor();
    await chooseAction(page, 'Delete', HOSTILE);
    await dialogButton(page, 'Delete user').click();
    await page.getByText(`Deleted ${HOSTILE}`).waitFor();
    expect(await page.locator('img, body script').count()).toBe(0);
  });

  it('from an earlier search are never shown for a later one', async () => {
    const { page } = await visitUsers(async (api) => {
      await api.createUser({ name: 'Slow' });
      await api.createUser({ name: 'Quick' });
    });
    await page.getByText('2 users on this page').waitFor();
    const heldRoutes: Route[] = [];
    await page.route('**/users/search?q=slow*', (route) => void heldRoutes.push(route));
    const aborted: string[] = [];
    page.on('requestfailed', (request) => aborted.push(new URL(request.url()).search));
    await page.getByLabel('Search').fill('slow');
    while (heldRoutes.length === 0) await page.waitForTimeout(20);
    await page.getByLabel('Search').fill('quick');
    await page.getByText('1 user on this page').waitFor();
    expect(aborted).toEqual(['?q=slow&limit=50']);
    await heldRoutes[0].continue().catch(() => {}); // too late: the request was aborted
    await page.waitForTimeout(200);
    expect(await namesOf(page)).toEqual(['Quick']);
  });
});
