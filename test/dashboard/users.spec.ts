/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { describeInBrowser } from '../support/browser';
import { actionsOf, chooseAction, dialogButton, useDashboard, userOf } from '../support/dashboard';

describeInBrowser('users in the dashboard', () => {
  const { service, visitUsers } = useDashboard();

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
        'External ID none',
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
});
