/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Locator, Page } from 'playwright-core';
import { GroupsService } from '../../src/groups/groups.service';
import { collectFaults } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import type { Client } from '../support/client';
import {
  actionsOf,
  buttonOf,
  chooseAction,
  closed,
  dialogButton,
  dialogOf,
  fills,
  focusOn,
  headingOf,
  keyboardOf,
  panelOf,
  shows,
  signIn,
  submits,
  toSection,
  useDashboard,
} from '../support/dashboard';

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** An error response for a mocked route. */
const problem = (status: number, code: string): Answer => ({
  status,
  headers: { 'Retry-After': '40', 'Content-Type': 'application/problem+json' },
  body: JSON.stringify({ title: code, status, code, detail: 'The service failed.', requestId: 'some-id' }),
});

const USERS = '**/api/v1/users?**';
const EVENTS = '**/api/v1/events?**';

describeInBrowser('the dashboard meets WCAG 2.2 AA', () => {
  const { service, open, visit } = useDashboard();
  const group = (api: Client, displayName: string, members: string[] = []) =>
    service().app.get(GroupsService).create(api.organizationId, { displayName }, members);
  const selected = (page: Page, button: string) =>
    page.getByRole('group', { name: 'Selected users' }).getByRole('button', { name: button });

  /** Shows what the page shows while it waits for an answer, or after a failure. */
  const whileAnswered = async (
    page: Page,
    pattern: string,
    answer: Answer | undefined,
    look: () => Promise<unknown>,
  ) => {
    await page.route(pattern, (route) => (answer ? route.fulfill(answer) : undefined));
    await look();
    await page.unroute(pattern);
  };

  it('when somebody signs in, and where tokens are', async () => {
    const [{ page, expectErrors }, api] = [await open(), await service().client()];
    expectErrors(400);
    const { faults, check } = collectFaults(page);
    const createToken = async (fields: object) => (await api.post('/v1/tokens', fields).expect(201)).body;
    await createToken({ name: 'Bootstrap', scopes: ['admin'] });
    await createToken({
      name: 'Soon',
      scopes: ['users:read', 'users:write', 'users:delete'],
      expiresIn: '3d',
    });
    const { id } = await createToken({ name: `Long${'name'.repeat(20)}`, scopes: ['users:read'] });
    await api.delete(`/v1/tokens/${id}`).expect(204);
    await page.goto(`${service().url}/dashboard/tokens`);
    await buttonOf(page, 'Sign in').click();
    await shows(page, 'Admin token is required.');
    await check('sign-in with an error');
    await signIn(page, api.tokenValue);
    await shows(page, '4 tokens on this page');
    await page.getByRole('complementary').waitFor();
    await check('tokens');
    await page.getByRole('radio', { name: 'expired' }).check();
    await shows(page, 'There are no expired tokens.');
    await check('no tokens');
    await buttonOf(page, 'Create token').click();
    await submits(page, 'Create token', { Expiry: 'never' });
    await shows(page, 'Name must not be empty.');
    await check('new token with errors');
    await fills(dialogOf(page), { Expiry: 'custom', Name: 'New', Days: '20', admin: true });
    await check('new token, filled in');
    await submits(page, 'Create token');
    await page.getByRole('textbox', { name: 'Token' }).waitFor();
    await submits(page, 'Done');
    await check('confirmation that the token is saved');
    await submits(page, 'Back');
    await buttonOf(page, 'Copy: Token').click();
    await shows(page, 'Copied');
    await check('value of the new token');
    await submits(page, 'Done');
    await page.getByRole('radio', { name: 'all' }).check();
    await chooseAction(page, 'Revoke', 'Test');
    await check('revoke dialog');
    await submits(page, 'Cancel');
    await page.getByRole('link', { name: 'Soon', exact: true }).click();
    await shows(panelOf(page, 'What happened to it'), 'created');
    await check('page of a token');
    await buttonOf(page, 'Sign out').click();
    await shows(page, 'You are signed out');
    await check('signed out');
    expect(faults).toEqual([]);
  });

  it('where users are, alone and many, and where they are exported', async () => {
    const { page, expectErrors } = await visit('tokens', async (api) => {
      await api.createUser({ name: 'Ada', metadata: { plan: 'pro', seats: 5, tags: ['a'] } });
      const email = `${'x'.repeat(60)}@${'y'.repeat(60)}.example`;
      await api.createUser({ name: 'x'.repeat(200), email });
    });
    expectErrors(429, 500);
    const { faults, check } = collectFaults(page);
    await whileAnswered(page, USERS, undefined, async () => {
      await toSection(page, 'Users');
      await check('users while loading');
    });
    await fills(page, { Rows: '100' });
    await shows(page, '2 users on this page');
    await buttonOf(page, 'Copy the id of Ada').click();
    await shows(page, 'Copied');
    await page.getByRole('checkbox', { name: 'Select Ada' }).check();
    await actionsOf(page, 'Ada').click();
    await check('selected users, and the menu of a row');
    await page.keyboard.press('Escape');
    await selected(page, 'Delete').click();
    await check('question before many are deleted');
    await submits(page, 'Cancel');
    await selected(page, 'Change role').click();
    await check('menu of roles');
    await whileAnswered(page, '**/users/batch', undefined, async () => {
      await page.getByRole('menuitem', { name: 'Viewer' }).click();
      await submits(page, 'Change 1 user');
      await shows(page, '0 of 1 user');
      await check('change of many under way');
      await page.keyboard.press('Escape');
      await check('question before it is stopped');
      await submits(page, 'Stop');
      await closed(page);
    });
    const errors = [{ field: 'email', code: 'conflict', message: 'is '.repeat(80) }];
    const refusal = JSON.stringify({ results: [{ index: 0, status: 'failed', errors }] });
    const refused = { status: 200, headers: { 'Content-Type': 'application/json' }, body: refusal };
    await whileAnswered(page, '**/users/batch', refused, async () => {
      await selected(page, 'Deactivate').click();
      await submits(page, 'Deactivate 1 user');
      await page.getByRole('list', { name: 'Users that were refused' }).waitFor();
      await check('users that were refused');
      await submits(page, 'Close');
    });
    await whileAnswered(page, USERS, undefined, async () => {
      await buttonOf(page, 'Export').click();
      await page.getByLabel('Changed since').waitFor();
      await check('export');
      await submits(page, 'Save as CSV');
      await shows(page, '0 users read so far');
      await check('export under way');
      await submits(page, 'Cancel');
    });
    await buttonOf(page, 'Clear').click();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search users, pages and actions' }).fill('ad');
    await page.getByRole('option', { name: /User Ada/ }).waitFor();
    await check('palette');
    await page.keyboard.press('Escape');
    await whileAnswered(page, USERS, problem(500, 'internal_error'), async () => {
      await fills(page, { Rows: '50' });
      await shows(page, 'The service failed.');
      await check('users after an error');
    });
    await buttonOf(page, 'Try again').click();
    await shows(page, '2 users on this page');
    await fills(page, { Search: 'nobody at all' });
    await shows(page, 'No users match');
    await check('search without results');
    await whileAnswered(page, '**/users/search?**', problem(429, 'rate_limited'), async () => {
      await fills(page, { Search: 'ada' });
      await shows(page, 'Too many requests');
      await check('rate limit used up');
    });
    expect(faults).toEqual([]);
  });

  it('where a user is edited, shown, deleted and restored', async () => {
    let ada = '';
    const { page, api, expectErrors } = await visit('users', async (api) => {
      const metadata = { plan: 'pro', seats: 5, tags: ['a'], ['k'.repeat(64)]: { text: 'y'.repeat(300) } };
      ada = (await api.createUser({ name: 'Ada', metadata })).id;
      await group(api, 'Sales', [ada]);
    });
    expectErrors(400, 409, 412);
    const { faults, check } = collectFaults(page);
    const changeAda = (changes: object) => api.patch(`/api/v1/users/${ada}`, changes).expect(200);
    await chooseAction(page, 'Edit', 'Ada');
    await page.getByRole('region', { name: 'Groups' }).waitFor();
    await buttonOf(page, 'Add a key').click();
    await submits(page, 'Save changes', { 'Value of row 5': 'x', Email: 'nobody' });
    await shows(page, 'The key must not be empty.');
    await check('edited user in a group, with errors');
    await submits(page, 'Cancel');
    await check('confirmation that changes are discarded');
    await submits(page, 'Discard changes');
    await chooseAction(page, 'Edit', 'Ada');
    await fills(dialogOf(page), { Name: 'Ada King', 'Value of seats': '7', 'Value of plan': 'free' });
    const metadata = { plan: 'pro', seats: { ['y'.repeat(64)]: 6 } };
    await changeAda({ name: 'x'.repeat(200), role: 'admin', metadata });
    await submits(page, 'Save changes');
    await shows(page, 'your changes are not saved yet');
    await check('two changes of the same fields');
    await submits(page, 'Cancel');
    await submits(page, 'Discard changes');
    await chooseAction(page, 'Delete', 'Ada');
    await check('delete dialog');
    await submits(page, 'Delete user');
    await shows(page, 'so it was not deleted');
    await check('delete dialog of a changed user');
    await submits(page, 'Cancel');

    await chooseAction(page, 'Open', 'Ada');
    await panelOf(page, 'Activity').getByText('created').waitFor();
    await buttonOf(page, 'Show directory attributes').click();
    await shows(page, 'No directory has given');
    await check('page of a user');
    await panelOf(page, 'Metadata').getByRole('radio', { name: 'JSON' }).check();
    await check('metadata as JSON');
    await buttonOf(page, 'Delete').click();
    await submits(page, 'Delete user');
    await page.locator('.chip', { hasText: 'Deleted' }).waitFor();
    await check('page of a deleted user');

    await toSection(page, 'Deleted');
    await shows(page, '1 deleted user on this page');
    await check('deleted users');
    const { body } = await api.get('/api/v1/deleted-users').expect(200);
    const other = await api.createUser({ email: body.data[0].email });
    await page.getByRole('button', { name: 'Restore' }).click();
    await submits(page, 'Restore user');
    await shows(page, 'Email is already used');
    await check('restore dialog with an error');
    await submits(page, 'Cancel');
    await page.getByRole('button', { name: 'Purge' }).click();
    await check('purge dialog');
    await submits(page, 'Purge user');
    await shows(page, 'There are no deleted users.');
    await check('no deleted users');
    await toSection(page, 'Users');
    await chooseAction(page, 'Delete', other.name);
    await submits(page, 'Delete user');
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await check('users after a deletion');
    expect(faults).toEqual([]);
  });

  it('where groups are, what has happened, and the overview', async () => {
    const { page, expectErrors } = await visit('', async (api) => {
      const user = await api.createUser({ name: 'Ada', metadata: { plan: 'pro' } });
      const changes = { name: 'x'.repeat(200), metadata: { plan: { ['y'.repeat(64)]: 6 } } };
      await api.patch(`/api/v1/users/${user.id}`, changes).expect(200);
      const ending = { name: 'n'.repeat(100), scopes: ['admin'], expiresIn: '3d' };
      await api.post('/v1/tokens', ending).expect(201);
      await group(api, 'Sales', [user.id]);
      await group(api, 'x'.repeat(256));
    });
    expectErrors(500);
    const { faults, check } = collectFaults(page);
    await page.getByText('Show as a table').click();
    await panelOf(page, 'Latest activity').getByText('created').first().waitFor();
    await shows(panelOf(page, 'Tokens that end soon'), 'Expires');
    await check('overview');

    await toSection(page, 'Groups');
    await shows(page, '2 groups on this page');
    await check('groups');
    await page.getByRole('link', { name: 'Sales' }).click();
    await shows(page, '1 member on this page');
    await check('members of a group');
    await page.getByRole('link', { name: 'All groups' }).click();
    await shows(page, '2 groups on this page');
    await fills(page, { 'Exact name': 'Nothing' });
    await shows(page, 'No group has the name Nothing');
    await check('no groups');

    await whileAnswered(page, EVENTS, undefined, async () => {
      await toSection(page, 'Activity');
      await check('activity while loading');
    });
    await buttonOf(page, 'Refresh').click();
    await page.getByText(/changed the name and metadata of/).click();
    await buttonOf(page, 'Only what happened to this user').waitFor();
    await check('activity with details');
    await buttonOf(page, 'Only what happened to this user').click();
    await focusOn(buttonOf(page, 'Show everything'));
    await fills(page, { Person: 'xxx' });
    await page.getByRole('list', { name: 'People found' }).waitFor();
    await check('activity of a user, and people found');
    await fills(page, { Person: 'nobody at all' });
    await shows(page, 'Nobody found');
    await whileAnswered(page, EVENTS, undefined, async () => {
      await fills(page, { Kind: 'Users changed' });
      await shows(page, 'Loading');
      await check('activity while another filter loads, and nobody found');
    });
    await fills(page, { Kind: 'Tokens revoked' });
    await shows(page, 'There are no such entries.');
    await check('no activity');
    await whileAnswered(page, EVENTS, problem(500, 'internal_error'), async () => {
      await buttonOf(page, 'Refresh').click();
      await shows(page, 'The service failed.');
      await check('activity after an error');
    });
    expect(faults).toEqual([]);
  });
});

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
      await press('Enter', 'ArrowDown', 'Enter');
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
    await shows(page, 'No users on this page');
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
    while ((await page.locator('summary').and(page.locator(':focus')).count()) === 0) await press('Tab');
    await press('Enter');
    await page.getByRole('table', { name: 'Values' }).waitFor();
    await enter('button', 'Only what happened to this user');
    await focusOn(buttonOf(page, 'Show everything'));
    await press('Enter');
    await focusOn(headingOf(page, 'Activity'));
    await enter('button', 'Sign out', 'Shift+Tab');
    await focusOn(page.getByLabel('Admin token'));
  });

  it('can sort, filter, export, look at a group, restore a user and choose a theme', async () => {
    const prepare = async (api: Client) => {
      const ada = await api.createUser({ name: 'Ada', role: 'viewer' });
      const bob = await api.createUser({ name: 'Bob' });
      await service()
        .app.get(GroupsService)
        .create(api.organizationId, { displayName: 'Sales' }, [ada.id, bob.id]);
      await api.delete(`/api/v1/users/${bob.id}`).expect(204);
    };
    const { page } = await visit('tokens', prepare, {});
    const { press, tabTo, enter, type } = keyboardOf(page);
    const sorted = (direction: string) =>
      page.locator(`table[aria-busy=false] th[aria-sort=${direction}]`, { hasText: 'Email' }).waitFor();

    await enter('link', 'Users', 'Shift+Tab');
    await focusOn(headingOf(page, 'Users'));
    await tabTo('combobox', 'Role');
    await type('Viewer');
    await shows(page, '1 user on this page');
    await enter('button', 'Email');
    await sorted('ascending');
    await focusOn(page.getByRole('button', { name: 'Email' }));
    await press('Space');
    await sorted('descending');
    const download = page.waitForEvent('download');
    await enter('button', 'Export', 'Shift+Tab');
    await focusOn(dialogButton(page, 'Save as CSV'));
    await press('Enter');
    expect((await download).suggestedFilename()).toBe('users.csv');
    await shows(page, 'Exported 1 user');
    await focusOn(buttonOf(page, 'Export'));

    await enter('link', 'Groups', 'Shift+Tab');
    await focusOn(headingOf(page, 'Groups'));
    await shows(page, '1 group on this page');
    await enter('link', 'Sales');
    await focusOn(headingOf(page, 'Sales'));
    await shows(page, '1 member on this page');
    await enter('link', 'Ada');
    await focusOn(headingOf(page, 'Ada'));
    await page.goBack();
    await focusOn(headingOf(page, 'Sales'));

    await enter('link', 'Deleted', 'Shift+Tab');
    await shows(page, '1 deleted user on this page');
    await enter('button', 'Restore Bob');
    await enter('button', 'Restore user');
    await shows(page, 'Restored Bob');

    await tabTo('combobox', 'Theme', 'Shift+Tab');
    await type('Dark');
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
