/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { TokensService } from '../../src';
import { OrganizationsService } from '../../src/organizations/organizations.service';
import { GroupsService } from '../../src/groups/groups.service';
import { describeInBrowser } from '../support/browser';
import type { Client } from '../support/client';
import { actionsOf, chooseAction, dialogButton, signIn, toUsers, useDashboard } from '../support/dashboard';
import { fillOrganization } from '../support/people';
import { createWebhook, WEBHOOK_ENV } from '../support/webhooks';

const MARKUP = '<img src=x onerror=alert(1)>';

const namesOf = (page: Page) => page.locator('td.main').allInnerTexts();
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true });
const link = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true });

describeInBrowser('work in the dashboard', () => {
  const { service, open, visit } = useDashboard({ ...WEBHOOK_ENV, RATE_LIMIT_PER_MINUTE: '100000' });

  /** Another tab of the same person. */
  const tab = async (api: Client, path: string) => {
    const window = await open();
    await window.page.goto(`${service().url}/dashboard/${path}`);
    await signIn(window.page, api.tokenValue);
    return window;
  };

  it('goes on as usual with 100,000 users', async () => {
    const { page, api } = await visit({}, (api) =>
      fillOrganization(service().dataSource, api.organizationId, 1, 100_000, (n) => ({
        email: `person-${n}@example.com`,
        role: n % 100 === 0 ? 'admin' : 'member',
        active: true,
      })),
    );
    await toUsers(page);
    await page.getByText('50 users on this page').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(50);
    await page.getByRole('columnheader').getByRole('button', { name: 'Email' }).click();
    await page.locator('table[aria-busy=false] th[aria-sort=ascending]', { hasText: 'Email' }).waitFor();
    await page.getByLabel('Rows').selectOption('200');
    await page.getByText('200 users on this page').waitFor();
    for (const range of ['201–400', '401–600']) {
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByText(range, { exact: true }).waitFor();
    }
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('201–400', { exact: true }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(200);

    await page.getByLabel('Search').fill('person-77777@example.com');
    await page.getByText('person-77777@example.com').and(page.locator('td .clip')).waitFor();
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Role').selectOption('Admin');
    await page.getByText('200 users on this page').waitFor();
    await page.getByRole('checkbox', { name: 'Select all users on this page' }).click();
    await page.getByRole('button', { name: 'Select all that this list has' }).click();
    await page.getByText('1,000 users selected').waitFor();
    const bar = page.getByRole('group', { name: 'Selected users' });
    await bar.getByRole('button', { name: 'Deactivate' }).click();
    await dialogButton(page, 'Deactivate 1,000 users').click();
    await page.getByText('Changed 1,000 users').waitFor();
    const inactive = () =>
      service().dataSource.query(
        `SELECT count(*)::int AS count, count(*) FILTER (WHERE role = 'admin')::int AS admins
         FROM users WHERE organization_id = $1 AND NOT active`,
        [api.organizationId],
      );
    expect(await inactive()).toEqual([{ count: 1_000, admins: 1_000 }]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Restored 1,000 users').waitFor();
    expect(await inactive()).toEqual([{ count: 0, admins: 0 }]);

    await page.getByLabel('Role').selectOption('Any role');
    await page.getByText('200 users on this page').waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download', { timeout: 600_000 }),
      dialogButton(page, 'Save as CSV').click(),
    ]);
    const rows = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
    expect(rows).toHaveLength(100_001);
    expect(new Set(rows).size).toBe(100_001);
    await page.getByText('Exported 100,000 users').waitFor();
  });

  it('in two tabs on one user loses nothing that the other one did', async () => {
    const first = await visit({}, async (api, page) => {
      // Undo is offered for ten seconds; on a busy machine the other tab needs longer.
      await page.addInitScript({
        content: `{
          const set = window.setTimeout;
          window.setTimeout = (run, ms, ...rest) => set(run, ms === 10_000 ? 600_000 : ms, ...rest);
        }`,
      });
      await api.createUser({ name: 'Ada', email: 'ada@example.com' });
    });
    const { api } = first;
    const [{ id }] = (await api.get('/api/v1/users').expect(200)).body.data;
    const second = await tab(api, `users/${id}`);
    await toUsers(first.page);
    await heading(second.page, 'Ada').waitFor();

    await chooseAction(first.page, 'Edit', 'Ada');
    await first.page.getByLabel('Name').fill('Ada King');
    await second.page.getByRole('button', { name: 'Edit' }).click();
    await second.page.getByRole('dialog').getByLabel('Role').selectOption('viewer');
    await dialogButton(second.page, 'Save changes').click();
    await second.page.getByText('Saved Ada').waitFor();

    first.expectErrors(412);
    await dialogButton(first.page, 'Save changes').click();
    await first.page.getByText('Saved Ada King').waitFor();
    expect((await api.get(`/api/v1/users/${id}`).expect(200)).body).toMatchObject({
      name: 'Ada King',
      role: 'viewer',
      version: 3,
    });

    // A page that is old changes nothing either.
    second.expectErrors(412, 404);
    await second.page.getByRole('button', { name: 'Deactivate' }).click();
    await second.page
      .getByText('Somebody else changed Ada meanwhile, so the user was not deactivated')
      .waitFor();
    await heading(second.page, 'Ada King').waitFor();

    await chooseAction(first.page, 'Delete', 'Ada King');
    await dialogButton(first.page, 'Delete user').click();
    await first.page.getByText('Deleted Ada King').waitFor();
    await second.page.getByRole('button', { name: 'Deactivate' }).click();
    await second.page.getByText('There is no such user.').first().waitFor();
    await first.page.getByRole('button', { name: 'Undo: restore Ada King' }).click();
    await first.page.getByText('Restored Ada King').waitFor();
    await second.page.reload();
    await signIn(second.page, api.tokenValue);
    await heading(second.page, 'Ada King').waitFor();
  });

  it('takes a row off that somebody else has deleted, when it is worked on', async () => {
    const { page, api, expectErrors } = await visit({}, async (api) => {
      for (const name of ['Ada', 'Bob', 'Cid', 'Dan']) await api.createUser({ name });
    });
    expectErrors(404);
    await toUsers(page);
    await actionsOf(page, 'Ada').waitFor();
    for (const { id, name } of (await api.get('/api/v1/users').expect(200)).body.data)
      if (name !== 'Dan') await api.delete(`/api/v1/users/${id}`).expect(204);
    await page.route('**/api/v1/users?**', () => {}); // so that no new list takes it off
    await chooseAction(page, 'Edit', 'Ada');
    await page.getByText('There is no such user.').waitFor();
    await dialogButton(page, 'Cancel').click();
    await actionsOf(page, 'Ada').waitFor({ state: 'detached' });
    await page.unroute('**/api/v1/users?**');
    await chooseAction(page, 'Deactivate', 'Bob');
    await page.getByText('1 user on this page').waitFor();
    expect(await namesOf(page)).toEqual(['Dan']);
  });

  it('ends with the token, and goes on at the same place with another one', async () => {
    const { page, api, expectErrors } = await visit({}, (api) => api.createUser({ name: 'Ada' }));
    const other = await service().client({ organizationId: api.organizationId });
    expectErrors(401);
    await toUsers(page);
    await page.getByLabel('Role').selectOption('Member');
    await page.getByText('1 user on this page').waitFor();
    const groups = page.waitForResponse((response) => response.url().includes('user=usr_'));
    await chooseAction(page, 'Edit', 'Ada');
    await groups; // no request is under way
    await page.getByLabel('Name').fill('Ada King');
    await service().app.get(TokensService).revoke(api.organizationId, api.tokenId);
    await dialogButton(page, 'Save changes').click();
    await page.getByText('You were signed out because the token was revoked or has expired.').waitFor();
    await page.getByLabel('Admin token').and(page.locator(':focus')).waitFor();
    expect(await page.getByText('Ada').count()).toBe(0);
    await signIn(page, other.tokenValue);
    await page.getByText('1 user on this page').waitFor();
    expect(new URL(page.url()).search).toBe('?role=member');
    expect(await namesOf(page)).toEqual(['Ada']);
  });

  it('shows markup as text on every page', async () => {
    const { id: organizationId } = await service().app.get(OrganizationsService).create(MARKUP);
    const api = await service().client({ organizationId });
    const user = await api.createUser({ name: MARKUP, metadata: { [MARKUP]: MARKUP } });
    const doomed = await api.createUser({ name: MARKUP });
    await api.delete(`/api/v1/users/${doomed.id}`).expect(204);
    const { body: token } = await api
      .post('/v1/tokens', { name: MARKUP, scopes: ['admin'], expiresIn: '3d' })
      .expect(201);
    const group = await service()
      .app.get(GroupsService)
      .create(api.organizationId, { displayName: MARKUP }, [user.id]);
    await createWebhook(api, { description: MARKUP });
    const { page } = await tab(api, '');
    for (const path of [
      '',
      'users',
      `users?group=${group.id}`,
      `users/${user.id}`,
      'tokens',
      `tokens/${token.id}`,
      'groups',
      `groups/${group.id}`,
      'deleted',
      'webhooks',
      'activity',
    ]) {
      await page.evaluate(
        `history.pushState({ index: history.state.index }, '', '/dashboard/${path}'); dispatchEvent(new PopStateEvent('popstate'))`,
      );
      await page.locator('main').getByText(MARKUP).filter({ visible: true }).first().waitFor();
      expect([path, await page.locator('img, body script').count()]).toEqual([path, 0]);
    }
    await page.getByRole('banner').getByText(MARKUP).waitFor();
    while (!(await page.title()).includes(MARKUP)) await page.waitForTimeout(20);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('img');
    await page.getByRole('option', { name: `User ${MARKUP}` }).waitFor();
    await page.keyboard.press('Escape');
    await link(page, 'Users').click();
    await page.getByRole('checkbox', { name: `Select ${MARKUP}` }).click();
    await chooseAction(page, 'Delete', MARKUP);
    await page.getByRole('heading', { name: `Delete ${MARKUP}?` }).waitFor();
    expect(await page.locator('img, body script').count()).toBe(0);
  });

  it('is told who replaces whom, by the banner and in the activity', async () => {
    const { page, api } = await visit({}, (api) =>
      service().dataSource.query(
        `UPDATE tokens SET expires_in = '3d', expires_at = now() + interval '3 days' WHERE id = $1`,
        [api.tokenId],
      ),
    );
    const banner = page.getByRole('complementary', { name: 'Expiry of your token' });
    await banner.getByText('Rotate it').waitFor();
    const { token: replacement } = await service()
      .app.get(TokensService)
      .rotate(api.organizationId, api.tokenId, { overlap: '72h' });
    await page.reload();
    await signIn(page, api.tokenValue);
    await banner.getByText('It has been replaced').waitFor();
    await banner.getByText(replacement.hint).waitFor();
    await link(page, 'Activity').click();
    await page.locator('summary', { hasText: 'rotated' }).click();
    const fact = (title: string) => page.locator('dl > div').filter({ hasText: title });
    expect(await fact('Old token').innerText()).toContain(api.tokenId);
    expect(await fact('New token').innerText()).toContain(replacement.id);
  });

  it('is done with the keyboard alone: sorting, filtering, exporting, a group, deleted users, a theme', async () => {
    const { page } = await visit({}, async (api) => {
      const ada = await api.createUser({ name: 'Ada', role: 'viewer' });
      const bob = await api.createUser({ name: 'Bob' });
      await service()
        .app.get(GroupsService)
        .create(api.organizationId, { displayName: 'Sales' }, [ada.id, bob.id]);
      await api.delete(`/api/v1/users/${bob.id}`).expect(204);
    });
    const focused = page.locator(':focus');
    /** Goes to a control with Tab, or with Shift+Tab, at most 60 times. */
    const tabTo = async (role: Parameters<Page['getByRole']>[0], name: string, key = 'Tab') => {
      const control = page.getByRole(role, { name, exact: true }).and(focused);
      for (let i = 0; i < 60 && (await control.count()) === 0; i++) await page.keyboard.press(key);
      await control.waitFor();
    };
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };

    await tabTo('link', 'Users', 'Shift+Tab');
    await press('Enter');
    await heading(page, 'Users').and(focused).waitFor();
    await tabTo('combobox', 'Role');
    await page.keyboard.type('Viewer');
    await page.getByText('1 user on this page').waitFor();
    await tabTo('button', 'Email');
    await press('Enter');
    await page.locator('table[aria-busy=false] th[aria-sort=ascending]', { hasText: 'Email' }).waitFor();
    await page.getByRole('button', { name: 'Email' }).and(focused).waitFor();
    await press('Space');
    await page.locator('table[aria-busy=false] th[aria-sort=descending]', { hasText: 'Email' }).waitFor();
    const download = page.waitForEvent('download');
    await tabTo('button', 'Export', 'Shift+Tab');
    await press('Enter');
    await dialogButton(page, 'Save as CSV').and(focused).waitFor();
    await press('Enter');
    expect((await download).suggestedFilename()).toBe('users.csv');
    await page.getByText('Exported 1 user').waitFor();
    await page.getByRole('button', { name: 'Export' }).and(focused).waitFor();

    await tabTo('link', 'Groups', 'Shift+Tab');
    await press('Enter');
    await heading(page, 'Groups').and(focused).waitFor();
    await page.getByText('1 group on this page').waitFor();
    await tabTo('link', 'Sales');
    await press('Enter');
    await heading(page, 'Sales').and(focused).waitFor();
    await page.getByText('1 member on this page').waitFor();
    await tabTo('link', 'Ada');
    await press('Enter');
    await heading(page, 'Ada').and(focused).waitFor();
    await page.goBack();
    await heading(page, 'Sales').and(focused).waitFor();

    await tabTo('link', 'Deleted', 'Shift+Tab');
    await press('Enter');
    await page.getByText('1 deleted user on this page').waitFor();
    await tabTo('button', 'Restore Bob');
    await press('Enter');
    await tabTo('button', 'Restore user');
    await press('Enter');
    await page.getByText('Restored Bob').waitFor();

    await tabTo('combobox', 'Theme', 'Shift+Tab');
    await page.keyboard.type('Dark');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  });
});
