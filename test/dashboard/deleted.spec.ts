/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import type { Client, UserBody } from '../support/client';
import { actionsOf, chooseAction, dialogButton, rowsOf, toUsers, useDashboard } from '../support/dashboard';

const toDeleted = async (page: Page) => {
  await page.getByRole('link', { name: 'Deleted' }).click();
  await page.getByRole('heading', { name: 'Deleted users' }).waitFor();
};

const deleteUser = async (api: Client, fields: object): Promise<UserBody> => {
  const user = await api.createUser(fields);
  await api.delete(`/api/v1/users/${user.id}`).expect(204);
  return user;
};

const userOf = async (api: Client, { id }: { id: string }) =>
  (await api.get(`/api/v1/users/${id}`).expect(200)).body;

const atHeading = (page: Page) =>
  page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor();

describeInBrowser('deleted users in the dashboard', () => {
  const { visit } = useDashboard();
  const visitDeleted = async (prepare?: (api: Client) => Promise<unknown>) => {
    const opened = await visit({}, prepare);
    await toDeleted(opened.page);
    return opened;
  };

  it('have a hint if there are none', async () => {
    const { page } = await visitDeleted();
    await page.getByText('There are no deleted users.').waitFor();
  });

  it('are listed, the latest first, and found by their whole email', async () => {
    const { page, requestedUrls } = await visitDeleted(async (api) => {
      await deleteUser(api, { name: 'Ada', email: 'ada@example.com', role: 'viewer' });
      await deleteUser(api, { name: 'Bob', email: 'bob@example.com' });
      await api.createUser({ name: 'Kept' });
    });
    await page.getByText('2 deleted users on this page').waitFor();
    expect((await rowsOf(page)).map((row) => row.split(' ')[0])).toEqual(['Bob', 'Ada']);
    expect((await rowsOf(page))[1]).toContain('ada@example.com Viewer');
    await page.getByLabel('Email').fill('ADA@example');
    await page.getByText('Enter the full email address').waitFor();
    expect(requestedUrls.filter((url) => url.includes('email='))).toEqual([]);
    await page.getByLabel('Email').fill('ADA@example.com');
    await page.getByText('1 deleted user on this page').waitFor();
    expect((await rowsOf(page))[0]).toMatch(/^Ada /);
    await page.getByLabel('Email').fill('nobody@example.com');
    await page.getByText('No deleted user had the email nobody@example.com').waitFor();
  });

  it('can be restored', async () => {
    let ada: UserBody;
    const { page, api } = await visitDeleted(
      async (api) => (ada = await deleteUser(api, { name: 'Ada', metadata: { plan: 'pro' } })),
    );
    await page.getByRole('button', { name: 'Restore Ada' }).click();
    await dialogButton(page, 'Restore user').click();
    await page.getByText('Restored Ada').waitFor();
    await page.getByText('There are no deleted users.').waitFor();
    await atHeading(page);
    expect(await userOf(api, ada!)).toMatchObject({
      email: ada!.email,
      metadata: { plan: 'pro' },
      version: 2,
    });
  });

  it('can be given another email when theirs is taken', async () => {
    let ada: UserBody;
    const { page, api, expectErrors } = await visitDeleted(async (api) => {
      ada = await deleteUser(api, { name: 'Ada', email: 'ada@example.com' });
      await api.createUser({ email: 'Ada@example.com' });
    });
    expectErrors(409, 400);
    await page.getByRole('button', { name: 'Restore Ada' }).click();
    await dialogButton(page, 'Restore user').click();
    await page.getByText('Email is already used by another user of the organization.').waitFor();
    const email = page.getByRole('dialog').getByLabel('Email');
    await email.and(page.locator(':focus')).waitFor();
    await email.fill('nobody');
    await dialogButton(page, 'Restore user').click();
    await page.getByText('Email must be an email address.').waitFor();
    await email.fill('second@example.com');
    await dialogButton(page, 'Restore user').click();
    await page.getByText('Restored Ada').waitFor();
    expect(await userOf(api, ada!)).toMatchObject({ email: 'second@example.com' });
  });

  it('are purged only after a question', async () => {
    let ada: UserBody;
    const { page, api } = await visitDeleted(async (api) => (ada = await deleteUser(api, { name: 'Ada' })));
    await page.getByRole('button', { name: 'Purge Ada' }).click();
    await dialogButton(page, 'Cancel').and(page.locator(':focus')).waitFor();
    await dialogButton(page, 'Cancel').click();
    await api.get(`/api/v1/deleted-users/${ada!.id}`).expect(200);
    await page.getByRole('button', { name: 'Purge Ada' }).click();
    await dialogButton(page, 'Purge user').click();
    await page.getByText('Purged Ada').waitFor();
    await atHeading(page);
    await api.get(`/api/v1/deleted-users/${ada!.id}`).expect(404);
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByText('Test purged a deleted user').waitFor();
    await page.getByText('Test created a user who has been purged').waitFor();
  });

  it('that are gone meanwhile are said to be', async () => {
    const { page, api, expectErrors } = await visitDeleted((api) => deleteUser(api, { name: 'Ada' }));
    const { body } = await api.get('/api/v1/deleted-users').expect(200);
    await page.getByRole('button', { name: 'Restore Ada' }).click();
    await api.delete(`/api/v1/deleted-users/${body.data[0].id}`).expect(204);
    expectErrors(404);
    await dialogButton(page, 'Restore user').click();
    await page.getByRole('dialog').getByText('There is no such deleted user.').waitFor();
  });

  describe('who were deleted a moment ago', () => {
    const visitUsers = async (withClock = false) => {
      let ada: UserBody;
      const opened = await visit({}, async (api, page) => {
        if (withClock) await page.clock.install();
        ada = await api.createUser({ name: 'Ada', email: 'ada@example.com', externalId: 'E-1' });
      });
      const { page } = opened;
      await toUsers(page);
      await chooseAction(page, 'Delete', 'Ada');
      await dialogButton(page, 'Delete user').click();
      await page.getByText('Deleted Ada').waitFor();
      return { ...opened, ada: ada!, undo: page.getByRole('button', { name: 'Undo' }) };
    };

    it('come back with Undo', async () => {
      const { page, api, ada, undo } = await visitUsers();
      await undo.click();
      await page.getByText('Restored Ada').waitFor();
      await actionsOf(page, 'Ada').waitFor();
      await atHeading(page);
      expect(await undo.count()).toBe(0);
      expect(await userOf(api, ada)).toMatchObject({ name: 'Ada', version: 2 });
    });

    it('are asked for another email if theirs is taken by then', async () => {
      const { page, api, ada, undo, expectErrors } = await visitUsers();
      await api.createUser({ email: 'ada@example.com' });
      expectErrors(409);
      await undo.click();
      await page.getByText('Somebody else has the email of this user by now').waitFor();
      await page.locator('.banner:focus').waitFor();
      await page.getByRole('dialog').getByLabel('Email').fill('second@example.com');
      await dialogButton(page, 'Restore user').click();
      await page.getByText('Restored Ada').waitFor();
      expect(await userOf(api, ada)).toMatchObject({ email: 'second@example.com' });
    });

    it('say so if their external id is taken by then, for which no other email helps', async () => {
      const { page, api, undo, expectErrors } = await visitUsers();
      await api.createUser({ externalId: 'E-1' });
      expectErrors(409);
      await undo.click();
      await page.getByText('externalId is already used by another user of the organization').waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
    });

    it('close no dialog that has been opened meanwhile', async () => {
      for (const isTaken of [false, true]) {
        const { page, api, undo, expectErrors } = await visitUsers();
        if (isTaken) {
          await api.createUser({ email: 'ada@example.com' });
          expectErrors(409);
        }
        let answer: () => void;
        const isHeld = new Promise<void>((resolve) => (answer = resolve));
        await page.route('**/restore', (route) => isHeld.then(() => route.continue()));
        await undo.click();
        await page.getByRole('button', { name: 'Create user' }).click();
        const name = page.getByRole('dialog').getByLabel('Name');
        await name.fill('Typed');
        answer!();
        await page.getByText(isTaken ? 'Email is already used by another user' : 'Restored Ada').waitFor();
        expect(await name.inputValue()).toBe('Typed');
      }
    });

    it('show why they do not come back', async () => {
      const { page, api, ada, undo, expectErrors } = await visitUsers();
      await api.delete(`/api/v1/deleted-users/${ada.id}`).expect(204);
      expectErrors(404);
      await undo.click();
      await page.getByText('There is no such deleted user.').waitFor();
      expect(await undo.count()).toBe(0);
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
      await page.getByText('Deleted Ada').waitFor();
    });
  });
});
