/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { GroupsService } from '../../src/groups/groups.service';
import { always } from '../../src/platform/http/input/entity-tags';
import { ScimUsersService } from '../../src/scim/users/scim-users.service';
import { meetsWcag } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import type { UserBody } from '../support/client';
import {
  actionsOf,
  ASKS_BEFORE_UNLOAD,
  buttonOf,
  chooseAction,
  closed,
  dialogButton,
  dialogOf,
  fills,
  focusOn,
  headingOf,
  keyboardOf,
  namesOf,
  panelOf,
  shows,
  submits,
  toSection,
  useDashboard,
  userOf,
} from '../support/dashboard';

/** The bodies of the requests that change a user. */
function patchesOf(page: Page): unknown[] {
  const sent: unknown[] = [];
  page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.postDataJSON()));
  return sent;
}

describeInBrowser('users in the dashboard', () => {
  const { service, enter, visit } = useDashboard();

  /** Opens the list with one user. */
  const visitUser = async (fields: object = {}) => {
    let user: UserBody;
    const opened = await visit('users', async (api) => {
      user = await api.createUser({ name: 'Ada', ...fields });
    });
    await actionsOf(opened.page, user!.name).waitFor();
    return { ...opened, user: user! };
  };

  it('are created; errors are shown at the fields, and the input is kept', async () => {
    const { page, api, requestedUrls, expectErrors } = await visit('users', (api) =>
      api.createUser({ email: 'ada@example.com' }),
    );
    expectErrors(400, 409);
    await shows(page, /^1 user$/);
    const dialog = dialogOf(page);
    await buttonOf(page, 'Create user').click();
    for (const [i, key] of ['k'.repeat(65), 'deep', '__proto__'].entries()) {
      await buttonOf(page, 'Add a key').click();
      await fills(dialog, { [`Key ${i + 1}`]: key });
    }
    const requests = () => requestedUrls.filter((url) => url.includes('/api/')).length;
    const before = requests();
    const faulty = { Email: 'nobody', 'Type of deep': 'JSON', 'Value of deep': '{no}' };
    await submits(page, 'Create user', faulty);
    await shows(page, 'deep is not valid JSON.');
    expect(requests()).toBe(before);
    await submits(page, 'Create user', { 'Value of deep': '{"constructor": 1}' });

    await shows(page, 'Name must not be empty.', '__proto__ is not allowed as a key.');
    await shows(page, '… must have at most 64 characters.');
    for (const [label, message] of [
      ['Email', 'Email must be an email address.'],
      ['Value of deep', 'deep.constructor is not allowed as a key.'],
    ]) {
      const id = await dialog.getByLabel(label).getAttribute('aria-describedby');
      expect(await page.locator(`[id="${id}"]`).innerText()).toBe(message);
    }
    expect(await dialog.getByText('The service rejected the request').count()).toBe(0); // each is said once
    await focusOn(dialog.getByLabel('Name'));
    await meetsWcag(page);

    await buttonOf(page, 'Remove __proto__').click();
    const taken = { Name: 'Ada', Email: 'ADA@example.com', Role: 'viewer', 'Key 1': 'short' };
    await submits(page, 'Create user', { ...taken, 'Value of deep': '{"fine": [1, 2]}' });
    await shows(page, 'Email is already used by another user of the organization.');
    await focusOn(dialog.getByLabel('Email'));
    expect(await dialog.getByLabel('Email').getAttribute('aria-invalid')).toBe('true');
    await submits(page, 'Create user', { Email: 'other@example.com' });
    await shows(page, 'Created Ada');
    const metadata = { short: '', deep: { fine: [1, 2] } };
    const { body } = await api.get('/api/v1/users').expect(200);
    expect(body.data[0]).toMatchObject({ name: 'Ada', email: 'other@example.com', role: 'viewer', metadata });
  });

  it('have at most 16 keys of metadata', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`key-${i}`, i]));
    const { page } = await visitUser({ metadata });
    await chooseAction(page, 'Edit', 'Ada');
    await shows(page, '15 of 16 keys');
    await buttonOf(page, 'Add a key').click();
    await shows(page, '16 of 16 keys');
    expect(await buttonOf(page, 'Add a key').getAttribute('aria-disabled')).toBe('true');
    await buttonOf(page, 'Add a key').dispatchEvent('click');
    expect(await page.getByLabel('Key 17').count()).toBe(0);
  });

  it('can be deactivated and activated, and shown by their state', async () => {
    const { page, api } = await visit('users', async (api) => {
      await api.createUser({ name: 'Ada' });
      await api.createUser({ name: 'Grace', active: false });
    });
    await actionsOf(page, 'Grace').waitFor();
    expect(await page.getByText('Inactive', { exact: true }).and(page.locator('.state')).count()).toBe(1);

    await actionsOf(page, 'Ada').focus();
    for (const key of ['Enter', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await shows(page, 'Deactivated Ada');
    await focusOn(actionsOf(page, 'Ada'));

    await fills(page, { State: 'Inactive' });
    await shows(page, /^2 users$/);
    await chooseAction(page, 'Activate', 'Grace');
    await shows(page, 'Activated Grace', /^1 user$/);
    await focusOn(headingOf(page, 'Users'));
    await chooseAction(page, 'Activate', 'Ada');
    await shows(page, 'There are no inactive users.');
    const { body } = await api.get('/api/v1/users?sort=name').expect(200);
    expect(body.data).toMatchObject([
      { name: 'Ada', active: true, version: 3 },
      { name: 'Grace', active: true, version: 2 },
    ]);
  });

  it('are not deactivated if somebody else has changed them meanwhile', async () => {
    const { page, api, user, expectErrors } = await visitUser();
    expectErrors(412);
    await api.patch(`/api/v1/users/${user.id}`, { role: 'viewer' }).expect(200);
    await chooseAction(page, 'Deactivate', 'Ada');
    await shows(page, 'Somebody else changed Ada meanwhile');
    expect(await userOf(api, user)).toMatchObject({ role: 'viewer', active: true, version: 2 });
    await page.getByRole('cell', { name: 'Viewer' }).waitFor();
    await chooseAction(page, 'Deactivate', 'Ada');
    await shows(page, 'Deactivated Ada');
    expect(await userOf(api, user)).toMatchObject({ role: 'viewer', active: false, version: 3 });
  });

  it('are deleted after a question, which is asked again if somebody else has changed them', async () => {
    const { page, api, user, expectErrors } = await visitUser({ email: 'ada@example.com' });
    expectErrors(412);
    await chooseAction(page, 'Delete', 'Ada');
    await page.getByText('ada@example.com').and(page.locator('dialog strong')).waitFor();
    await submits(page, 'Cancel');
    expect(await userOf(api, user)).toMatchObject({ name: 'Ada' });
    await chooseAction(page, 'Delete', 'Ada');
    const changes = { name: 'Ada King', role: 'admin', metadata: { ['k'.repeat(64)]: 'pro', seats: 5 } };
    await api.patch(`/api/v1/users/${user.id}`, changes).expect(200);
    await submits(page, 'Delete user');
    await page.getByRole('heading', { name: 'Delete Ada King?' }).waitFor();
    const message = page.getByText('Somebody else changed this user meanwhile, so it was not deleted.');
    await page.locator('.banner:focus', { has: message }).waitFor();
    const facts = await page.locator('dl > div').allInnerTexts();
    expect(facts.map((fact) => fact.replace(/\s+/g, ' '))).toEqual([
      'External ID none',
      'Name Ada King',
      'Email ada@example.com',
      'Role Admin',
      'Active Yes',
      `Metadata “${'k'.repeat(64)}” pro`,
      'Metadata “seats” 5',
    ]);
    await meetsWcag(page);
    await submits(page, 'Delete user');
    await shows(page, 'Deleted Ada King');
    await api.get(`/api/v1/users/${user.id}`).expect(404);
  });

  describe('when edited', () => {
    it('send only what was changed, and all of the metadata if a value becomes null', async () => {
      const metadata = {
        text: 'pro',
        'looks like JSON': '{"a": 1}',
        number: 5,
        list: ['a', 1, { deep: [null] }],
        lines: 'one\ntwo\r\nthree',
        'a.b': '  dotted  ',
        ' ': 'blank',
      };
      const created = { name: 'Ada', email: 'ada@example.com', role: 'viewer', metadata };
      const { page, api, user } = await visitUser(created);
      const sent = patchesOf(page);
      await chooseAction(page, 'Edit', 'Ada');
      await submits(page, 'Save changes');
      await shows(page, 'No changes were made');
      expect(sent).toEqual([]);

      await chooseAction(page, 'Edit', 'Ada');
      await submits(page, 'Save changes', { Name: 'Ada Lovelace', Active: false });
      await shows(page, 'Saved Ada Lovelace');
      await chooseAction(page, 'Edit', 'Ada Lovelace');
      await buttonOf(page, 'Remove number').click();
      await submits(page, 'Save changes', { 'Type of looks like JSON': 'JSON' });
      await closed(page);
      const change = { number: null, 'looks like JSON': { a: 1 } };
      expect(sent).toEqual([{ name: 'Ada Lovelace', active: false }, { metadata: change }]);
      const { number: _number, ...rest } = { ...metadata, ...change };
      expect(await userOf(api, user)).toMatchObject({ ...created, name: 'Ada Lovelace', metadata: rest });

      await chooseAction(page, 'Edit', 'Ada Lovelace');
      await submits(page, 'Save changes', { 'Value of list': '{"b.c":{"d":null}}' });
      await closed(page);
      expect((await userOf(api, user)).metadata).toEqual({ ...rest, list: { 'b.c': { d: null } } });
    });

    it('ask before changes are discarded', async () => {
      const { page } = await visitUser();
      const name = dialogOf(page).getByLabel('Name');
      await chooseAction(page, 'Edit', 'Ada');
      await focusOn(name);
      await page.keyboard.press('Escape');
      await closed(page);

      await chooseAction(page, 'Edit', 'Ada');
      await name.fill('Ada Lovelace');
      for (let i = 0; i < 5; i++) await page.keyboard.press('Escape'); // asks, keeps, asks, keeps, asks
      await dialogButton(page, 'Keep editing').click();
      await focusOn(name);
      expect(await name.inputValue()).toBe('Ada Lovelace');
      await submits(page, 'Cancel');
      await meetsWcag(page);
      await submits(page, 'Discard changes');
      await closed(page);
      await focusOn(actionsOf(page, 'Ada'));
    });

    it('count as their present data, before and after, also while the list is stale', async () => {
      const { page, api, user } = await visitUser();
      await api.patch(`/api/v1/users/${user.id}`, { metadata: { since: 'then' } }).expect(200);
      await chooseAction(page, 'Edit', 'Ada');
      expect(await page.getByLabel('Value of since').inputValue()).toBe('then');
      await page.route('**/api/v1/users?**', () => {});
      await submits(page, 'Save changes', { Role: 'admin' });
      await shows(page, 'Saved Ada');
      expect(await userOf(api, user)).toMatchObject({ role: 'admin', metadata: { since: 'then' } });
    });

    it('get an external id, which the list shows as long as somebody has one, and can be removed', async () => {
      const { page, api, user } = await visitUser();
      await chooseAction(page, 'Edit', 'Ada');
      await submits(page, 'Save changes', { 'External ID': ' E-2 ' });
      await shows(page, 'Saved Ada');
      expect(await userOf(api, user)).toMatchObject({ externalId: 'E-2' });
      const cell = page.getByRole('cell', { name: 'E-2', exact: true });
      await cell.waitFor();
      await chooseAction(page, 'Edit', 'Ada');
      await submits(page, 'Save changes', { 'External ID': ' ' });
      await closed(page);
      expect(await userOf(api, user)).toMatchObject({ externalId: null });
      await page.getByRole('columnheader', { name: 'External ID' }).waitFor({ state: 'detached' });
    });
  });

  describe('when edited while somebody else changes them', () => {
    /** Opens the form of a new user, as `before`, which somebody else then changes to `theirs`. */
    const visitChanged = async (before: object, theirs: object) => {
      const opened = await visitUser(before);
      const { page, api, user } = opened;
      const change = (changes: object) => api.patch(`/api/v1/users/${user.id}`, changes).expect(200);
      await chooseAction(page, 'Edit', 'Ada');
      await dialogOf(page).getByLabel('Name').waitFor();
      await change(theirs);
      return { ...opened, change };
    };
    /** Saves in vain, and returns what the dialog says about the fields that both have changed. */
    const conflictsOf = async (page: Page, values: Record<string, string>) => {
      await submits(page, 'Save changes', values);
      await page.locator('.banner:focus').getByText('your changes are not saved yet').waitFor();
      return page.locator('.banner li').allInnerTexts();
    };

    it('say what both have changed, and save it on the newer version if asked again', async () => {
      const { page, api, user, change, expectErrors } = await visitChanged(
        { email: 'ada@example.com', metadata: { plan: 'pro', seats: 5, team: 'a' } },
        {
          name: 'x'.repeat(200),
          email: 'byron@example.com',
          metadata: { plan: 'free', seats: { ['y'.repeat(64)]: 6 }, team: 'a', added: true },
        },
      );
      expectErrors(412);
      await buttonOf(page, 'Remove plan').click();
      const mine = { Name: 'Ada Lovelace', 'Value of seats': '7', 'Value of team': 'b' };
      expect(await conflictsOf(page, mine)).toEqual([
        `Name: yours is Ada Lovelace, theirs is ${'x'.repeat(200)}.`,
        'Metadata “plan”: yours is removed, theirs is free.',
        expect.stringContaining('Metadata “seats”: yours is 7, theirs is {'),
      ]);
      expect(await userOf(api, user)).toMatchObject({ role: 'member', version: 2 });
      await meetsWcag(page);
      // The form goes on from their version, and says it again at their next change of the same field.
      const form = dialogOf(page);
      expect(await form.getByLabel('Name').inputValue()).toBe('Ada Lovelace');
      expect(await form.getByLabel('Email').inputValue()).toBe('byron@example.com');
      expect(await form.getByLabel('Value of added').inputValue()).toBe('true');
      await change({ name: 'Augusta', role: 'admin' });
      await submits(page, 'Save changes');
      await shows(page, 'theirs is Augusta');
      await page.locator('.banner:focus').waitFor();
      await submits(page, 'Save changes');
      await shows(page, 'Saved Ada Lovelace');
      const saved = await userOf(api, user);
      const both = { name: 'Ada Lovelace', email: 'byron@example.com', role: 'admin', version: 4 };
      expect(saved).toMatchObject(both);
      expect(saved.metadata).toEqual({ seats: 7, team: 'b', added: true });
    });

    it('save their own changes at once if the others changed other fields and keys, or made the same', async () => {
      const { page, api, user, change, expectErrors } = await visitChanged(
        { metadata: { plan: 'pro', seats: 5, team: 'a' } },
        { name: 'Ada Byron', role: 'admin', metadata: { plan: 'free', seats: 5, team: 'a', added: true } },
      );
      expectErrors(412);
      await buttonOf(page, 'Remove team').click();
      const mine = { Name: 'Ada Byron', Email: 'new@example.com', 'Value of seats': '6' };
      await submits(page, 'Save changes', mine);
      await shows(page, 'Saved Ada Byron');
      const saved = await userOf(api, user);
      expect(saved).toMatchObject({ name: 'Ada Byron', email: 'new@example.com', role: 'admin', version: 3 });
      expect(saved.metadata).toEqual({ plan: 'free', seats: 6, added: true });

      await chooseAction(page, 'Edit', 'Ada Byron');
      await dialogOf(page).getByLabel('Name').waitFor();
      await change({ name: 'Ada King', role: 'viewer' });
      await submits(page, 'Save changes', { Name: 'Ada King' });
      await shows(page, 'Saved Ada King');
      await page.getByRole('cell', { name: 'Viewer' }).waitFor();
      expect(await userOf(api, user)).toMatchObject({ version: 4 });
    });

    it('keep the text if they are deleted after a conflict', async () => {
      const { page, api, user, expectErrors } = await visitChanged({}, { name: 'Ada Byron' });
      expectErrors(412, 404);
      const mine = { Name: 'Ada Lovelace', Email: 'typed@example.com' };
      await conflictsOf(page, mine);
      await api.delete(`/api/v1/users/${user.id}`).expect(204);
      await submits(page, 'Save changes');
      await focusOn(page.getByText('Somebody else deleted this user, so your changes cannot be saved.'));
      for (const [label, text] of Object.entries(mine))
        expect(await dialogOf(page).getByLabel(label).inputValue()).toBe(text);
    });

    it('leave the list when somebody works on a row of which the user is deleted', async () => {
      const { page, api, expectErrors } = await visit('users', async (api) => {
        for (const name of ['Ada', 'Dan']) await api.createUser({ name });
      });
      expectErrors(404);
      await actionsOf(page, 'Ada').waitFor();
      const [{ id }] = (await api.get('/api/v1/users?sort=name').expect(200)).body.data;
      await api.delete(`/api/v1/users/${id}`).expect(204);
      await page.route('**/api/v1/users?**', () => {}); // so that no new list takes it off
      await chooseAction(page, 'Edit', 'Ada');
      await shows(page, 'There is no such user.');
      await submits(page, 'Cancel');
      await actionsOf(page, 'Ada').waitFor({ state: 'detached' });
      expect(await namesOf(page)).toEqual(['Dan']);
    });
  });

  describe('on a page of their own', () => {
    /** Opens the page of a new user. */
    const visitPage = async (fields: object) => {
      const api = await service().client();
      const user = await api.createUser(fields);
      const opened = await enter(`users/${user.id}`, api);
      await panelOf(opened.page, 'Details').waitFor();
      return { ...opened, api, user };
    };
    const chooseIn = async (page: Page, action: string) => {
      await buttonOf(page, 'Actions').click();
      await page.getByRole('menuitem', { name: action }).click();
    };

    it('are edited, deactivated, deleted and restored with the keyboard alone', async () => {
      const api = await service().client();
      const user = await api.createUser({ name: 'Ada', metadata: { plan: 'pro', seats: { eu: 3 } } });
      const { page } = await enter(`users/${user.id}`, api);
      const { press, enter: choose, type } = keyboardOf(page);
      await focusOn(headingOf(page, 'Ada'));
      await press('e');
      await focusOn(panelOf(page, 'Details').getByLabel('Name'));
      await press('ControlOrMeta+a');
      await type('Ada e King');
      await press('Enter');
      await page.getByText('Saved Ada e King', { exact: true }).waitFor();
      await headingOf(page, 'Ada e King').waitFor();
      await focusOn(buttonOf(page, 'Edit details'));
      await shows(page, 'renamed');
      await choose('button', 'Edit metadata');
      await focusOn(panelOf(page, 'Metadata').getByLabel('Key 1'));
      await press('Tab', 'Tab');
      await type('e');
      await press('Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Enter');
      await shows(panelOf(page, 'Metadata').getByRole('table'), 'proe');
      await choose('button', 'Actions');
      await press('Enter');
      await page.getByText('Deactivated Ada e King', { exact: true }).waitFor();
      await choose('button', 'Actions');
      await press('Enter');
      await page.getByText('Activated Ada e King', { exact: true }).waitFor();
      expect(await userOf(api, user)).toMatchObject({ name: 'Ada e King', active: true, version: 5 });
      await choose('button', 'Actions');
      await press('End', 'Enter');
      await focusOn(dialogButton(page, 'Cancel'));
      await press('Tab', 'Enter');
      await page.getByText('Deleted Ada e King', { exact: true }).waitFor();
      await page.locator('.chip', { hasText: 'Deleted' }).waitFor();
      expect(await page.getByRole('button', { name: /^Edit/ }).count()).toBe(0);
      await choose('button', 'Undo: restore Ada e King');
      await page.getByText('Restored Ada e King', { exact: true }).waitFor();
      expect(await userOf(api, user)).toMatchObject({ name: 'Ada e King', version: 6 });
    });

    it('are edited in place, and whatever leaves the page asks before what was typed is discarded', async () => {
      const { page, user } = await visitPage({ name: 'Ada' });
      const name = panelOf(page, 'Details').getByLabel('Name');
      await toSection(page, 'Users');
      await page.getByRole('link', { name: 'Ada' }).click();
      await panelOf(page, 'Details').waitFor();
      await page.keyboard.press('e');
      await focusOn(name);
      await page.keyboard.press('Escape');
      await focusOn(buttonOf(page, 'Edit details'));
      await buttonOf(page, 'Edit details').click();
      expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(false);
      await name.fill('Ada King');
      expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(true);
      const leaves = [
        () => page.keyboard.press('Escape'),
        () => buttonOf(page, 'Cancel').click(),
        () => page.getByRole('link', { name: 'Groups', exact: true }).click(),
        () => page.goBack(),
      ];
      for (const leave of leaves) {
        await name.focus();
        await leave();
        await page.getByRole('heading', { name: 'Discard your changes?' }).waitFor();
        await focusOn(dialogButton(page, 'Keep editing'));
        await page.keyboard.press('Escape');
        await closed(page);
        expect(page.url()).toContain(user.id);
        expect(await name.inputValue()).toBe('Ada King');
      }
      await buttonOf(page, 'Cancel').click();
      await meetsWcag(page);
      await submits(page, 'Discard changes');
      await focusOn(buttonOf(page, 'Edit details'));
      expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(false);

      await page.keyboard.press('e');
      await name.fill('Ada King');
      await page.goBack();
      await submits(page, 'Discard changes');
      await headingOf(page, 'Users').waitFor();
      await page.goForward();
      await panelOf(page, 'Details').waitFor();
      await page.keyboard.press('e');
      await name.fill('Ada King');
      await page.getByRole('link', { name: 'Groups', exact: true }).click();
      await submits(page, 'Discard changes');
      await headingOf(page, 'Groups').waitFor();
    });

    it('have faults at their fields, and two forms at once, each with what was typed into it', async () => {
      const { page, api, user, expectErrors } = await visitPage({ metadata: { plan: 'pro' } });
      expectErrors(400, 409, 412);
      await api.createUser({ email: 'taken@example.com' });
      const [details, metadata] = [panelOf(page, 'Details'), panelOf(page, 'Metadata')];
      await buttonOf(page, 'Edit details').click();
      await buttonOf(page, 'Edit metadata').click();
      await fills(details, { Name: '', Email: 'taken@example.com' });
      await fills(metadata, { 'Type of plan': 'JSON', 'Value of plan': '{no}' });
      await buttonOf(page, 'Add a key').click();
      await metadata.getByRole('button', { name: 'Save changes' }).click();
      await shows(metadata, 'plan is not valid JSON.');
      await focusOn(metadata.getByLabel('Key 1'));
      await details.getByRole('button', { name: 'Save changes' }).click();
      await shows(details, 'Name must not be empty.');
      await focusOn(details.getByLabel('Name'));
      await fills(details, { Name: 'Ada King' });
      await details.getByRole('button', { name: 'Save changes' }).click();
      await shows(details, 'Email is already used by another user of the organization.');
      await focusOn(details.getByLabel('Email'));
      await meetsWcag(page);
      await fills(details, { Email: 'free@example.com', Role: 'admin', Active: false });
      await details.getByRole('button', { name: 'Save changes' }).click();
      await page.locator('.title .chip', { hasText: 'Inactive' }).waitFor();
      await fills(metadata, { 'Value of plan': '["free"]', 'Key 2': 'note', 'Value of note': 'typed' });
      await metadata.getByRole('button', { name: 'Save changes' }).click();
      await shows(metadata.getByRole('table'), '["free"]');
      const values = {
        name: 'Ada King',
        email: 'free@example.com',
        role: 'admin',
        active: false,
        version: 3,
      };
      expect(await userOf(api, user)).toMatchObject({
        ...values,
        metadata: { plan: ['free'], note: 'typed' },
      });
    });

    it('keep what was typed while somebody else changes them, and deletes them', async () => {
      const { page, api, user, expectErrors } = await visitPage({ name: 'Ada', role: 'viewer' });
      expectErrors(404, 412);
      const details = panelOf(page, 'Details');
      await buttonOf(page, 'Edit details').click();
      await api.patch(`/api/v1/users/${user.id}`, { name: 'Augusta', role: 'admin' }).expect(200);
      const mine = { Name: 'Ada King', 'External ID': 'E-1' };
      await fills(details, mine);
      await buttonOf(page, 'Save changes').click();
      await page.locator('.banner:focus').getByText('your changes are not saved yet').waitFor();
      expect(await details.getByRole('listitem').allInnerTexts()).toEqual([
        'Name: yours is Ada King, theirs is Augusta.',
      ]);
      expect(await details.getByLabel('Role').inputValue()).toBe('admin');
      await api.delete(`/api/v1/users/${user.id}`).expect(204);
      await buttonOf(page, 'Save changes').click();
      await focusOn(page.getByText('Somebody else deleted this user, so your changes cannot be saved.'));
      for (const [label, text] of Object.entries(mine))
        expect(await details.getByLabel(label).inputValue()).toBe(text);
      await meetsWcag(page);
      await buttonOf(page, 'Cancel').click();
      await submits(page, 'Discard changes');
      await shows(page, 'Somebody else has deleted this user.');
      await buttonOf(page, 'Actions').waitFor({ state: 'detached' });
      await meetsWcag(page);
    });

    it('lead to those beside them in the list, and back to it with its filter', async () => {
      const { page } = await visit('users?role=viewer&sort=name', async (api) => {
        for (const name of ['Ada', 'Bob', 'Carl']) await api.createUser({ name, role: 'viewer' });
        await api.createUser({ name: 'Adam' });
      });
      const [previous, next] = ['Previous user', 'Next user'].map((name) => page.getByRole('link', { name }));
      await page.getByRole('link', { name: 'Bob' }).click();
      await headingOf(page, 'Bob').waitFor();
      await next.click();
      await headingOf(page, 'Carl').waitFor();
      expect(await next.getAttribute('aria-disabled')).toBe('true');
      await page.keyboard.press('j');
      await page.keyboard.press('k');
      await headingOf(page, 'Bob').waitFor();
      await page.keyboard.press('k');
      await headingOf(page, 'Ada').waitFor();
      expect(await previous.getAttribute('aria-disabled')).toBe('true');
      await meetsWcag(page);
      await page.getByRole('main').getByRole('link', { name: 'Users', exact: true }).click();
      await actionsOf(page, 'Carl').waitFor();
      expect(page.url()).toContain('users?role=viewer&sort=name');
      expect(await namesOf(page)).toEqual(['Ada', 'Bob', 'Carl']);
    });

    it('say the time of day, copy the email or all as JSON, and stand at the top of a narrow window', async () => {
      const { page, user } = await visitPage({ name: 'Ada', email: 'ada@example.com' });
      const copied = () => page.evaluate('navigator.clipboard.readText()');
      await buttonOf(page, 'Copy the email').click();
      await shows(page, 'Copied');
      expect(await copied()).toBe('ada@example.com');
      await chooseIn(page, 'Copy as JSON');
      await shows(page, 'Copied Ada as JSON');
      await buttonOf(page, 'Close the message').click();
      await chooseIn(page, 'Copy as JSON');
      await shows(page, 'Copied Ada as JSON'); // again
      expect(JSON.parse((await copied()) as string)).toEqual({ ...user, directory: null });
      const [created] = await panelOf(page, 'Details').getByRole('time').all();
      expect(await created.innerText()).toMatch(/^\w{3} \d{1,2}, \d{4}, \d{1,2}:\d\d\s[AP]M$/);
      const utc = `${user.createdAt.slice(0, 10)} ${user.createdAt.slice(11, 19)} UTC`;
      expect(await created.getAttribute('title')).toBe(utc);
      expect(await page.getByRole('link', { name: 'Next user' }).count()).toBe(0); // it was opened directly
      await page.setViewportSize({ width: 390, height: 844 });
      const top = async (locator: Locator) => (await locator.boundingBox())!.y;
      const details = await top(page.getByRole('heading', { name: 'Details' }));
      expect(details - (await top(page.getByRole('main')))).toBeLessThan(180);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
      await meetsWcag(page);
    });

    it('have metadata as a table and as JSON, groups, what the directory gave, and an export', async () => {
      const api = await service().client();
      const { organizationId } = api;
      const actor = { type: 'system', id: null, name: 'directory' } as const;
      const by = { organizationId, actor, source: 'scim', requestId: null } as const;
      const ada = {
        ...{ userName: 'ada@example.com', displayName: 'Ada', title: 'Analyst', costCenter: '4130' },
        phoneNumbers: [{ value: '+44 1', type: 'work' }],
      };
      const scim = service().app.get(ScimUsersService, { strict: false });
      const { user } = await scim.create(by, { ...ada, title: 'Clerk', phoneNumbers: [{ value: '+44 2' }] });
      await scim.replace(by, user.id, ada, always);
      const given = { seats: { eu: 3 }, ['k'.repeat(64)]: { text: 'y'.repeat(300) } };
      await api.patch(`/api/v1/users/${user.id}`, { metadata: given }).expect(200);
      await service().app.get(GroupsService).create(organizationId, { displayName: 'Sales' }, [user.id]);
      const { page } = await enter(`users/${user.id}`, api);
      await panelOf(page, 'Groups').getByRole('link', { name: 'Sales' }).waitFor();
      await shows(panelOf(page, 'Activity'), /added .+ to the group Sales/);
      const metadata = panelOf(page, 'Metadata');
      await shows(metadata, '{"eu":3}');
      await meetsWcag(page);
      await metadata.getByRole('radio', { name: 'JSON' }).check();
      await shows(metadata, '"eu": 3');
      await shows(panelOf(page, 'Directory'), 'Job title', 'Analyst', 'Cost center', '4130', '+44 1 (work)');
      await page.getByText('changed the job title and phone numbers of Ada').click();
      await page.getByRole('row', { name: 'Directory: Job title Clerk' }).waitFor();
      await page.getByRole('row', { name: 'Directory: Phone numbers +44 2' }).waitFor();
      await shows(page, 'An event has only the former values of directory attributes.');
      await meetsWcag(page);
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        chooseIn(page, "Export this person's data"),
      ]);
      expect(file.suggestedFilename()).toBe(`${user.id}.json`);
      const exported = JSON.parse(readFileSync(await file.path(), 'utf8'));
      expect(exported).toMatchObject({ user: { id: user.id }, directory: { title: 'Analyst' } });
      await shows(page, 'Exported the data of Ada');
    });
  });
});
