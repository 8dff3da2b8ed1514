/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { GroupsService } from '../../src/groups/groups.service';
import { ScimUsersService } from '../../src/scim/users/scim-users.service';
import { accessibilityFaults, prepareAccessibility } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import type { Client, UserBody } from '../support/client';
import { ASKS_BEFORE_UNLOAD, dialogButton, signIn, useDashboard } from '../support/dashboard';

const MARKUP = '<img src=x onerror=alert(1)>';

const VARIANTS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [1280, 320].map((width) => ({ colorScheme, width })),
);

describeInBrowser('the pages of the organization, of a user and of a token', () => {
  const { service, open } = useDashboard();

  /** Signs in at the address. */
  const visit = async (path: string, api: Client, options = {}) => {
    const window = await open(options);
    await prepareAccessibility(window.page);
    await window.page.goto(`${service().url}/dashboard${path}`);
    await signIn(window.page, api.tokenValue);
    return window;
  };
  const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true });
  const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const userOf = async (api: Client, id: string): Promise<UserBody> =>
    (await api.get(`/api/v1/users/${id}`).expect(200)).body;
  /** Goes to the element with the Tab key alone, and presses Enter. */
  const press = async (page: Page, name: string) => {
    const focused = button(page, name).and(page.locator(':focus'));
    for (let i = 0; i < 60 && (await focused.count()) === 0; i++) await page.keyboard.press('Tab');
    await focused.waitFor();
    await page.keyboard.press('Enter');
  };

  /**
   * Opens the dashboard, and goes on with a token that may only read users, as somebody who signed in with few rights.
   */
  const visitAsReader = async () => {
    const api = await service().client();
    await service().client({ organizationId: api.organizationId }); // another admin token, so that no last one ends
    const { page, requestedUrls } = await visit(`/tokens/${api.tokenId}`, api);
    const { body } = await api.post('/v1/tokens', { name: 'Reader', scopes: ['users:read'] }).expect(201);
    await page.route('**/rotate', (route) => route.fulfill({ status: 201, json: body }));
    await button(page, 'Rotate').click();
    await dialogButton(page, 'Rotate token').click();
    await page.getByRole('button', { name: 'Copy: Token' }).click();
    while (await page.evaluate(ASKS_BEFORE_UNLOAD)) await page.waitForTimeout(20);
    await dialogButton(page, 'Done').click();
    return { page, requestedUrls, api };
  };

  describe('the overview', () => {
    it('shows users, what ends soon, what fails, and what has happened', async () => {
      const api = await service().client();
      await api.createUser({ name: MARKUP });
      await api.createUser({ active: false });
      await api
        .post('/v1/tokens', { name: 'Ends soon', scopes: ['users:read'], expiresIn: '3d' })
        .expect(201);
      const { page } = await visit('', api);
      await heading(page, 'Overview').and(page.locator(':focus')).waitFor();
      await page.locator('.figures').waitFor();
      expect((await page.locator('.figures').innerText()).replace(/\s+/g, ' ').trim()).toBe(
        'Users 2 Active 1 Created in 30 days 2',
      );
      await page.getByRole('img', { name: /the most, 2, on/ }).waitFor();
      await page.getByText('Show as a table').click();
      const first = panel(page, 'Users created').getByRole('row').nth(1);
      await first.waitFor();
      expect(await first.getByRole('cell').last().innerText()).toContain('2');
      await panel(page, 'Tokens that end soon').getByRole('link', { name: 'Ends soon' }).waitFor();
      await panel(page, 'Webhooks that fail').getByText('There are no webhooks.').waitFor();
      await panel(page, 'Latest activity').getByText(`Test created ${MARKUP}`).waitFor();
      await page.getByRole('link', { name: 'Ends soon' }).click();
      await heading(page, 'Ends soon').waitFor();
      await page.goBack();
      await heading(page, 'Overview').waitFor();
    });

    it('shows a number that the service counts no further', async () => {
      const api = await service().client();
      const { page } = await visit('/tokens', api);
      const { body } = await api.get('/api/v1/statistics').expect(200);
      const users = { total: 100_000, active: 2_000, exact: false };
      await page.route('**/api/v1/statistics', (route) => route.fulfill({ json: { ...body, users } }));
      await page.getByRole('link', { name: 'Overview' }).click();
      const figures = page.locator('.figures');
      await figures.getByText('100,000+', { exact: true }).waitFor();
      await figures.getByText('2,000', { exact: true }).waitFor();
    });

    it('leaves out what the scopes of the token do not allow', async () => {
      const { page, requestedUrls } = await visitAsReader();
      const before = requestedUrls.length;
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByText('shown to tokens with the scope admin').waitFor();
      await page.locator('.figures').waitFor();
      expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['Users created']);
      expect(requestedUrls.slice(before).filter((url) => /events|webhooks|tokens\?/.test(url))).toEqual([]);
    });
  });

  describe('the page of a user', () => {
    it('is edited, deactivated, deleted and restored with the keyboard alone', async () => {
      const api = await service().client();
      const { id } = await api.createUser({ name: MARKUP, metadata: { plan: 'pro', seats: { eu: 3 } } });
      const { page } = await visit(`/users/${id}`, api);
      await heading(page, MARKUP).and(page.locator(':focus')).waitFor();
      await press(page, 'Edit');
      const name = page.getByRole('dialog').getByLabel('Name');
      await name.and(page.locator(':focus')).waitFor();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('Ada');
      await page.keyboard.press('Enter');
      await page.getByText('Saved Ada', { exact: true }).waitFor();
      await heading(page, 'Ada').waitFor();
      await page.getByText('renamed').waitFor();
      await press(page, 'Deactivate');
      await page.getByText('Deactivated Ada', { exact: true }).waitFor();
      await press(page, 'Activate');
      await page.getByText('Activated Ada', { exact: true }).waitFor();
      expect(await userOf(api, id)).toMatchObject({ name: 'Ada', active: true, version: 4 });
      await press(page, 'Delete');
      await dialogButton(page, 'Cancel').and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByText('Deleted Ada', { exact: true }).waitFor();
      await press(page, 'Undo: restore Ada');
      await page.getByText('Restored Ada', { exact: true }).waitFor();
      expect(await userOf(api, id)).toMatchObject({ name: 'Ada', version: 5 });
    });

    it('says both values when somebody else has changed the same field', async () => {
      const api = await service().client();
      const { id } = await api.createUser({ name: 'Ada' });
      const { page, expectErrors } = await visit(`/users/${id}`, api);
      await button(page, 'Edit').click();
      await page.getByRole('dialog').getByLabel('Name').fill('Ada King');
      await api.patch(`/api/v1/users/${id}`, { name: 'Countess' }).expect(200);
      expectErrors(412);
      await dialogButton(page, 'Save changes').click();
      await page.getByText('Name: yours is Ada King, theirs is Countess.').waitFor();
      await dialogButton(page, 'Save changes').click();
      await heading(page, 'Ada King').waitFor();
      await api.patch(`/api/v1/users/${id}`, { name: 'Countess' }).expect(200);
      await button(page, 'Deactivate').click();
      await page.getByText('Somebody else changed Ada').waitFor();
      await heading(page, 'Countess').waitFor();
      expect(await userOf(api, id)).toMatchObject({ active: true });
    });

    it('has metadata as a table and as JSON, groups, what the directory gave, and an export', async () => {
      const api = await service().client();
      const by = {
        organizationId: api.organizationId,
        actor: { type: 'system', id: null, name: 'directory' },
        source: 'scim',
        requestId: null,
      } as const;
      const { user } = await service().app.get(ScimUsersService, { strict: false }).create(by, {
        userName: 'ada@example.com',
        displayName: 'Ada',
        title: 'Analyst',
        costCenter: '4130',
      });
      await api.patch(`/api/v1/users/${user.id}`, { metadata: { seats: { eu: 3 } } }).expect(200);
      await service().app.get(GroupsService).create(api.organizationId, { displayName: MARKUP }, [user.id]);
      const { page } = await visit(`/users/${user.id}`, api);
      await panel(page, 'Groups').getByText(MARKUP).waitFor();
      await panel(page, 'Metadata').getByText('{"eu":3}').waitFor();
      await panel(page, 'Metadata').getByRole('radio', { name: 'JSON' }).check();
      await panel(page, 'Metadata').getByText('"eu": 3').waitFor();
      await button(page, 'Show directory attributes').click();
      await panel(page, 'Directory').getByText('Analyst').waitFor();
      await panel(page, 'Directory').getByText('{"costCenter":"4130"}').waitFor();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        button(page, "Export this person's data").click(),
      ]);
      expect(file.suggestedFilename()).toBe(`${user.id}.json`);
      const exported = JSON.parse(readFileSync(await file.path(), 'utf8'));
      expect(exported).toMatchObject({ user: { id: user.id }, directory: { title: 'Analyst' } });
      await page.getByText('Exported the data of Ada').waitFor();
    });

    it('offers only what the scopes allow', async () => {
      const { page, api } = await visitAsReader();
      const { id } = await api.createUser({ name: 'Ada' });
      await page.evaluate(
        `history.replaceState({ index: 0 }, '', '/dashboard/users/${id}'); dispatchEvent(new PopStateEvent('popstate'))`,
      );
      await heading(page, 'Ada').waitFor();
      await panel(page, 'Groups').getByText('In no group.').waitFor();
      for (const name of ['Edit', 'Deactivate', 'Delete', "Export this person's data"])
        expect(await button(page, name).count()).toBe(0);
      expect(await page.getByRole('heading', { name: 'Activity' }).count()).toBe(0);
    });

    it('says that there is no such user', async () => {
      const api = await service().client();
      const { page, expectErrors } = await visit('/users/usr_01kacpb2w5r8y3h6j9m4n7p0qx', api);
      expectErrors(404);
      await page.getByText('There is no such user.').waitFor();
    });
  });

  describe('the page of a token', () => {
    it('shows what it is and did, and is rotated and revoked; the pair says which is which', async () => {
      const api = await service().client();
      const { body: token } = await api
        .post('/v1/tokens', {
          name: 'Nightly sync',
          scopes: ['users:write'],
          expiresIn: '90d',
          rateLimit: 60,
        })
        .expect(201);
      await api
        .withValue(token.token)
        .post('/api/v1/users', { name: MARKUP, email: 'a@b.example' })
        .expect(201);
      const { page } = await visit(`/tokens/${token.id}`, api);
      await heading(page, 'Nightly sync').waitFor();
      await panel(page, 'Token').getByText('60 requests a minute').waitFor();
      await panel(page, 'What it did').getByText(`Nightly sync created ${MARKUP}`).waitFor();
      await button(page, 'Rotate').click();
      await dialogButton(page, 'Rotate token').click();
      await page.getByRole('button', { name: 'Copy: Token' }).click();
      await page.getByText('Copied').waitFor();
      await dialogButton(page, 'Done').click();
      await panel(page, 'Rotation').getByText('Replaces this one').waitFor();
      await panel(page, 'Rotation').getByRole('link', { name: 'Nightly sync' }).click();
      await panel(page, 'Rotation').getByText('Replaced by this one').waitFor();
      expect(page.url()).not.toContain(token.id);
      await page.reload();
      await signIn(page, api.tokenValue);
      await button(page, 'Revoke').click();
      await dialogButton(page, 'Revoke token').click();
      await panel(page, 'Token').getByText('revoked', { exact: true }).waitFor();
      expect(await button(page, 'Rotate').count()).toBe(0);
    });

    it('counts the requests of its own session, and ends it when it is revoked elsewhere', async () => {
      const api = await service().client();
      const other = await service().client({ organizationId: api.organizationId });
      const { page, expectErrors } = await visit(`/tokens/${api.tokenId}`, api);
      await page.getByText('This session').waitFor();
      await page.getByText(/\d+ of 1,000 used in this minute/).waitFor();
      await page.getByRole('link', { name: 'Groups' }).click();
      await page.getByText('There are no groups.').waitFor(); // no request is under way
      await other.delete(`/v1/tokens/${api.tokenId}`).expect(204);
      expectErrors(401);
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByLabel('Admin token').waitFor();
    });
  });

  it.each(VARIANTS)('are accessible: $colorScheme, $width px', async ({ colorScheme, width }) => {
    const api = await service().client();
    const { id } = await api.createUser({
      name: 'x'.repeat(200),
      metadata: { plan: 'pro', ['k'.repeat(64)]: { text: 'y'.repeat(300) } },
    });
    await api.post('/v1/tokens', { name: 'n'.repeat(100), scopes: ['admin'], expiresIn: '3d' }).expect(201);
    const { page } = await visit('', api, { colorScheme, viewport: { width, height: 800 } });
    const faults: string[] = [];
    const check = async (state: string) =>
      void faults.push(...(await accessibilityFaults(page)).map((fault) => `${state}: ${fault}`));
    await page.getByText('Show as a table').click();
    await panel(page, 'Latest activity').getByText('created').first().waitFor();
    await panel(page, 'Tokens that end soon').getByText('Expires').waitFor();
    await check('overview');
    await panel(page, 'Tokens that end soon').getByRole('link').last().click();
    await panel(page, 'What happened to it').getByText('created').waitFor();
    await check('token');
    await panel(page, 'Token').getByText('n'.repeat(100)).count();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.goto(`${service().url}/dashboard/users/${id}`);
    await signIn(page, api.tokenValue);
    await panel(page, 'Activity').getByText('created').waitFor();
    await button(page, 'Show directory attributes').click();
    await page.getByText('No directory has given').waitFor();
    await check('user');
    await panel(page, 'Metadata').getByRole('radio', { name: 'JSON' }).check();
    await check('metadata as JSON');
    await button(page, 'Delete').click();
    await check('delete dialog');
    await dialogButton(page, 'Delete user').click();
    await page.locator('.chip', { hasText: 'Deleted' }).waitFor();
    await check('deleted user');
    expect(faults).toEqual([]);
  });
});
