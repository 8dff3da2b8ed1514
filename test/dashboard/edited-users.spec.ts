/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import { actionsOf, chooseAction, dialogButton, useDashboard, userOf } from '../support/dashboard';

describeInBrowser('users in the dashboard', () => {
  const { visitUsers } = useDashboard();

  describe('when edited', () => {
    /** Values that editing as text could corrupt. */
    const metadata = {
      text: 'pro',
      'looks like JSON': '{"a": 1}',
      'looks like a number': '5',
      number: 5,
      small: 1e-7,
      yes: true,
      nothing: null,
      list: ['a', 1, { deep: [null] }],
      object: { 'b.c': { d: '' } },
      lines: 'one\ntwo\r\nthree',
      spaces: '  both  ',
      'a.b': 'dotted',
      ' ': 'blank',
      unicode: 'Zoë 👩‍🚀 \u202e',
    };

    it('send only the changed fields and keep the others', async () => {
      const created = { name: 'Ada', email: 'ada@example.com', role: 'viewer', metadata };
      const { page, api } = await visitUsers((api) => api.createUser(created));
      const sent: unknown[] = [];
      page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.postDataJSON()));

      await chooseAction(page, 'Edit', 'Ada');
      await page.getByLabel('Name').fill('Ada Lovelace');
      await dialogButton(page, 'Save changes').click();
      await page.getByText('Saved Ada Lovelace').waitFor();

      await chooseAction(page, 'Edit', 'Ada Lovelace');
      await page.getByLabel('Value of text').fill('free');
      await dialogButton(page, 'Save changes').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      await chooseAction(page, 'Edit', 'Ada Lovelace');
      await page.getByRole('button', { name: 'Remove number' }).click();
      await page.getByLabel('Type of looks like JSON').selectOption('JSON');
      await dialogButton(page, 'Save changes').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      const { number: _number, ...rest } = { ...metadata, text: 'free', 'looks like JSON': { a: 1 } };
      expect(sent).toEqual([
        { name: 'Ada Lovelace' },
        { metadata: { text: 'free' } },
        { metadata: { number: null, 'looks like JSON': { a: 1 } } },
      ]);
      const { body } = await api.get('/api/v1/users').expect(200);
      expect(body.data).toMatchObject([{ ...created, name: 'Ada Lovelace', metadata: rest }]);
      expect(Object.keys(body.data[0].metadata).sort()).toEqual(Object.keys(rest).sort());
    });

    it('send the whole metadata if a value becomes null, which in a merge patch means removed', async () => {
      const { page, api } = await visitUsers((api) => api.createUser({ name: 'Ada', metadata }));
      await chooseAction(page, 'Edit', 'Ada');
      await page.getByLabel('Value of number').fill('null');
      await page.getByLabel('Value of object').fill('{"b.c":{"d":null}}');
      await dialogButton(page, 'Save changes').click();
      await page.getByText('Saved Ada').waitFor();
      const { body } = await api.get('/api/v1/users').expect(200);
      expect(body.data[0].metadata).toEqual({ ...metadata, number: null, object: { 'b.c': { d: null } } });
    });

    it('send what was removed and replaced inside a value', async () => {
      const before = { a: { b: { c: 1, d: 2 }, e: [1] }, f: { g: 1 }, h: 'i' };
      const { page, api } = await visitUsers((api) => api.createUser({ name: 'Ada', metadata: before }));
      const sent: unknown[] = [];
      page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.postDataJSON()));
      await chooseAction(page, 'Edit', 'Ada');
      await page.getByLabel('Value of a').fill('{"b":{"d":2},"e":[null],"n":{}}');
      await page.getByLabel('Value of f').fill('{}');
      await page.getByLabel('Type of h').selectOption('JSON');
      await page.getByLabel('Value of h').fill('{"j":1}');
      await dialogButton(page, 'Save changes').click();
      await page.getByText('Saved Ada').waitFor();
      expect(sent).toEqual([
        { metadata: { a: { b: { c: null }, e: [null], n: {} }, f: { g: null }, h: { j: 1 } } },
      ]);
      const { body } = await api.get('/api/v1/users').expect(200);
      const after = { a: { b: { d: 2 }, e: [null], n: {} }, f: {}, h: { j: 1 } };
      expect(body.data[0].metadata).toEqual(after);
    });

    it('send nothing if nothing was changed', async () => {
      const { page, requestedUrls } = await visitUsers((api) => api.createUser({ name: 'Ada', metadata }));
      const patches: string[] = [];
      page.on('request', (request) => request.method() === 'PATCH' && patches.push(request.url()));
      await chooseAction(page, 'Edit', 'Ada');
      await dialogButton(page, 'Save changes').click();
      await page.getByText('No changes were made').waitFor();
      expect(patches).toEqual([]);
      expect(requestedUrls.length).toBeGreaterThan(0);
    });

    it('ask before changes are discarded', async () => {
      const { page } = await visitUsers((api) => api.createUser({ name: 'Ada', metadata: { plan: 'pro' } }));
      await chooseAction(page, 'Edit', 'Ada');
      await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      await chooseAction(page, 'Edit', 'Ada');
      await page.getByLabel('Name').fill('Ada Lovelace');
      for (let i = 0; i < 5; i++) await page.keyboard.press('Escape'); // asks, keeps, asks, keeps, asks
      await dialogButton(page, 'Keep editing').click();
      await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('Ada Lovelace');
      await dialogButton(page, 'Cancel').click();
      await dialogButton(page, 'Discard changes').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await actionsOf(page, 'Ada').and(page.locator(':focus')).waitFor();

      await chooseAction(page, 'Edit', 'Ada');
      await page.getByRole('button', { name: 'Remove plan' }).click();
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: 'Discard your changes?' }).waitFor();
    });

    it('show their current data even if the list is stale', async () => {
      let id = '';
      const { page, api } = await visitUsers(async (api) => ({ id } = await api.createUser({ name: 'Ada' })));
      await actionsOf(page, 'Ada').waitFor();
      await api.patch(`/api/v1/users/${id}`, { metadata: { since: 'then' } }).expect(200);
      await chooseAction(page, 'Edit', 'Ada');
      expect(await page.getByLabel('Value of since').inputValue()).toBe('then');
      await page.getByRole('dialog').getByLabel('Role').selectOption('admin');
      await dialogButton(page, 'Save changes').click();
      await page.getByText('Saved Ada').waitFor();
      expect(await userOf(api, id)).toMatchObject({ role: 'admin', metadata: { since: 'then' } });
    });

    it('count as their present data in the list, before that is fetched again', async () => {
      let id = '';
      const { page, api } = await visitUsers(async (api) => ({ id } = await api.createUser({ name: 'Ada' })));
      await chooseAction(page, 'Edit', 'Ada');
      await page.getByRole('dialog').getByLabel('Role').selectOption('admin');
      await page.route('**/api/v1/users?**', () => {});
      await dialogButton(page, 'Save changes').click();
      await page.getByText('Saved Ada').waitFor();
      await chooseAction(page, 'Delete', 'Ada');
      await dialogButton(page, 'Delete user').click();
      await page.getByText('Deleted Ada').waitFor();
      await api.get(`/api/v1/users/${id}`).expect(404);
    });

    it('show at the email field that another user has the email', async () => {
      const { page, expectErrors } = await visitUsers(async (api) => {
        await api.createUser({ name: 'Ada', email: 'ada@example.com' });
        await api.createUser({ name: 'Bob', email: 'bob@example.com' });
      });
      expectErrors(409);
      await chooseAction(page, 'Edit', 'Bob');
      await page.getByLabel('Email').fill('Ada@Example.com');
      await dialogButton(page, 'Save changes').click();
      await page.getByText('Email is already used by another user of the organization.').waitFor();
      expect(await page.evaluate('document.activeElement.inputMode')).toBe('email');
      expect(await page.getByLabel('Email').inputValue()).toBe('Ada@Example.com');
    });

    it('get an external id, which is shown, must be free, and can be removed', async () => {
      const { page, api, expectErrors } = await visitUsers(async (api) => {
        await api.createUser({ name: 'Ada', externalId: 'E-1' });
        await api.createUser({ name: 'Bob' });
      });
      const stored = async () =>
        (await api.get('/api/v1/users?sort=name').expect(200)).body.data.map(
          ({ externalId }: { externalId: string | null }) => externalId,
        );
      expectErrors(409);
      await chooseAction(page, 'Edit', 'Bob');
      await page.getByLabel('External ID').fill(' E-1 ');
      await dialogButton(page, 'Save changes').click();
      await page.getByText('External ID is already used by another user of the organization.').waitFor();
      await page.getByLabel('External ID').fill('E-2');
      await dialogButton(page, 'Save changes').click();
      await page.getByText('Saved Bob').waitFor();
      expect(await stored()).toEqual(['E-1', 'E-2']);

      await page.setViewportSize({ width: 1400, height: 800 });
      await page.getByRole('columnheader', { name: 'External ID' }).waitFor();
      await page.getByRole('cell', { name: 'E-2', exact: true }).waitFor();
      await page.setViewportSize({ width: 1399, height: 800 });
      await page.getByRole('cell', { name: 'E-2', exact: true }).waitFor({ state: 'hidden' });
      await chooseAction(page, 'Open', 'Bob');
      await page.getByText('E-2', { exact: true }).first().waitFor();

      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('External ID').fill(' ');
      await dialogButton(page, 'Save changes').click();
      await page.getByText('Saved Bob').waitFor();
      expect(await stored()).toEqual(['E-1', null]);
    });

    describe('while somebody else changes them', () => {
      /** Opens the form of a new user, as `before`, which somebody else then changes to `theirs`. */
      const visitChanged = async (before: object, theirs: object) => {
        let id = '';
        const opened = await visitUsers(
          async (api) => ({ id } = await api.createUser({ name: 'Ada', ...before })),
        );
        const { page, api } = opened;
        const change = (changes: object) => api.patch(`/api/v1/users/${id}`, changes).expect(200);
        await chooseAction(page, 'Edit', 'Ada');
        await page.getByLabel('Name').waitFor();
        await change(theirs);
        return { ...opened, id, change };
      };
      const save = (page: Page) => dialogButton(page, 'Save changes').click();
      /** Saves in vain, and returns what the dialog says about the fields that both have changed. */
      const conflictsOf = async (page: Page) => {
        await save(page);
        await page.locator('.banner:focus').getByText('your changes are not saved yet').waitFor();
        return page.locator('.banner li').allInnerTexts();
      };

      it('says what both have changed, and saves it on the newer version if asked again', async () => {
        const { page, api, id, expectErrors } = await visitChanged(
          { email: 'ada@example.com', metadata: { plan: 'pro', seats: 5, team: 'a', kept: 'k' } },
          {
            name: 'Ada Byron',
            email: 'byron@example.com',
            metadata: { plan: 'free', seats: 6, team: 'a', kept: 'k', added: true },
          },
        );
        expectErrors(412);
        await page.getByLabel('Name').fill('Ada Lovelace');
        await page.getByRole('dialog').getByLabel('Role').selectOption('viewer');
        await page.getByRole('button', { name: 'Remove plan' }).click();
        await page.getByLabel('Value of seats').fill('7');
        await page.getByLabel('Value of team').fill('b');
        expect(await conflictsOf(page)).toEqual([
          'Name: yours is Ada Lovelace, theirs is Ada Byron.',
          'Metadata “plan”: yours is removed, theirs is free.',
          'Metadata “seats”: yours is 7 (JSON), theirs is 6 (JSON).',
        ]);
        expect(await userOf(api, id)).toMatchObject({ name: 'Ada Byron', role: 'member', version: 2 });
        // The form goes on from their version.
        expect(await page.getByLabel('Name').inputValue()).toBe('Ada Lovelace');
        expect(await page.getByLabel('Email').inputValue()).toBe('byron@example.com');
        expect(await page.getByLabel('Value of added').inputValue()).toBe('true');
        await page.getByLabel('Name').fill('Ada Byron');
        await save(page);
        await page.getByText('Saved Ada Byron').waitFor();
        expect(await userOf(api, id)).toMatchObject({
          name: 'Ada Byron',
          email: 'byron@example.com',
          role: 'viewer',
          version: 3,
        });
        expect((await userOf(api, id)).metadata).toEqual({ seats: 7, team: 'b', kept: 'k', added: true });
      });

      it('says it again at each change of the same field', async () => {
        const { page, api, id, change, expectErrors } = await visitChanged({}, { name: 'Ada Byron' });
        expectErrors(412, 409);
        await api.createUser({ email: 'taken@example.com' });
        await page.getByLabel('Name').fill('Ada Lovelace');
        await page.getByLabel('Email').fill('taken@example.com');
        await conflictsOf(page);
        await save(page);
        await page.getByText('already used by another user').waitFor();
        await page.getByLabel('Email').fill('king@example.com');
        await change({ name: 'Augusta', role: 'admin' });
        await save(page);
        await page.getByText('theirs is Augusta').waitFor();
        await page.locator('.banner:focus').waitFor();
        expect(await page.getByRole('dialog').getByLabel('Role').inputValue()).toBe('admin');
        await save(page);
        await page.getByText('Saved Ada Lovelace').waitFor();
        expect(await userOf(api, id)).toMatchObject({
          name: 'Ada Lovelace',
          email: 'king@example.com',
          role: 'admin',
          version: 4,
        });
      });

      it.each<[string, { name?: string; role?: string; metadata?: object }, object]>([
        ['other fields', { name: 'Ada Byron' }, { name: 'Ada Byron' }],
        [
          'other keys of the metadata',
          { role: 'admin', metadata: { plan: 'free', team: 'a', seats: 5, added: true } },
          { role: 'admin' },
        ],
      ])('is no obstacle if they changed %s', async (_what, theirs, kept) => {
        const before = { metadata: { plan: 'pro', seats: 5, team: 'a' } };
        const { page, api, id, expectErrors } = await visitChanged(before, theirs);
        expectErrors(412);
        await page.getByLabel('Email').fill('new@example.com');
        await page.getByLabel('Value of seats').fill('6');
        await page.getByRole('button', { name: 'Remove team' }).click();
        await save(page);
        await page.getByText('Saved Ada').waitFor();
        expect(await userOf(api, id)).toMatchObject({ ...kept, email: 'new@example.com', version: 3 });
        const { team: _team, ...metadata } = { ...before.metadata, ...theirs.metadata, seats: 6 };
        expect((await userOf(api, id)).metadata).toEqual(metadata);
      });

      it('shows all of the metadata if a value becomes null, which a merge patch cannot say', async () => {
        const { page, api, id, expectErrors } = await visitChanged(
          { metadata: { plan: 'pro' } },
          { metadata: { plan: 'pro', added: true } },
        );
        expectErrors(412);
        await page.getByLabel('Type of plan').selectOption('JSON');
        await page.getByLabel('Value of plan').fill('null');
        expect(await conflictsOf(page)).toEqual([
          'Metadata: yours is {"plan":null} (JSON), theirs is {"plan":"pro","added":true} (JSON).',
        ]);
        await save(page);
        await page.getByText('Saved Ada').waitFor();
        expect((await userOf(api, id)).metadata).toEqual({ plan: null });
      });

      it('is no obstacle if both made the same change', async () => {
        const { page, expectErrors } = await visitChanged({}, { name: 'Ada Byron', role: 'admin' });
        expectErrors(412);
        await page.getByLabel('Name').fill('Ada Byron');
        await save(page);
        await page.getByText('Saved Ada Byron').waitFor();
        await page.getByText('Admin').and(page.locator('.chip')).waitFor();
      });

      it.each(['at once', 'after a conflict'])('keeps the text if they are deleted %s', async (when) => {
        const { page, api, id, expectErrors } = await visitChanged({}, { name: 'Ada Byron' });
        expectErrors(404, ...(when === 'at once' ? [] : [412]));
        await page.getByLabel('Name').fill('Ada Lovelace');
        await page.getByLabel('Email').fill('typed@example.com');
        if (when !== 'at once') await conflictsOf(page);
        await api.delete(`/api/v1/users/${id}`).expect(204);
        await save(page);
        const message = page.getByText('Somebody else deleted this user, so your changes cannot be saved.');
        await message.and(page.locator(':focus')).waitFor();
        expect(await page.getByLabel('Name').inputValue()).toBe('Ada Lovelace');
        expect(await page.getByLabel('Email').inputValue()).toBe('typed@example.com');
      });
    });

    it('show an error if they were deleted meanwhile', async () => {
      const { page, api, expectErrors } = await visitUsers((api) => api.createUser({ name: 'Ada' }));
      expectErrors(404);
      const { body } = await api.get('/api/v1/users').expect(200);
      await actionsOf(page, 'Ada').waitFor();
      await api.delete(`/api/v1/users/${body.data[0].id}`).expect(204);
      await chooseAction(page, 'Edit', 'Ada');
      await page.getByText('There is no such user.').waitFor();
      await dialogButton(page, 'Cancel').click();
      await actionsOf(page, 'Ada').waitFor({ state: 'detached' });
    });
  });
});
