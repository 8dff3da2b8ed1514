/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { meetsWcag } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import type { Client, UserBody } from '../support/client';
import {
  buttonOf,
  chooseAction,
  dialogButton,
  dialogOf,
  fills,
  focusOn,
  hold,
  rowsOf,
  shows,
  submits,
  toSection,
  useDashboard,
  userOf,
} from '../support/dashboard';

const deleteUser = async (api: Client, fields: object): Promise<UserBody> => {
  const user = await api.createUser(fields);
  await api.delete(`/api/v1/users/${user.id}`).expect(204);
  return user;
};

const atHeading = (page: Page) => focusOn(page.getByRole('heading', { level: 1 }));

describeInBrowser('deleted users in the dashboard', () => {
  const { visit } = useDashboard();
  /** Opens the deleted users, of whom there is one. */
  const visitDeleted = async (fields: object = {}) => {
    let ada: UserBody;
    const opened = await visit('deleted', async (api) => {
      ada = await deleteUser(api, { name: 'Ada', ...fields });
    });
    return { ...opened, ada: ada! };
  };

  it('are listed, the latest first, and found by their whole email', async () => {
    const { page, requestedUrls } = await visit('deleted', async (api) => {
      await deleteUser(api, { name: 'Ada', email: 'ada@example.com', role: 'viewer' });
      await deleteUser(api, { name: 'Bob', email: 'bob@example.com' });
      await api.createUser({ name: 'Kept' });
    });
    await shows(page, '2 deleted users on this page');
    await meetsWcag(page);
    expect((await rowsOf(page)).map((row) => row.split(' ')[0])).toEqual(['Bob', 'Ada']);
    expect((await rowsOf(page))[1]).toContain('ada@example.com Viewer');
    await fills(page, { Email: 'ADA@example' });
    await shows(page, 'Enter the full email address');
    expect(requestedUrls.filter((url) => url.includes('email='))).toEqual([]);
    await fills(page, { Email: 'ADA@example.com' });
    await shows(page, '1 deleted user on this page');
    expect((await rowsOf(page))[0]).toMatch(/^Ada /);
    await fills(page, { Email: 'nobody@example.com' });
    await shows(page, 'No deleted user had the email nobody@example.com');
  });

  it('can be restored, with another email if theirs is taken', async () => {
    const fields = { email: 'ada@example.com', metadata: { plan: 'pro' } };
    const { page, api, ada, expectErrors } = await visitDeleted(fields);
    await api.createUser({ email: 'Ada@example.com' });
    expectErrors(409, 400);
    await buttonOf(page, 'Restore Ada').click();
    await submits(page, 'Restore user');
    await shows(page, 'Email is already used by another user of the organization.');
    await focusOn(dialogOf(page).getByLabel('Email'));
    await meetsWcag(page);
    await submits(page, 'Restore user', { Email: 'nobody' });
    await shows(page, 'Email must be an email address.');
    await submits(page, 'Restore user', { Email: 'second@example.com' });
    await shows(page, 'Restored Ada', 'There are no deleted users.');
    await atHeading(page);
    const { metadata } = ada;
    expect(await userOf(api, ada)).toMatchObject({ email: 'second@example.com', metadata, version: 2 });
  });

  it('are purged only after a question', async () => {
    const { page, api, ada } = await visitDeleted();
    await buttonOf(page, 'Purge Ada').click();
    await focusOn(dialogButton(page, 'Cancel'));
    await meetsWcag(page);
    await submits(page, 'Cancel');
    await api.get(`/api/v1/deleted-users/${ada.id}`).expect(200);
    await buttonOf(page, 'Purge Ada').click();
    await submits(page, 'Purge user');
    await shows(page, 'Purged Ada');
    await atHeading(page);
    await meetsWcag(page);
    await api.get(`/api/v1/deleted-users/${ada.id}`).expect(404);
    await toSection(page, 'Activity');
    await shows(page, 'Test purged a deleted user');
    await page.locator('.entry', { hasText: 'Test created a user who has been purged' }).click();
    await shows(page, 'The values were removed when the user was purged.');
  });

  it('that are gone meanwhile are said to be', async () => {
    const { page, api, ada, expectErrors } = await visitDeleted();
    await buttonOf(page, 'Restore Ada').click();
    await api.delete(`/api/v1/deleted-users/${ada.id}`).expect(204);
    expectErrors(404);
    await submits(page, 'Restore user');
    await shows(dialogOf(page), 'There is no such deleted user.');
  });

  describe('who were deleted a moment ago', () => {
    const visitUsers = async (hasClock?: boolean) => {
      let ada: UserBody;
      const prepare = async (api: Client) => {
        ada = await api.createUser({ name: 'Ada', email: 'ada@example.com', externalId: 'E-1' });
      };
      const opened = await visit('users', prepare, hasClock ? { hasClock } : undefined);
      const { page } = opened;
      await chooseAction(page, 'Delete', 'Ada');
      await submits(page, 'Delete user');
      await shows(page, 'Deleted Ada');
      return { ...opened, ada: ada!, undo: page.getByRole('button', { name: 'Undo' }) };
    };

    it('come back with Undo, which closes no dialog that is opened meanwhile', async () => {
      const { page, api, ada, undo } = await visitUsers();
      await meetsWcag(page);
      const answer = await hold(page, '**/restore');
      await undo.click();
      await buttonOf(page, 'Create user').click();
      await fills(dialogOf(page), { Name: 'Typed' });
      answer();
      await shows(page, 'Restored Ada');
      expect(await dialogOf(page).getByLabel('Name').inputValue()).toBe('Typed');
      expect(await undo.count()).toBe(0);
      expect(await userOf(api, ada)).toMatchObject({ name: 'Ada', version: 2 });
    });

    it('are asked for another email if theirs is taken by then', async () => {
      const { page, api, ada, undo, expectErrors } = await visitUsers();
      await api.createUser({ email: 'ada@example.com' });
      expectErrors(409);
      await undo.click();
      await shows(page, 'Somebody else has the email of this user by now');
      await page.locator('.banner:focus').waitFor();
      await submits(page, 'Restore user', { Email: 'second@example.com' });
      await shows(page, 'Restored Ada');
      expect(await userOf(api, ada)).toMatchObject({ email: 'second@example.com' });
    });

    it('say so if their external id is taken by then, for which no other email helps', async () => {
      const { page, api, undo, expectErrors } = await visitUsers();
      await api.createUser({ externalId: 'E-1' });
      expectErrors(409);
      await undo.click();
      await shows(page, 'externalId is already used by another user of the organization');
      expect([await dialogOf(page).count(), await undo.count()]).toEqual([0, 0]);
    });

    it('are offered for ten seconds', async () => {
      const { page, undo } = await visitUsers(true);
      await undo.focus();
      await page.clock.fastForward(5_000); // and not nine, because the clock also runs by itself
      expect(await undo.count()).toBe(1);
      await page.clock.fastForward(6_000);
      await undo.waitFor({ state: 'detached' });
      await page.clock.fastForward(1_000);
      await atHeading(page);
      await shows(page, 'Deleted Ada');
    });
  });
});
