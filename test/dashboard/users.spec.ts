/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page, Route } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import type { Client } from '../support/client';
import { nextMoment } from '../support/clock';
import { actionsOf, chooseAction, dialogButton, signIn, toUsers, useDashboard } from '../support/dashboard';

const HOSTILE = '<img src=x onerror=alert(1)>';

const namesOf = (page: Page) => page.locator('td.main').allInnerTexts();

/** The stored user. */
const userOf = async (api: Client, id: string) => (await api.get(`/api/v1/users/${id}`).expect(200)).body;

describeInBrowser('users in the dashboard', () => {
  const { service, visit } = useDashboard();
  const visitUsers = async (prepare?: (api: Client, page: Page) => Promise<unknown>) => {
    const opened = await visit({}, prepare);
    await toUsers(opened.page);
    return opened;
  };

  it('have a hint if there are none', async () => {
    const { page } = await visitUsers();
    await page.getByText('There are no users yet.').waitFor();
    await page.getByText('No users on this page').waitFor();
  });

  it('can be created', async () => {
    const { page, api } = await visitUsers();
    await page.getByRole('button', { name: 'Create user' }).click();
    await page.getByLabel('Name').fill('Ada Lovelace');
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByRole('dialog').getByLabel('Role').selectOption('viewer');
    await page.getByRole('button', { name: 'Add a key' }).click();
    await page.getByLabel('Key 1').fill('plan');
    await page.getByLabel('Value of plan').fill('pro');
    await dialogButton(page, 'Create user').click();
    await page.getByText('Created Ada Lovelace').waitFor();
    await page.getByText('1 user on this page').waitFor();
    const { body } = await api.get('/api/v1/users').expect(200);
    expect(body.data).toMatchObject([
      { name: 'Ada Lovelace', email: 'ada@example.com', role: 'viewer', metadata: { plan: 'pro' } },
    ]);
  });

  it('can be deactivated and activated, and shown by their state', async () => {
    const { page, api } = await visitUsers(async (api) => {
      await api.createUser({ name: 'Ada' });
      await api.createUser({ name: 'Grace', active: false });
    });
    await actionsOf(page, 'Grace').waitFor();
    expect(await page.getByText('Inactive', { exact: true }).and(page.locator('.state')).count()).toBe(1);

    await actionsOf(page, 'Ada').focus();
    for (const key of ['Enter', 'ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await page.getByText('Deactivated Ada').waitFor();
    await actionsOf(page, 'Ada').and(page.locator(':focus')).waitFor();

    await page.getByLabel('State').selectOption('Inactive');
    await page.getByText('2 users on this page').waitFor();
    await chooseAction(page, 'Activate', 'Grace');
    await page.getByText('Activated Grace').waitFor();
    await page.getByText('1 user on this page').waitFor();
    await page.getByRole('heading', { name: 'Users' }).and(page.locator(':focus')).waitFor();
    await chooseAction(page, 'Activate', 'Ada');
    await page.getByText('There are no inactive users.').waitFor();
    const { body } = await api.get('/api/v1/users?sort=name').expect(200);
    expect(body.data).toMatchObject([
      { name: 'Ada', active: true, version: 3 },
      { name: 'Grace', active: true, version: 2 },
    ]);
  });

  it('are not deactivated if somebody else has changed them meanwhile', async () => {
    let id = '';
    const { page, api, expectErrors } = await visitUsers(async (api) => {
      ({ id } = await api.createUser({ name: 'Ada' }));
    });
    expectErrors(412);
    await actionsOf(page, 'Ada').waitFor();
    await api.patch(`/api/v1/users/${id}`, { role: 'viewer' }).expect(200);
    await chooseAction(page, 'Deactivate', 'Ada');
    await page.getByText('Somebody else changed Ada meanwhile').waitFor();
    expect(await userOf(api, id)).toMatchObject({ role: 'viewer', active: true, version: 2 });
    await page.getByRole('cell', { name: 'Viewer' }).waitFor();
    await chooseAction(page, 'Deactivate', 'Ada');
    await page.getByText('Deactivated Ada').waitFor();
    expect(await userOf(api, id)).toMatchObject({ role: 'viewer', active: false, version: 3 });
  });

  it('can be edited to be inactive', async () => {
    let id = '';
    const { page, api } = await visitUsers(async (api) => {
      ({ id } = await api.createUser({ name: 'Ada' }));
    });
    await chooseAction(page, 'Edit', 'Ada');
    await page.getByRole('dialog').getByLabel('Active').uncheck();
    await dialogButton(page, 'Save changes').click();
    await page.getByText('Saved Ada').waitFor();
    expect(await userOf(api, id)).toMatchObject({ active: false, version: 2 });
  });

  it('show errors at the fields and keep the input', async () => {
    const { page, expectErrors } = await visitUsers((api) => api.createUser({ email: 'ada@example.com' }));
    expectErrors(400, 409);
    await page.getByRole('button', { name: 'Create user' }).click();
    await page.getByLabel('Email').fill('nobody');
    await page.getByRole('button', { name: 'Add a key' }).click();
    await page.getByLabel('Key 1').fill('k'.repeat(65));
    await page.getByRole('button', { name: 'Add a key' }).click();
    await page.getByLabel('Key 2').fill('deep');
    await page.getByLabel('Type of deep').selectOption('JSON');
    await page.getByLabel('Value of deep').fill('{"constructor": 1}');
    await page.getByRole('button', { name: 'Add a key' }).click();
    await page.getByLabel('Key 3').fill('__proto__');
    await dialogButton(page, 'Create user').click();

    await page.getByText('Name must not be empty.').waitFor();
    await page.getByText('__proto__ is not allowed as a key.').waitFor();
    await page.getByText('Email must be an email address.').waitFor();
    await page.getByText('… must have at most 64 characters.').waitFor();
    await page.getByText('deep.constructor is not allowed as a key.').waitFor();
    const descriptionOf = async (label: string) => {
      const id = await page.getByLabel(label).getAttribute('aria-describedby');
      return page.locator(`[id="${id}"]`).innerText();
    };
    expect(await descriptionOf('Email')).toBe('Email must be an email address.');
    expect(await descriptionOf('Value of deep')).toBe('deep.constructor is not allowed as a key.');
    await page.getByLabel('Name').and(page.locator(':focus')).waitFor();

    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email').fill('ADA@example.com');
    await page.getByLabel('Key 1').fill('short');
    await page.getByRole('button', { name: 'Remove __proto__' }).click();
    await page.getByLabel('Value of deep').fill('{"fine": [1, 2]}');
    await dialogButton(page, 'Create user').click();
    await page.getByText('Email is already used by another user of the organization.').waitFor();
    expect(await page.getByLabel('Email').getAttribute('aria-invalid')).toBe('true');
    expect(await page.getByLabel('Value of deep').inputValue()).toBe('{"fine": [1, 2]}');

    await page.getByLabel('Email').fill('other@example.com');
    await dialogButton(page, 'Create user').click();
    await page.getByText('Created Ada').waitFor();
  });

  it('are checked for duplicate keys and invalid JSON before they are sent', async () => {
    const { page, requestedUrls } = await visitUsers();
    await page.getByRole('button', { name: 'Create user' }).click();
    for (const i of [1, 2, 3]) {
      await page.getByRole('button', { name: 'Add a key' }).click();
      await page.getByLabel(`Key ${i}`).fill(i === 3 ? 'c' : 'twice');
    }
    await page.getByLabel('Type of c').selectOption('JSON');
    await page.getByLabel('Value of c').fill('{no}');
    const requests = () => requestedUrls.filter((url) => url.includes('/api/')).length;
    const before = requests();
    await dialogButton(page, 'Create user').click();
    await page.getByText('c is not valid JSON.').waitFor();
    expect(await page.getByText('twice occurs more than once.').count()).toBe(2);
    expect(requests()).toBe(before);
  });

  it('have at most 16 keys of metadata', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`key-${i}`, i]));
    const { page, api } = await visitUsers((api) => api.createUser({ name: 'Ada', metadata }));
    await chooseAction(page, 'Edit', 'Ada');
    await page.getByText('15 of 16 keys').waitFor();
    await page.getByRole('button', { name: 'Add a key' }).click();
    await page.getByText('16 of 16 keys').waitFor();
    expect(await page.getByRole('button', { name: 'Add a key' }).getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'Add a key' }).dispatchEvent('click');
    expect(await page.getByLabel('Key 17').count()).toBe(0);
    await page.getByLabel('Key 16').fill('last');
    await dialogButton(page, 'Save changes').click();
    await page.getByText('Saved Ada').waitFor();
    const { body } = await api.get('/api/v1/users').expect(200);
    expect(body.data[0].metadata).toEqual({ ...metadata, last: '' });
  });

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
        { metadata: { ...metadata, text: 'free' } },
        { metadata: rest },
      ]);
      const { body } = await api.get('/api/v1/users').expect(200);
      expect(body.data).toMatchObject([{ ...created, name: 'Ada Lovelace', metadata: rest }]);
      expect(Object.keys(body.data[0].metadata).sort()).toEqual(Object.keys(rest).sort());
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
      const choice = (page: Page, field: string) => page.getByRole('group', { name: field, exact: true });
      const choose = (page: Page, field: string, side: 'Yours' | 'Theirs') =>
        choice(page, field).getByRole('radio', { name: side }).check();
      const toMerge = async (page: Page) => {
        await dialogButton(page, 'Save changes').click();
        await page.getByText('Somebody else changed this user').waitFor();
      };

      it('lets one choose field by field, and overwrites nothing else', async () => {
        const { page, api, id, expectErrors } = await visitChanged(
          { email: 'ada@example.com', metadata: { plan: 'pro', seats: 5, team: 'a', kept: 'k' } },
          {
            name: 'Ada Byron',
            email: 'byron@example.com',
            metadata: { plan: 'free', seats: 6, team: 'a', kept: 'k', added: true },
          },
        );
        expectErrors(412);
        await page.getByLabel('Name').fill('Ada  Lovelace');
        await page.getByRole('dialog').getByLabel('Role').selectOption('viewer');
        await page.getByRole('button', { name: 'Remove plan' }).click();
        await page.getByLabel('Value of seats').fill('7');
        await page.getByLabel('Value of team').fill('b');
        await toMerge(page);
        await page.locator('.banner:focus').waitFor();
        await page.getByText('Only you changed Role and Metadata “team”: what you entered stays.').waitFor();
        await page
          .getByText('Only they changed Email and Metadata “added”: what they saved stays.')
          .waitFor();
        expect(await page.getByRole('dialog').getByRole('group').count()).toBe(3);
        expect(await choice(page, 'Name').getByRole('radio').first().isChecked()).toBe(true);
        const shown = (await choice(page, 'Name').locator('.value').allTextContents()).join();
        expect(shown).toBe('Ada  Lovelace,Ada Byron');
        await choice(page, 'Metadata “plan”').getByText('removed').waitFor();
        await choose(page, 'Metadata “plan”', 'Theirs');
        expect((await userOf(api, id)).name).toBe('Ada Byron');
        await dialogButton(page, 'Save changes').click();
        await page.getByText('Saved Ada').waitFor();
        expect(await userOf(api, id)).toMatchObject({
          email: 'byron@example.com',
          role: 'viewer',
          metadata: { plan: 'free', seats: 7, team: 'b', kept: 'k', added: true },
        });
        expect((await userOf(api, id)).name).toMatch(/^Ada +Lovelace$/);
      });

      it('keeps what was chosen in the form, and through a second change', async () => {
        const { page, api, id, change, expectErrors } = await visitChanged({}, { name: 'Ada Byron' });
        expectErrors(412, 409);
        await api.createUser({ email: 'taken@example.com' });
        await page.getByLabel('Name').fill('Ada Lovelace');
        await page.getByLabel('Email').fill('taken@example.com');
        await toMerge(page);
        await choose(page, 'Name', 'Theirs');
        await dialogButton(page, 'Save changes').click();
        await page.getByText('already used by another user').waitFor();
        await dialogButton(page, 'Back to the form').click();
        expect(await page.getByLabel('Name').inputValue()).toBe('Ada Byron');
        expect(await page.getByLabel('Email').inputValue()).toBe('taken@example.com');
        await page.getByLabel('Name').fill('Ada King');
        await page.getByLabel('Email').fill('king@example.com');
        await change({ email: 'byron@example.com' });
        await toMerge(page);
        await page.getByText('Only you changed Name: what you entered stays.').waitFor();
        await change({ role: 'admin', name: 'Augusta' });
        await dialogButton(page, 'Save changes').click();
        await page.getByText('Only they changed Role').waitFor();
        await page.locator('.banner:focus').waitFor();
        await choose(page, 'Name', 'Theirs');
        await dialogButton(page, 'Save changes').click();
        await page.getByText('Saved Augusta').waitFor();
        expect(await userOf(api, id)).toMatchObject({
          name: 'Augusta',
          email: 'king@example.com',
          role: 'admin',
        });
      });

      it('asks nothing if both made the same change', async () => {
        const { page, expectErrors } = await visitChanged({}, { name: 'Ada Byron', role: 'admin' });
        expectErrors(412);
        await page.getByLabel('Name').fill('Ada Byron');
        await dialogButton(page, 'Save changes').click();
        await page.getByText('Saved Ada Byron').waitFor();
        await page.getByText('Admin').and(page.locator('.chip')).waitFor();
      });

      it.each(['the form', 'the choice'])('keeps the text in %s if they are deleted', async (place) => {
        const { page, api, id, expectErrors } = await visitChanged({}, { name: 'Ada Byron' });
        expectErrors(404, ...(place === 'the choice' ? [412] : []));
        await page.getByLabel('Name').fill('Ada Lovelace');
        await page.getByLabel('Email').fill('typed@example.com');
        if (place === 'the choice') await toMerge(page);
        await api.delete(`/api/v1/users/${id}`).expect(204);
        await dialogButton(page, 'Save changes').click();
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

  it('are kept if a table of the application refers to them', async () => {
    const { page, api, expectErrors } = await visitUsers((api) => api.createUser({ name: 'Ada' }));
    const { body } = await api.get('/api/v1/users').expect(200);
    const { dataSource } = service();
    await dataSource.query(
      'CREATE TABLE badges (organization_id text, user_id text, FOREIGN KEY (organization_id, user_id) REFERENCES users)',
    );
    await dataSource.query('INSERT INTO badges VALUES ($1, $2)', [api.organizationId, body.data[0].id]);
    expectErrors(409);
    await chooseAction(page, 'Delete', 'Ada');
    await dialogButton(page, 'Delete user').click();
    await page
      .getByRole('dialog')
      .getByText('The user cannot be deleted, because a table of the application still refers to it.')
      .waitFor();
    await dataSource.query('DROP TABLE badges');
    await dialogButton(page, 'Delete user').click();
    await page.getByText('Deleted Ada').waitFor();
  });

  it('have rows of one line, whatever is in them, and an id to copy', async () => {
    let id = '';
    const { page } = await visit(
      { viewport: { width: 1280, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'] },
      async (api) => {
        const email = `${'long'.repeat(15)}@${'long'.repeat(15)}.example`;
        ({ id } = await api.createUser({ name: 'long '.repeat(30), email }));
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
    for (const width of [1041, 1280]) {
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

  it('are deleted after confirmation', async () => {
    const { page, api } = await visitUsers((api) =>
      api.createUser({ name: 'Ada', email: 'ada@example.com' }),
    );
    await chooseAction(page, 'Delete', 'Ada');
    await page.getByText('ada@example.com').and(page.locator('dialog strong')).waitFor();
    await dialogButton(page, 'Cancel').click();
    expect((await api.get('/api/v1/users').expect(200)).body.data).toHaveLength(1);
    await chooseAction(page, 'Delete', 'Ada');
    await dialogButton(page, 'Delete user').click();
    await page.getByText('Deleted Ada').waitFor();
    expect((await api.get('/api/v1/users').expect(200)).body.data).toEqual([]);
  });

  it('are not deleted if somebody else changed them, unless confirmed again', async () => {
    let id = '';
    const { page, api, expectErrors } = await visitUsers(
      async (api) => ({ id } = await api.createUser({ name: 'Ada' })),
    );
    expectErrors(412);
    await chooseAction(page, 'Delete', 'Ada');
    for (const name of ['Ada Byron', 'Ada King']) {
      const changes = { name, role: 'admin', metadata: { plan: 'pro', seats: 5 } };
      await api.patch(`/api/v1/users/${id}`, changes).expect(200);
      await dialogButton(page, 'Delete user').click();
      await page.getByRole('heading', { name: `Delete ${name}?` }).waitFor();
      const message = page.getByText('Somebody else changed this user meanwhile, so it was not deleted.');
      await page.locator('.banner:focus', { has: message }).waitFor();
      const facts = await page.locator('dl > div').allInnerTexts();
      expect(facts.map((fact) => fact.replace(/\s+/g, ' '))).toEqual([
        `Name ${name}`,
        expect.stringMatching(/^Email .+@/),
        'Role Admin',
        'Active Yes',
        'Metadata “plan” pro',
        'Metadata “seats” 5 (JSON)',
      ]);
      await userOf(api, id);
    }
    await dialogButton(page, 'Delete user').click();
    await page.getByText('Deleted Ada King').waitFor();
    await api.get(`/api/v1/users/${id}`).expect(404);
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

describeInBrowser('the rate limit in the dashboard', () => {
  const { visit } = useDashboard({ RATE_LIMIT_PER_MINUTE: '7' });

  it('is shown when it is low, and a list retries when a used-up limit resets', async () => {
    const { page, requestedUrls, expectErrors } = await visit({}, (_api, page) => page.clock.install());
    expectErrors(429);
    const filterBy = (state: string) =>
      Promise.all([page.waitForResponse('**/tokens?**'), page.getByRole('radio', { name: state }).check()]);
    await filterBy('active');
    await page.getByText('1 token on this page').waitFor();
    expect(await page.getByText('requests left').count()).toBe(0);
    await filterBy('expired');
    await page.getByText('1 of 7 requests left').waitFor();
    await filterBy('revoked');
    await filterBy('all');
    const message = page.getByText("Too many requests: the token's rate limit is used up.");
    await message.waitFor();
    const secondsOf = async () => Number(/in (\d+) s/.exec(await message.innerText())![1]);
    const before = await secondsOf();
    expect(before).toBeGreaterThan(20);
    await page.clock.fastForward(10_000);
    // The page updates a moment later.
    while ((await secondsOf()) > before - 10) await page.waitForTimeout(50);
    expect(await message.innerText()).toMatch(/It resets at \d+:\d\d:\d\d [AP]M/);
    // At the reset the page retries by itself.
    const count = requestedUrls.length;
    const retry = page.waitForRequest('**/tokens?**');
    await page.clock.fastForward(60_000);
    await retry;
    expect(requestedUrls.length).toBeGreaterThan(count);
  });

  it('is reported in a form, which keeps the input', async () => {
    const { page, api, expectErrors } = await visit();
    expectErrors(429);
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByLabel('Name').fill('Typed');
    for (let i = 0; i < 7; i++) await api.get('/v1/tokens/current');
    await dialogButton(page, 'Create token').click();
    await page.getByText("Too many requests: the token's rate limit is used up.").waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Typed');
  });
});
