/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { GroupsService } from '../../src/groups/groups.service';
import { faultsInEveryVariant, prepareAccessibility } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import type { Client } from '../support/client';
import { chooseAction, dialogButton, rowsOf, signIn, toUsers, useDashboard } from '../support/dashboard';

const toGroups = async (page: Page) => {
  await page.getByRole('link', { name: 'Groups' }).click();
  await page.getByRole('heading', { name: 'Groups' }).waitFor();
};

const atHeading = (page: Page) =>
  page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();

describeInBrowser('groups in the dashboard', () => {
  const { visit, service } = useDashboard();
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

  it('have a hint if there are none', async () => {
    const { page } = await visit();
    await toGroups(page);
    await page.getByText('There are no groups.').waitFor();
    await toUsers(page);
    expect(await page.getByLabel('Group').count()).toBe(0);
  });

  it('are listed by name with the number of their members, and found by exact name', async () => {
    const { page } = await visit({}, prepare);
    await toGroups(page);
    await page.getByText('2 groups on this page').waitFor();
    await page.getByText('Managed by your directory').waitFor();
    expect(
      (await rowsOf(page)).map((row) =>
        row
          .replace(/grp_\w+ /, '')
          .split(' ')
          .slice(0, 2),
      ),
    ).toEqual([
      ['sales', '2'],
      ['Support', '1'],
    ]);
    await page.getByLabel('Exact name').fill('SUPPORT');
    await page.getByText('1 group on this page').waitFor();
    await page.getByLabel('Exact name').fill('Supp');
    await page.getByText('No group has the name Supp').waitFor();
  });

  it('show their members page by page, and lead back', async () => {
    const { page, requestedUrls } = await visit({}, prepare);
    await toGroups(page);
    await page.getByRole('link', { name: 'sales' }).click();
    await page.getByText('2 members on this page').waitFor();
    await atHeading(page);
    expect((await rowsOf(page)).map((row) => row.split(' ')[0])).toEqual(['Ada', 'Bob']);
    await page.getByLabel('Rows').selectOption('100');
    await page.getByText('2 members on this page').waitFor();
    expect(
      requestedUrls.some((url) => /users\?.*group=grp_.*limit=100|users\?.*limit=100.*group=grp_/.test(url)),
    ).toBe(true);
    await page.getByRole('link', { name: 'All groups' }).click();
    await page.getByText('2 groups on this page').waitFor();
    await atHeading(page);
  });

  it('say so at the address of one that is gone', async () => {
    const { page, api, expectErrors } = await visit();
    expectErrors(404);
    await prepareAccessibility(page);
    await page.goto(`${service().url}/dashboard/groups/grp_01kacpb2w5r8y3h6j9m4n7p0qx`);
    await signIn(page, api.tokenValue);
    await page.getByText('There is no such group.').waitFor();
    await page.getByRole('link', { name: 'All groups' }).waitFor();
    expect(await faultsInEveryVariant(page)).toEqual([]);
  });

  it('are shown with a user', async () => {
    const { page } = await visit({}, prepare);
    await toUsers(page);
    await chooseAction(page, 'Edit', 'Ada');
    const groups = page.getByRole('region', { name: 'Groups' });
    await groups.waitFor();
    expect(await groups.getByRole('listitem').allInnerTexts()).toEqual(['sales', 'Support']);
    await groups.getByText('Managed by your directory').waitFor();
    await dialogButton(page, 'Cancel').click();
    await chooseAction(page, 'Edit', 'Carl');
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    expect(await groups.count()).toBe(0);
  });

  it('do not move the form when they come late', async () => {
    const { page } = await visit({}, prepare);
    await toUsers(page);
    let answer = () => {};
    const asked = new Promise<void>((done) => (answer = done));
    await page.route('**/api/v1/groups?user=*', async (route) => {
      await asked;
      await route.continue();
    });
    await chooseAction(page, 'Edit', 'Ada');
    const button = dialogButton(page, 'Save changes');
    const before = await button.boundingBox();
    answer();
    await page.getByRole('region', { name: 'Groups' }).waitFor();
    expect(await button.boundingBox()).toEqual(before);
  });

  it('filter the users, but not a search', async () => {
    const { page } = await visit({}, prepare);
    await toUsers(page);
    await page.getByLabel('Group').selectOption('sales');
    await page.getByText('2 users on this page').waitFor();
    await page.getByLabel('Role').selectOption('Admin');
    await page.getByText('There are no users with the role Admin in this group.').waitFor();
    await page.getByLabel('Role').selectOption('Any role');
    await page.getByLabel('Search').fill('Carl');
    await page.getByText('1 user on this page').waitFor();
    expect(await page.getByLabel('Group').isDisabled()).toBe(true);
    await page.getByLabel('Search').fill('');
    await page.getByText('2 users on this page').waitFor();
  });
});
