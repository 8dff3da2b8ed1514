/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { GroupsService } from '../../src/groups/groups.service';
import { accessibilityFaults, prepareAccessibility } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import type { Client } from '../support/client';
import { actionsOf, chooseAction, dialogButton, toUsers, useDashboard } from '../support/dashboard';

const VARIANTS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 320].map((width) => ({ colorScheme, width })),
);

/** An error response for a mocked route. */
const problem = (status: number, code: string) => ({
  status,
  headers: { 'Retry-After': '40', 'Content-Type': 'application/problem+json' },
  body: JSON.stringify({ title: code, status, code, detail: 'The service failed.', requestId: 'some-id' }),
});

/** Creates an example of everything that a list can show. */
async function seed(api: Client, groups: GroupsService): Promise<void> {
  const createToken = (body: object) => api.post('/v1/tokens', body).expect(201);
  await createToken({ name: 'Bootstrap', scopes: ['admin'] });
  await createToken({ name: 'Soon', scopes: ['users:read', 'users:write', 'users:delete'], expiresIn: '3d' });
  const { body } = await createToken({ name: `Long${'name'.repeat(20)}`, scopes: ['users:read'] });
  await api.delete(`/v1/tokens/${body.id}`).expect(204);
  const ada = await api.createUser({ name: 'Ada', metadata: { plan: 'pro', seats: 5, tags: ['a'] } });
  await groups.create(api.organizationId, { displayName: 'Sales' }, [ada.id]);
  await groups.create(api.organizationId, { displayName: 'x'.repeat(256) });
  await api.createUser({ name: 'x'.repeat(200), email: `${'x'.repeat(60)}@${'y'.repeat(60)}.example` });
}

/** Brings the page into each of its states and calls `check` there. */
async function visitStates(page: Page, api: Client, url: string, check: (state: string) => Promise<void>) {
  await page.goto(url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Admin token is required.').waitFor();
  await check('sign-in with an error');

  await page.getByLabel('Admin token').fill(api.tokenValue);
  await page.keyboard.press('Enter');
  await page.getByText('4 tokens on this page').waitFor();
  await page.getByRole('complementary').waitFor();
  await check('tokens');
  await page.getByRole('radio', { name: 'expired' }).check();
  await page.getByText('There are no expired tokens.').waitFor();
  await check('no tokens');
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByLabel('Expiry').selectOption('never');
  await dialogButton(page, 'Create token').click();
  await page.getByText('Name must not be empty.').waitFor();
  await check('new token with errors');
  await page.getByLabel('Expiry').selectOption('custom');
  await page.getByLabel('Name').fill('New');
  await page.getByLabel('Days').fill('20');
  await page.getByRole('checkbox', { name: 'admin' }).check();
  await check('new token, filled in');
  await dialogButton(page, 'Create token').click();
  await page.getByRole('textbox', { name: 'Token' }).waitFor();
  await dialogButton(page, 'Done').click();
  await check('confirmation that the token is saved');
  await dialogButton(page, 'Back').click();
  await page.getByRole('button', { name: 'Copy: Token' }).click();
  await page.getByText('Copied').waitFor();
  await check('value of the new token');
  await dialogButton(page, 'Done').click();
  await page.getByRole('radio', { name: 'all' }).check();
  await chooseAction(page, 'Revoke', 'Test');
  await check('revoke dialog');
  await dialogButton(page, 'Cancel').click();

  await page.route('**/api/v1/users?**', () => {});
  await toUsers(page);
  await check('users while loading');
  await page.unroute('**/api/v1/users?**');
  await page.getByLabel('Rows').selectOption('100');
  await page.getByText('2 users on this page').waitFor();
  await page.getByRole('button', { name: 'Copy the id of Ada' }).click();
  await page.getByText('Copied').waitFor();
  await check('users');
  await page.getByRole('checkbox', { name: 'Select Ada' }).check();
  await actionsOf(page, 'Ada').click();
  await check('selected users, and the menu of a row');
  await page.keyboard.press('Escape');
  await page.getByRole('group', { name: 'Selected users' }).getByRole('button', { name: 'Delete' }).click();
  await check('question before many are deleted');
  await dialogButton(page, 'Cancel').click();
  await page.getByRole('button', { name: 'Change role' }).click();
  await check('menu of roles');
  await page.route('**/users/batch', () => {});
  await page.getByRole('menuitem', { name: 'Viewer' }).click();
  await dialogButton(page, 'Change 1 user').click();
  await page.getByText('0 of 1 user').waitFor();
  await check('change of many under way');
  await page.keyboard.press('Escape');
  await check('question before it is stopped');
  await dialogButton(page, 'Stop').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.unroute('**/users/batch');
  const errors = [{ field: 'email', code: 'conflict', message: 'is '.repeat(80) }];
  await page.route('**/users/batch', (route) =>
    route.fulfill({ json: { results: [{ index: 0, status: 'failed', errors }] } }),
  );
  await page
    .getByRole('group', { name: 'Selected users' })
    .getByRole('button', { name: 'Deactivate' })
    .click();
  await dialogButton(page, 'Deactivate 1 user').click();
  await page.getByRole('list', { name: 'Users that were refused' }).waitFor();
  await check('users that were refused');
  await dialogButton(page, 'Close').click();
  await page.unroute('**/users/batch');
  await page.route('**/api/v1/users?**', () => {});
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByLabel('Changed since').waitFor();
  await check('export');
  await dialogButton(page, 'Save as CSV').click();
  await page.getByText('0 users read so far').waitFor();
  await check('export under way');
  await dialogButton(page, 'Cancel').click();
  await page.unroute('**/api/v1/users?**');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search users, pages and actions' }).fill('ad');
  await page.getByRole('option', { name: /User Ada/ }).waitFor();
  await check('palette');
  await page.keyboard.press('Escape');
  await page.route('**/api/v1/users?**', (route) => route.fulfill(problem(500, 'internal_error')));
  await page.getByLabel('Rows').selectOption('50');
  await page.getByText('The service failed.').waitFor();
  await check('users after an error');
  await page.unroute('**/api/v1/users?**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('2 users on this page').waitFor();
  await chooseAction(page, 'Edit', 'Ada');
  await page.getByRole('button', { name: 'Add a key' }).click();
  await page.getByLabel('Value of row 4').fill('x');
  await page.getByLabel('Email').fill('nobody');
  await dialogButton(page, 'Save changes').click();
  await page.getByText('The key must not be empty.').waitFor();
  await check('edited user with errors');
  await dialogButton(page, 'Cancel').click();
  await check('confirmation that changes are discarded');
  await dialogButton(page, 'Discard changes').click();
  const { body } = await api.get('/api/v1/users/search?q=Ada').expect(200);
  const changeAda = (changes: object) => api.patch(`/api/v1/users/${body.data[0].id}`, changes).expect(200);
  await chooseAction(page, 'Edit', 'Ada');
  await page.getByLabel('Name').fill('Ada Lovelace');
  await page.getByLabel('Value of seats').fill('7');
  await page.getByLabel('Value of plan').fill('free');
  await changeAda({
    name: 'x'.repeat(200),
    role: 'admin',
    metadata: { plan: 'pro', seats: { ['y'.repeat(64)]: 6 } },
  });
  await dialogButton(page, 'Save changes').click();
  await page.getByText('your changes are not saved yet').waitFor();
  await check('two changes of the same fields');
  await dialogButton(page, 'Cancel').click();
  await dialogButton(page, 'Discard changes').click();
  await chooseAction(page, 'Delete', 'Ada');
  await check('delete dialog');
  await dialogButton(page, 'Delete user').click();
  await page.getByText('so it was not deleted').waitFor();
  await check('delete dialog of a changed user');
  await changeAda({ name: 'Ada' });
  await dialogButton(page, 'Cancel').click();
  await page.getByLabel('Search').fill('nobody at all');
  await page.getByText('No users match').waitFor();
  await check('search without results');
  await page.route('**/users/search?**', (route) => route.fulfill(problem(429, 'rate_limited')));
  await page.getByLabel('Search').fill('ada');
  await page.getByText('Too many requests').waitFor();
  await check('rate limit used up');
  await page.unroute('**/users/search?**');

  await page.getByRole('link', { name: 'Groups' }).click();
  await page.getByText('2 groups on this page').waitFor();
  await check('groups');
  await page.getByRole('link', { name: 'Sales' }).click();
  await page.getByText('1 member on this page').waitFor();
  await check('members of a group');
  await page.getByRole('link', { name: 'All groups' }).click();
  await page.getByText('2 groups on this page').waitFor();
  await page.getByLabel('Exact name').fill('Nothing');
  await page.getByText('No group has the name Nothing').waitFor();
  await check('no groups');
  await toUsers(page);
  await chooseAction(page, 'Edit', 'Ada');
  await page.getByRole('region', { name: 'Groups' }).waitFor();
  await check('edit dialog of a user in a group');
  await dialogButton(page, 'Cancel').click();

  await page.getByRole('link', { name: 'Deleted' }).click();
  await page.getByText('There are no deleted users.').waitFor();
  await check('no deleted users');
  await api.createUser({ name: 'Doomed', email: 'doomed@example.com' });
  await toUsers(page);
  await chooseAction(page, 'Delete', 'Doomed');
  await dialogButton(page, 'Delete user').click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await check('users after a deletion');
  await page.getByRole('link', { name: 'Deleted' }).click();
  await page.getByText('1 deleted user on this page').waitFor();
  await check('deleted users');
  const other = await api.createUser({ email: 'doomed@example.com' });
  await page.getByRole('button', { name: 'Restore Doomed' }).click();
  await dialogButton(page, 'Restore user').click();
  await page.getByText('Email is already used').waitFor();
  await check('restore dialog with an error');
  await dialogButton(page, 'Cancel').click();
  await page.getByRole('button', { name: 'Purge Doomed' }).click();
  await check('purge dialog');
  await dialogButton(page, 'Purge user').click();
  await page.getByText('Purged Doomed').waitFor();
  for (const path of [`users/${other.id}`, `deleted-users/${other.id}`])
    await api.delete(`/api/v1/${path}`).expect(204);

  await page.route('**/api/v1/events?**', () => {});
  await page.getByRole('link', { name: 'Activity' }).click();
  await page.getByRole('heading', { name: 'Activity' }).waitFor();
  await check('activity while loading');
  await page.unroute('**/api/v1/events?**');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText(/changed the name, .*metadata of/).click();
  await page.getByRole('button', { name: 'Only what happened to this user' }).waitFor();
  await check('activity with details');
  await page.getByRole('button', { name: 'Only what happened to this user' }).click();
  await page.getByRole('button', { name: 'Show everything' }).and(page.locator(':focus')).waitFor();
  await page.getByLabel('Person').fill('xxx');
  await page.getByRole('list', { name: 'People found' }).waitFor();
  await check('activity of a user, and people found');
  await page.getByLabel('Person').fill('nobody at all');
  await page.getByText('Nobody found').waitFor();
  await page.route('**/api/v1/events?**', () => {});
  await page.getByLabel('Kind').selectOption('Users changed');
  await page.getByText('Loading').waitFor();
  await check('activity while another filter loads, and nobody found');
  await page.unroute('**/api/v1/events?**');
  await page.getByLabel('Kind').selectOption('Tokens revoked');
  await page.getByText('There are no such entries.').waitFor();
  await check('no activity');
  await page.route('**/api/v1/events?**', (route) => route.fulfill(problem(500, 'internal_error')));
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('The service failed.').waitFor();
  await check('activity after an error');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out').waitFor();
  await check('signed out');
}

describeInBrowser('the dashboard', () => {
  const { service, open } = useDashboard();

  it.each(VARIANTS)(
    'meets WCAG 2.2 AA in every state, $colorScheme and $width px wide',
    async ({ colorScheme, width }) => {
      const { page, expectErrors } = await open({ colorScheme, viewport: { width, height: 800 } });
      expectErrors(400, 409, 412, 429, 500);
      await prepareAccessibility(page);
      const api = await service().client();
      await seed(api, service().app.get(GroupsService));
      const failures: string[] = [];

      await visitStates(page, api, `${service().url}/dashboard/tokens`, async (state) => {
        failures.push(...(await accessibilityFaults(page)).map((fault) => `${state}: ${fault}`));
      });

      expect(failures).toEqual([]);
    },
  );
});
