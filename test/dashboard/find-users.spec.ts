/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page, Route } from 'playwright-core';
import { GroupsService } from '../../src/groups/groups.service';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { meetsWcag } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import type { Client } from '../support/client';
import { nextMoment } from '../support/clock';
import {
  actionsOf,
  addPeople,
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
  rowsOf,
  showAt,
  shows,
  signIn,
  sortBy,
  submits,
  toSection,
  turnColumns,
  useDashboard,
} from '../support/dashboard';
import { directoryOf } from '../support/scim';
import { until } from '../support/until';
import { createWebhook, WEBHOOK_ENV } from '../support/webhooks';

const MARKUP = '<img src=x onerror=alert(1)>';

describeInBrowser('users in the dashboard', () => {
  const { service, visit } = useDashboard();
  const search = (page: Page, text: string) => page.getByLabel('Search').fill(text);

  it('have rows of one line, whatever is in them, and an id to copy', async () => {
    let id = '';
    const prepare = async (api: Client, page: Page) => {
      await page.setViewportSize({ width: 1280, height: 800 });
      const email = `${'long'.repeat(15)}@${'long'.repeat(15)}.example`;
      ({ id } = await api.createUser({ name: 'long '.repeat(30), email, externalId: 'long'.repeat(50) }));
      for (let i = 0; i < 9; i++) await api.createUser();
    };
    const { page } = await visit('users', prepare, {});
    await shows(page, /^10 users$/);
    await turnColumns(page, 'ID');
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
    await shows(row, 'Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(id);
  });

  it('are filtered by role, and found while typing, also with a mistake', async () => {
    const { page } = await visit('users', async (api) => {
      await api.createUser({ name: 'Ada Lovelace', role: 'viewer' });
      await api.createUser({ name: 'Ada Byron', role: 'member' });
      await api.createUser({ name: 'Bob', role: 'viewer' });
    });
    await fills(page, { Role: 'Viewer' });
    await shows(page, /^2 users$/);
    expect(await page.getByLabel('Group').count()).toBe(0); // there are none
    expect(await namesOf(page)).toEqual(['Bob', 'Ada Lovelace']);
    await search(page, 'l');
    await shows(page, 'Type at least two characters');
    expect(await namesOf(page)).toHaveLength(2);
    await search(page, 'ada lovelase');
    await shows(page, /^1 user$/);
    expect(await namesOf(page)).toEqual(['Ada Lovelace']);
    expect(await page.getByLabel('Sort').isDisabled()).toBe(true);
    await fills(page, { Role: 'Admin' });
    await shows(page, 'No users with the role Admin match ada lovelase.');
    expect(await page.locator('.empty').innerText()).not.toContain('\n'); // it is a sentence
    await meetsWcag(page);
    await search(page, '');
    await shows(page, 'There are no users with the role Admin.');
    await fills(page, { Role: 'Member or Viewer', State: 'Active' });
    await shows(page, 'Only active users with the role Member or Viewer', /^3 users$/);
    await fills(page, { Role: 'Member or Admin' });
    await shows(page, /^1 user$/);
    expect(new URL(page.url()).search).toBe('?role=member%2Cadmin&active=true');
    await buttonOf(page, 'Clear filters').click();
    await shows(page, /^3 users$/);
    await focusOn(headingOf(page, 'Users'));
    expect(new URL(page.url()).search).toBe('');
  });

  it('are filtered by the time of their creation or last change, in the zone of the browser', async () => {
    const prepare = async (api: Client) => {
      for (const [name, createdAt, updatedAt] of [
        ['Before', '2026-01-30T18:29:59.999Z', '2026-03-01T00:00:00.000Z'],
        ['First', '2026-01-30T18:30:00.000Z', '2026-03-02T00:00:00.000Z'],
        ['Last', '2026-02-01T18:29:59.999Z', '2026-03-03T00:00:00.000Z'],
        ['After', '2026-02-01T18:30:00.000Z', new Date().toISOString()],
      ]) {
        const { id } = await api.createUser({ name });
        const sql = 'UPDATE users SET created_at = $2, updated_at = $3 WHERE id = $1';
        await service().dataSource.query(sql, [id, createdAt, updatedAt]);
      }
      const { id } = await api.createUser({ name: 'Now' });
      await service().app.get(GroupsService).create(api.organizationId, { displayName: 'Sales' }, [id]);
    };
    const { page } = await visit('users?sort=name', prepare, { timezoneId: 'Asia/Kolkata' });
    await shows(page, /^5 users$/);
    await fills(page, { Time: 'Created between …' });
    await fills(page, { 'First day': '2026-01-31' });
    await shows(page, /^4 users$/);
    await fills(page, { 'Last day': '2026-02-01' });
    await shows(page, /^2 users$/, 'Only users created from Jan 31, 2026 to Feb 1, 2026');
    expect(await namesOf(page)).toEqual(['Last', 'First']); // sorted by it
    await page.locator('table', { hasText: 'by creation' }).waitFor();
    await meetsWcag(page);
    expect(await page.getByRole('columnheader').getByRole('button', { name: 'Name' }).count()).toBe(0);
    await sortBy(page, 'Created', 'ascending');
    expect(await namesOf(page)).toEqual(['First', 'Last']);
    await fills(page, { Time: 'Changed: last 24 hours' });
    await shows(page, 'Only users changed in the last 24 hours', /^2 users$/);
    expect(new URL(page.url()).searchParams.get('changed')).toBe('24h');
    expect(await namesOf(page)).toEqual(['Now', 'After']);
    await page.getByRole('columnheader', { name: 'Changed' }).waitFor();
    await buttonOf(page, 'Export').click();
    await shows(page, 'The list is filtered by time already.');
    await dialogButton(page, 'Cancel').click();
    await fills(page, { Group: 'Sales' }); // the API has no times of members
    await shows(page, 'Only users in this group', /^1 user$/);
    expect(await page.getByLabel('Time', { exact: true }).inputValue()).toBe('');
    await fills(page, { Time: 'Created: last 30 days' });
    await shows(page, 'Only users created in the last 30 days', /^1 user$/);
    await fills(page, { Search: 'after' });
    await shows(page, 'Search results');
    expect(await page.getByLabel('Time', { exact: true }).isDisabled()).toBe(true);
  });

  it('have the columns that are of use, and those that were chosen in this browser', async () => {
    const titles = async () =>
      (await page.getByRole('columnheader').allInnerTexts()).map((text) => text.trim()).filter(Boolean);
    const { page, api, requestedUrls } = await visit(
      'users',
      async (api) => {
        const { id } = await api.createUser({ name: 'Ada', metadata: { plan: 'pro' } });
        const attributes = { op: 'replace', value: { title: 'Countess' } };
        await directoryOf(() => api)
          .change(`/Users/${id}`, attributes)
          .expect(200);
        await api.createUser({ name: 'Bob', active: false, role: 'admin' });
      },
      {},
    );
    await shows(page, /^2 users$/);
    expect(await titles()).toEqual(['Name', 'Email', 'Role', 'Created', 'Actions']);
    expect((await rowsOf(page)).map((row) => row.replace(/\S+@\S+/, '@'))).toEqual([
      expect.stringMatching(/^Bob Inactive @ Admin \w+ \d+$/),
      expect.stringMatching(/^Ada @ Member \w+ \d+$/),
    ]);
    await turnColumns(page, 'Job title', 'Metadata “plan”', 'Role', 'Changed');
    const chosen = ['Name', 'Email', 'Job title', 'plan', 'Created', 'Changed', 'Actions'];
    expect(await titles()).toEqual(chosen);
    await shows(page.getByRole('row', { name: 'Ada' }), 'Countess', 'pro');
    expect(requestedUrls.at(-1)).toContain('include=directory');
    await meetsWcag(page);

    await api.createUser({ name: 'Cid', externalId: 'E-1' });
    await page.reload();
    await signIn(page, api.tokenValue);
    await shows(page, /^3 users$/, 'Countess', 'E-1');
    expect(await titles()).toEqual([...chosen.slice(0, 4), 'External ID', ...chosen.slice(4)]);
    await sortBy(page, 'Email', 'ascending');
    const dates = page.getByRole('columnheader').getByRole('button', { name: /^(Created|Changed)$/ });
    await dates.last().click(); // each date has its own order
    await page.locator('table[aria-busy=false] th[aria-sort=descending]', { hasText: 'Changed' }).waitFor();
  });

  it('are counted, as far as that is known', async () => {
    const { page, expectErrors } = await visit('users', (api) => addPeople(api, 60));
    await shows(page, 'Users 1–50 of about 60');
    await buttonOf(page, 'Next').click();
    await shows(page, 'Users 51–60 of 60');
    await fills(page, { State: 'Active' });
    await shows(page, 'Users 1–50 of about 60');
    await fills(page, { Role: 'Member' });
    await shows(page, /^Users 1–50$/);
    expectErrors(500);
    await page.route('**/api/v1/statistics', (route) => route.fulfill({ status: 500 }));
    await toSection(page, 'Groups');
    const failed = page.waitForResponse('**/api/v1/statistics');
    await toSection(page, 'Users');
    await failed;
    await shows(page, /^Users 1–50$/);
  });

  it('can be created and imported from where there are none', async () => {
    const { page } = await visit('users');
    await shows(page, 'There are no users yet.');
    await meetsWcag(page);
    await buttonOf(page, 'Import a file').click();
    await page.getByRole('heading', { name: 'Import users' }).waitFor();
    await page.goBack();
    await buttonOf(page, 'Create the first user').click();
    await submits(page, 'Create user', { Name: 'Ada', Email: 'ada@example.com' });
    await shows(page, 'Created Ada', /^1 user$/);
  });

  it('have an email that is whole, in a wide window and in a narrow one', async () => {
    const email = 'maria.da.conceicao.tavares@research.example.com';
    const { page } = await visit('users', (api) =>
      api.createUser({ name: 'Maria da Conceição Tavares', email, active: false, externalId: 'E-1' }),
    );
    await shows(page, email);
    const isCut = (selector: string) =>
      page.locator(selector).evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    for (const width of [390, 1280, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      expect([width, await isCut('td.email .clip')]).toEqual([width, false]);
      const { height } = (await page.getByRole('row').last().boundingBox())!;
      expect([width, height < (width === 390 ? 90 : 50)]).toEqual([width, true]);
      const role = (await page.locator('td.role > *').boundingBox())!;
      const menu = (await actionsOf(page, 'Maria da Conceição Tavares').boundingBox())!;
      expect([width, role.x + role.width <= menu.x]).toEqual([width, true]);
      await meetsWcag(page);
    }
  });

  it('stay in view, marked as stale, if the next list fails', async () => {
    const { page, expectErrors } = await visit('tokens', (api) => api.createUser({ name: 'Ada' }));
    expectErrors(500);
    await page.route('**/api/v1/users?**', () => {});
    await toSection(page, 'Users');
    await meetsWcag(page); // while it loads
    await page.unroute('**/api/v1/users?**');
    await fills(page, { State: 'Active' });
    await shows(page, /^1 user$/);
    await page.route('**/users?*role=*', (route) => route.fulfill({ status: 500 }));
    await fills(page, { Role: 'Member' });
    await buttonOf(page, 'Try again').waitFor();
    expect(await namesOf(page)).toEqual(['Ada']);
    expect(await page.locator('table.stale').count()).toBe(1);
    await meetsWcag(page);
    await page.unroute('**/users?*role=*');
    await buttonOf(page, 'Try again').click();
    await shows(page, /^1 user$/);
    expect(await page.locator('table.stale').count()).toBe(0);
  });

  it('from an earlier search are never shown for a later one', async () => {
    const { page } = await visit('users', async (api) => {
      await api.createUser({ name: 'Slow' });
      await api.createUser({ name: 'Quick' });
    });
    await shows(page, /^2 users$/);
    const heldRoutes: Route[] = [];
    await page.route('**/users/search?q=slow*', (route) => void heldRoutes.push(route));
    const aborted: string[] = [];
    page.on('requestfailed', (request) => aborted.push(new URL(request.url()).search));
    await search(page, 'slow');
    await until(() => heldRoutes.length > 0);
    await search(page, 'quick');
    await shows(page, /^1 user$/);
    // The browser passes on no answer to a request that was aborted.
    expect(aborted).toEqual(['?q=slow&limit=50']);
    expect(await namesOf(page)).toEqual(['Quick']);
  });

  it('can be sorted by the heads of the columns, as the address says', async () => {
    const { page, api } = await visit('users', async (api) => {
      for (const name of ['Bob', 'ada', 'Cid']) {
        await nextMoment();
        await api.createUser({ name, email: `${name}@example.com` });
      }
    });
    await shows(page, /^3 users$/);
    expect(await namesOf(page)).toEqual(['Cid', 'ada', 'Bob']);
    for (const [column, direction, names] of [
      ['Created', 'ascending', ['Bob', 'ada', 'Cid']],
      ['Changed', 'descending', ['Cid', 'ada', 'Bob']],
      ['Email', 'ascending', ['ada', 'Bob', 'Cid']],
      ['Email', 'descending', ['Cid', 'Bob', 'ada']],
    ] as const) {
      await sortBy(page, column, direction);
      expect(await namesOf(page)).toEqual(names);
      expect(await page.locator('th[aria-sort=ascending], th[aria-sort=descending]').count()).toBe(1);
    }
    expect(new URL(page.url()).search).toBe('?sort=email&order=desc');
    await page.reload();
    await signIn(page, api.tokenValue);
    await page.locator('th[aria-sort=descending]', { hasText: 'Email' }).waitFor();
  });

  it('are paginated in a search, from the top of each page, in a wide and in a narrow window', async () => {
    const { page } = await visit('users', (api) => addPeople(api, 60));
    await shows(page, /^Users 1–50/);
    await search(page, 'person');
    await page.locator('table[aria-busy=false]', { hasText: 'best match first' }).waitFor();
    const first = await namesOf(page);
    expect(first).toHaveLength(50);
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      for (const [button, range, count] of [
        ['Next', '51–60', 60],
        ['Previous', '1–50', 50],
      ] as const) {
        await buttonOf(page, button).click();
        await page.getByText(range, { exact: true }).waitFor({ state: 'attached' });
        await page.locator('table[aria-busy=false]:focus').waitFor();
        const top = await page.evaluate<number>(
          `document.querySelector('tbody tr').getBoundingClientRect().top`,
        );
        expect([width, top >= 0 && top < 400]).toEqual([width, true]);
        expect(new Set([...first, ...(await namesOf(page))]).size).toBe(count);
      }
    }
    await buttonOf(page, 'Next').click();
    await page.getByText('51–60', { exact: true }).waitFor({ state: 'attached' });
    await search(page, 'person example'); // a new search starts at the first page
    await page.getByText('1–50', { exact: true }).waitFor({ state: 'attached' });
    await search(page, '');
    await page.locator('table[aria-busy=false]', { hasText: 'by creation' }).waitFor();
    // While another list loads, the cursor of the old list must not be used.
    await page.route('**/users?**role=viewer**', () => {});
    await buttonOf(page, 'Filters').click();
    await fills(page, { Role: 'Viewer' });
    await page.locator('table[aria-busy=true]').waitFor();
    expect(await buttonOf(page, 'Next').getAttribute('aria-disabled')).toBe('true');
  });
});

describeInBrowser('groups in the dashboard', () => {
  const { visit, service } = useDashboard();
  const atHeading = (page: Page) => focusOn(page.getByRole('heading', { level: 1 }));
  const group = (api: Client, displayName: string, members: string[] = []) =>
    service().app.get(GroupsService).create(api.organizationId, { displayName }, members);

  /** Ada is in Sales and Support, Bob in Sales. */
  const prepare = async (api: Client) => {
    const ada = await api.createUser({ name: 'Ada' });
    const bob = await api.createUser({ name: 'Bob', role: 'viewer' });
    await api.createUser({ name: 'Carl' });
    await group(api, 'Support', [ada.id]);
    await group(api, 'sales', [ada.id, bob.id]);
  };

  it('are listed with the number of their members, found by exact name, and lead to their members', async () => {
    const { page } = await visit('groups', async (api) => {
      await prepare(api);
      await group(api, 'x'.repeat(256));
    });
    await shows(page, '3 groups on this page', 'Managed by your directory');
    await meetsWcag(page);
    const rows = (await rowsOf(page)).map((row) => row.replace(/grp_\w+ /, '').split(' '));
    expect(rows.map((cells) => cells.slice(0, 2))).toEqual([
      ['sales', '2'],
      ['Support', '1'],
      ['x'.repeat(256), '0'],
    ]);
    await fills(page, { 'Exact name': 'SUPPORT' });
    await shows(page, '1 group on this page');
    await fills(page, { 'Exact name': 'Supp' });
    await shows(page, 'No group has the name Supp');
    await meetsWcag(page);
    await fills(page, { 'Exact name': '' });

    await page.getByRole('link', { name: 'sales' }).click();
    await shows(page, '2 members on this page');
    await atHeading(page);
    expect((await rowsOf(page)).map((row) => row.split(' ')[0])).toEqual(['Ada', 'Bob']);
    await meetsWcag(page);
    await page.getByRole('link', { name: 'All groups' }).click();
    await shows(page, '3 groups on this page');
    await atHeading(page);
  });

  it('say so at the address of one that is gone, as users do', async () => {
    const { page, expectErrors } = await visit('');
    expectErrors(404);
    await showAt(page, 'users/usr_01kacpb2w5r8y3h6j9m4n7p0qx');
    await shows(page, 'There is no such user.');
    await showAt(page, 'groups/grp_01kacpb2w5r8y3h6j9m4n7p0qx');
    await shows(page, 'There is no such group.');
    await page.getByRole('link', { name: 'All groups' }).waitFor();
    await meetsWcag(page);
  });

  it('are shown with a user, whose form they do not move when they come late', async () => {
    const { page } = await visit('users', prepare);
    const answer = await hold(page, '**/api/v1/groups?user=*');
    await chooseAction(page, 'Edit', 'Ada');
    const button = dialogButton(page, 'Save changes');
    const before = await button.boundingBox();
    answer();
    const groups = page.getByRole('region', { name: 'Groups' });
    await groups.waitFor();
    expect(await button.boundingBox()).toEqual(before);
    expect(await groups.getByRole('listitem').allInnerTexts()).toEqual(['sales', 'Support']);
    await shows(groups, 'Managed by your directory');
    await meetsWcag(page);
    await dialogButton(page, 'Cancel').click();
    await chooseAction(page, 'Edit', 'Carl');
    await dialogOf(page).getByLabel('Name').waitFor();
    expect(await groups.count()).toBe(0);
  });

  it('filter the users, but not a search', async () => {
    const { page } = await visit('users', prepare);
    await fills(page, { Group: 'sales' });
    await shows(page, /^2 users$/);
    await fills(page, { Role: 'Admin' });
    await shows(page, 'There are no users with the role Admin in this group.');
    await fills(page, { Role: 'Any role', Search: 'Carl' });
    await shows(page, /^1 user$/);
    expect(await page.getByLabel('Group').isDisabled()).toBe(true);
    await fills(page, { Search: '' });
    await shows(page, /^2 users$/);
  });
});

describeInBrowser('the dashboard', () => {
  const { enter, service, visit } = useDashboard(WEBHOOK_ENV);

  it('finds users, tokens, pages and actions in its palette, with the keyboard alone', async () => {
    const { page } = await visit(
      'tokens',
      async (api) => {
        await api.createUser({ name: 'Ada Lovelace', email: 'ada@example.com' });
        await api.post('/v1/tokens', { name: 'Nightly sync', scopes: ['users:read'] }).expect(201);
        await createWebhook(api, { description: 'Wiki accounts' });
        const groups = service().app.get(GroupsService);
        await groups.create(api.organizationId, { displayName: 'Contractors' }, []);
      },
      {},
    );
    const field = page.getByRole('combobox', { name: 'Search users, tokens, groups, pages and actions' });
    const find = async (text: string, option: string | RegExp) => {
      await page.keyboard.press('Control+k');
      await focusOn(field);
      await page.keyboard.type(text);
      await page.getByRole('option', { name: option, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await field.waitFor({ state: 'detached' });
    };
    await find('groups', 'Go to Groups');
    await headingOf(page, 'Groups').waitFor();
    await find('ada love', /Ada Lovelace/);
    await page.waitForURL(/\/dashboard\/users\/usr_\w{26}$/);
    for (const [text, option, heading] of [
      ['nightly', /^Token Nightly sync/, 'Nightly sync'],
      ['wiki', /^Webhook Wiki accounts/, 'Wiki accounts'],
      ['contr', 'Group Contractors', 'Contractors'],
    ] as const) {
      await find(text, option);
      await headingOf(page, heading).waitFor();
    }
    await page.keyboard.press('Control+k'); // what was used last is first
    await page.getByRole('option', { name: 'Group Contractors', selected: true }).waitFor();
    // Escape, and Ctrl K before the event `close` of the dialog comes
    await page.evaluate(async () => {
      document.querySelector('dialog')!.requestClose();
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }));
    });
    await focusOn(field);
    await page.keyboard.press('Escape');
    await find('create user', 'Action Create user');
    await page.getByRole('heading', { name: 'Create a user' }).waitFor();
    await page.keyboard.press('Control+k');
    expect(await field.count()).toBe(0); // a dialog is open
    await page.keyboard.press('Escape');
    await closed(page);
    await find('dark', 'Theme Dark');
    // The palette closes before its action runs.
    await page.locator('html[data-theme=dark]').waitFor();
    expect(await page.evaluate('({ ...localStorage })')).toEqual({ theme: 'dark' });
    await find('theme system', 'Theme System');
    await page.locator('html:not([data-theme])').waitFor();
    expect(await page.evaluate('localStorage.length')).toBe(0);
    await find('sign out', 'Action Sign out');
    await shows(page, 'You are signed out');
  });

  it('shows markup as text on every page and in every dialog', async () => {
    const { id: organizationId } = await service().app.get(OrganizationsService).create(MARKUP);
    const api = await service().client({ organizationId });
    const user = await api.createUser({ name: MARKUP, metadata: { [MARKUP]: MARKUP } });
    const doomed = await api.createUser({ name: MARKUP });
    await api.delete(`/api/v1/users/${doomed.id}`).expect(204);
    const fields = { name: MARKUP, scopes: ['admin'], expiresIn: '3d' };
    const { body: token } = await api.post('/v1/tokens', fields).expect(201);
    const groups = service().app.get(GroupsService);
    const group = await groups.create(organizationId, { displayName: MARKUP }, [user.id]);
    const webhook = await createWebhook(api, { description: MARKUP });
    const { page } = await enter('', api);
    const noElement = async (where: string) =>
      expect([where, await page.locator('img, body script').count()]).toEqual([where, 0]);
    const lists = ['', 'users', 'tokens', 'groups', 'deleted', 'webhooks', 'activity'];
    const items = [
      `users?group=${group.id}`,
      `users/${user.id}`,
      `tokens/${token.id}`,
      `groups/${group.id}`,
      `webhooks/${webhook.id}`,
    ];
    for (const path of [...lists, ...items]) {
      await showAt(page, path);
      await page.locator('main').getByText(MARKUP).filter({ visible: true }).first().waitFor();
      await noElement(path);
    }
    await shows(page.getByRole('banner'), MARKUP);
    await until(async () => (await page.title()).includes(MARKUP));
    await page.keyboard.press('Control+k');
    await page.keyboard.type('img');
    await page.getByRole('option', { name: `User ${MARKUP}` }).waitFor();
    await noElement('palette');
    await meetsWcag(page);
    await page.keyboard.press('Escape');

    await toSection(page, 'Users');
    await page.getByRole('checkbox', { name: `Select ${MARKUP}` }).click();
    await chooseAction(page, 'Edit', MARKUP);
    expect(await page.getByLabel(`Value of ${MARKUP}`).inputValue()).toBe(MARKUP);
    await dialogButton(page, 'Cancel').click();
    await fills(page, { Search: `${MARKUP} nobody` });
    await shows(page, `No users match ${MARKUP} nobody`);
    await fills(page, { Search: '' });
    await chooseAction(page, 'Delete', MARKUP);
    await page.getByRole('heading', { name: `Delete ${MARKUP}?` }).waitFor();
    await submits(page, 'Delete user');
    await shows(page, `Deleted ${MARKUP}`);
    await noElement('users');

    await toSection(page, 'API tokens');
    await chooseAction(page, 'Revoke', MARKUP);
    await page.getByRole('heading', { name: MARKUP }).waitFor();
    await dialogButton(page, 'Cancel').click();
    await buttonOf(page, 'Create token').click();
    await submits(page, 'Create token', { Name: `${MARKUP}<script>alert(2)</script>`, 'users:read': true });
    await page.getByRole('heading', { name: MARKUP }).waitFor();
    await noElement('tokens');
  });
});
