/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { meetsWcag } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import { Client } from '../support/client';
import { nextMoment } from '../support/clock';
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
  panelOf,
  rowsOf,
  shows,
  signIn,
  submits,
  tokensIn,
  toSection,
  useDashboard,
} from '../support/dashboard';
import { exchange } from '../support/oauth';
import { type Replica, startReplica } from '../support/service';

const valueOf = (page: Page) => page.getByRole('textbox', { name: 'Token', exact: true }).inputValue();

/** Creates a token in the dialog and returns the displayed value. */
async function create(page: Page, name: string, scope = 'users:read'): Promise<string> {
  await buttonOf(page, 'Create token').click();
  await submits(page, 'Create token', { Name: name, [scope]: true });
  return valueOf(page);
}

/** Rotates a token in the dialog and returns the displayed value. */
async function rotate(page: Page, name: string, overlap?: string): Promise<string> {
  await chooseAction(page, 'Rotate', name);
  await submits(page, 'Rotate token', overlap ? { 'The old token keeps working': overlap } : {});
  return valueOf(page);
}

/** Closes the dialog without having copied the value that it shows. */
async function leave(page: Page): Promise<void> {
  await submits(page, 'Done');
  await submits(page, 'I have saved it');
  await closed(page);
}

/** Resolves when what has happened so far is drawn. */
const DRAWN = 'new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))';

/** The names of the listed tokens, with what is said beside them. */
const namesIn = async (page: Page) => (await rowsOf(page)).map((row) => row.split(' umt_')[0]);

const banner = (page: Page, name: string) => page.getByRole('complementary', { name });

describeInBrowser('API tokens in the dashboard', () => {
  const { service, enter, visit } = useDashboard();
  const clientWith = (value: string) => new Client(service().url, { value });
  const endIn = (id: string, time: string) =>
    service().dataSource.query(`UPDATE tokens SET expires_at = now() + $2::interval WHERE id = $1`, [
      id,
      time,
    ]);
  const createToken = async (api: Client, fields: object = {}): Promise<{ id: string; token: string }> => {
    await nextMoment();
    return (await api.post('/v1/tokens', { name: 'CI', scopes: ['users:read'], ...fields }).expect(201)).body;
  };

  it('can be created, copied, used and revoked', async () => {
    const { page } = await visit('tokens');
    const shown = await create(page, 'Nightly sync');
    await buttonOf(page, 'Copy: Token').click();
    await shows(page, 'Copied');
    await meetsWcag(page);
    const value: string = await page.evaluate('navigator.clipboard.readText()');
    expect(value).toBe(shown);
    expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(false);
    await submits(page, 'Done');
    await closed(page);

    await clientWith(value).get('/api/v1/users').expect(200);
    await clientWith(value).post('/api/v1/users', {}).expect(403);

    await chooseAction(page, 'Revoke', 'Nightly sync');
    await submits(page, 'Revoke token');
    await closed(page);
    await clientWith(value).get('/api/v1/users').expect(401);
    await page.getByText('revoked', { exact: true }).and(page.locator('.state')).waitFor();
    expect((await rowsOf(page))[0]).toMatch(
      /^Nightly sync umt_.{4}….{4} users:read .* (Never|just now) .* Revoked$/i,
    );
  });

  it('show errors at the fields and keep the input', async () => {
    const { page, api, expectErrors } = await visit('tokens');
    expectErrors(400);
    await buttonOf(page, 'Create token').click();
    const dialog = dialogOf(page);
    const long = 'x'.repeat(101);
    await fills(dialog, { Name: long, Expiry: 'custom', 'Requests a minute': '1001' });
    await submits(page, 'Create token', { Days: '4000' });
    await shows(page, 'Days must be a whole number from 1 to 3650.');
    await submits(page, 'Create token', { Days: '400' });
    await shows(page, 'Name must have at most 100 characters.', 'Select at least one scope.');
    await shows(page, 'must be at most 1000');
    await focusOn(dialog.getByLabel('Name'));
    expect(await dialog.getByLabel('Name').inputValue()).toBe(long);
    await meetsWcag(page);

    const values = { Name: long.slice(1), 'users:delete': true, 'Requests a minute': '600' };
    await submits(page, 'Create token', values);
    await shows(page, '600 requests a minute');
    const { body } = await api.get('/v1/tokens?limit=1').expect(200);
    const created = { name: long.slice(1), scopes: ['users:delete'], expiresIn: '400d', rateLimit: 600 };
    expect(body.data[0]).toMatchObject(created);
  });

  it('have the chosen expiry, and come with a command that works', async () => {
    const { page, api } = await visit('tokens');
    for (const [scope, path, expiry, expiresIn] of [
      ['users:read', '/api/v1/users', '30', '30d'],
      ['users:delete', '/api/v1/tokens/current', 'never', null],
    ] as const) {
      await buttonOf(page, 'Create token').click();
      await fills(dialogOf(page), { Name: 'New', [scope]: true, Expiry: expiry });
      expect(await page.getByText('A token that never expires').count()).toBe(expiry === 'never' ? 1 : 0);
      await submits(page, 'Create token');
      const value = await valueOf(page);
      expect(await page.getByRole('textbox', { name: 'Try it' }).inputValue()).toBe(
        `curl '${service().url}${path}' -H 'Authorization: Bearer ${value}'`,
      );
      await clientWith(value).get(path).expect(200);
      await leave(page);
      const { body } = await api.get('/v1/tokens?limit=1').expect(200);
      expect([expiry, body.data[0]]).toMatchObject([expiry, { name: 'New', scopes: [scope], expiresIn }]);
    }
  });

  it('are said to be dangerous before one with the scope admin is created', async () => {
    const { page } = await visit('tokens');
    await buttonOf(page, 'Create token').click();
    const warning = page.getByText('Whoever has this token can change and delete everything');
    await fills(dialogOf(page), { 'users:delete': true });
    expect(await warning.count()).toBe(0);
    await fills(dialogOf(page), { admin: true });
    await warning.waitFor();
    await meetsWcag(page);
    await fills(dialogOf(page), { admin: false });
    await warning.waitFor({ state: 'detached' });
  });

  it('show their value once, until the user confirms that it is saved', async () => {
    const { page, requestedUrls } = await visit('tokens');
    const value = await create(page, 'Kept');
    expect(new Set(await tokensIn(page))).toEqual(new Set([value]));
    expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(true);
    await submits(page, 'Done');
    await meetsWcag(page);
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press('Escape');
      await page.evaluate(DRAWN); // a browser may close the dialog, and the page then opens it again
      expect(await dialogOf(page).count()).toBe(1);
    }
    if (await dialogButton(page, 'Back').isVisible()) await submits(page, 'Back');
    expect(await valueOf(page)).toBe(value);
    // Browsers may close a dialog at Escape without asking the page first.
    await page.evaluate(`document.querySelector('dialog').close()`);
    await submits(page, 'Back');
    await page.evaluate('history.pushState({ index: 1 }, "")');
    await page.goBack();
    await submits(page, 'Back');
    expect(await valueOf(page)).toBe(value);

    await leave(page);
    expect(await tokensIn(page)).toEqual([]);
    await toSection(page, 'Users');
    await page.goBack();
    await headingOf(page, 'API tokens').waitFor();
    expect(await tokensIn(page)).toEqual([]);
    expect(requestedUrls.join()).not.toContain(value);
  });

  it('can be copied without the clipboard API', async () => {
    const { page } = await visit('tokens', (_api, page) =>
      page.addInitScript({
        content: `Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })`,
      }),
    );
    const value = await create(page, 'Plain');
    await buttonOf(page, 'Copy: Token').click();
    await shows(page, 'Copied');
    await submits(page, 'Done');
    await buttonOf(page, 'Create token').click();
    await page.getByLabel('Name').focus();
    await page.keyboard.press('Control+V');
    expect(await page.getByLabel('Name').inputValue()).toBe(value);
  });

  it('are listed with their details, marked if they expire soon, and filtered by state', async () => {
    const { page } = await visit('tokens', async (api) => {
      const create = async (name: string, expiresIn?: string) =>
        (await createToken(api, { name, scopes: ['users:read', 'users:write'], expiresIn })).id;
      await create('Forever');
      const later = await create('Later', '15d');
      const used = `UPDATE tokens SET last_used_at = now() - interval '3 days' WHERE id = $1`;
      await service().dataSource.query(used, [later]);
      await create('Soon', '9d');
      const expired = await create('Over', '1d');
      await service().dataSource.query(
        `UPDATE tokens SET expires_at = now() - interval '1 ms' WHERE id = $1`,
        [expired],
      );
      await api.delete(`/v1/tokens/${await create('Revoked', '1d')}`).expect(204);
    });
    await shows(page, '6 tokens on this page');
    await meetsWcag(page);
    const rows = await rowsOf(page);
    const names = ['Revoked', 'Over', 'Soon', 'Later', 'Forever', 'Test'];
    expect(rows.map((row) => row.split(' ')[0])).toEqual(names);
    expect(rows[2]).toMatch(/^Soon umt_\w{4}…\w{4} users:read users:write \w+ \d+ Never in 9 days Active$/i);
    expect(rows[5]).toContain('This session');
    expect(await page.locator('.chip.warning').count()).toBe(1);
    expect(await page.locator('.chip.danger').allInnerTexts()).toEqual(['admin']);
    expect(
      rows.map((row) => /(active|expired|revoked)( rotate revoke)?$/i.exec(row)?.[0].toLowerCase()),
    ).toEqual(['revoked', 'expired', ...Array.from({ length: 4 }, () => 'active')]);

    for (const [state, names] of [
      ['expired', ['Over']],
      ['revoked', ['Revoked']],
      ['active', ['Soon', 'Later', 'Forever', 'Test']],
    ] as const) {
      await page.getByRole('radio', { name: state }).check();
      await shows(page, `${names.length} token${names.length > 1 ? 's' : ''} on this page`);
      expect((await rowsOf(page)).map((row) => row.split(' ')[0])).toEqual(names);
    }
    await chooseAction(page, 'Revoke', 'Later');
    await page.getByRole('heading', { name: 'Revoke “Later”?' }).waitFor();
    await shows(page, 'Last used 3 days ago.');
    expect(await page.getByText('You are signed in with this token').count()).toBe(0);
    await meetsWcag(page);
  });

  it('are asked for twice before the last admin token ends; the session goes on with a new one', async () => {
    const { page, api } = await visit('tokens', async (api) => {
      // Neither an ended admin token nor one of another scope is a way in.
      const { id } = await createToken(api, { name: 'Ended', scopes: ['admin'] });
      await api.delete(`/v1/tokens/${id}`).expect(204);
      await createToken(api, { scopes: ['users:read', 'users:write', 'users:delete'] });
    });
    const statusOf = async (value: string) => (await clientWith(value).get('/v1/tokens/current')).status;
    await chooseAction(page, 'Rotate', 'Test');
    await shows(page, 'This page continues with the new one');
    await submits(page, 'Rotate token', { 'The old token keeps working': '0h' });
    await shows(page, 'No other admin token works for more than a week.', 'ums tokens create');
    await meetsWcag(page);
    expect(await statusOf(api.tokenValue)).toBe(200);
    await submits(page, 'Rotate the last admin token');
    const value = await valueOf(page);
    expect([await statusOf(api.tokenValue), await statusOf(value)]).toEqual([401, 200]);
    await leave(page);
    await shows(page, 'This session');
    expect((await rowsOf(page))[0]).toMatch(/^Test This session/);

    await chooseAction(page, 'Revoke', 'Test');
    await shows(page, 'You are signed in with this token. Revoking it signs you out.');
    await submits(page, 'Revoke token');
    await shows(page, 'No other admin token works for more than a week.', 'ums tokens create');
    expect(await statusOf(value)).toBe(200);
    await submits(page, 'Revoke the last admin token');
    await shows(page, 'You revoked the token you were signed in with.');
    expect(await statusOf(value)).toBe(401);
  });

  describe('that are rotated', () => {
    it('have a new value, which is shown once, and both stand together', async () => {
      let old = { id: '', token: '' };
      const { page } = await visit('tokens', async (api) => {
        old = await createToken(api, { expiresIn: '90d' });
        await createToken(api, { name: 'Other' });
      });
      const value = await rotate(page, 'CI', '72h');
      await page.getByRole('heading', { name: 'Token “CI” rotated' }).waitFor();
      expect(new Set(await tokensIn(page))).toEqual(new Set([value]));
      await leave(page);
      expect(await tokensIn(page)).toEqual([]);
      for (const either of [value, old.token]) await clientWith(either).get('/api/v1/users').expect(200);
      await shows(page, 'Replaced');
      expect((await namesIn(page)).slice(0, 3)).toEqual(['CI', 'CI Replaced', 'Other']);
      expect((await rowsOf(page))[1]).toMatch(/ in 3 days Active$/i);

      await endIn(old.id, '0');
      await page.getByRole('radio', { name: 'active' }).check();
      await page.getByText('Replaced').waitFor({ state: 'detached' });
      expect(await namesIn(page)).toEqual(['CI', 'Other', 'Test This session']);
    });

    it('are shown in pairs also if the old one is on another page', async () => {
      const { page } = await visit('tokens', async (api) => {
        const { id } = await createToken(api);
        for (let i = 1; i <= 50; i++) await createToken(api, { name: `Token ${i}` });
        await api.post(`/v1/tokens/${id}/rotate`).expect(201);
      });
      await shows(page, 'Replaced');
      const first = ['CI', 'CI Replaced', 'Token 50'];
      expect((await namesIn(page)).slice(0, 3)).toEqual(first);
    });

    it('are said to end before the overlap is over if they do', async () => {
      const { page } = await visit('tokens', (api) => createToken(api, { expiresIn: '2d' }));
      await chooseAction(page, 'Rotate', 'CI');
      await shows(page, 'for another 2 days');
      expect(await page.getByText('It expires in').count()).toBe(0);
      await fills(dialogOf(page), { 'The old token keeps working': '168h' });
      await shows(page, 'It expires in 2 days anyway.');
    });
  });

  describe('have a banner', () => {
    it('while the bootstrap token is active', async () => {
      const { page } = await visit('tokens', (api) =>
        createToken(api, { name: 'Bootstrap', scopes: ['admin'] }),
      );
      await banner(page, 'Bootstrap token').waitFor();
      await toSection(page, 'Overview');
      await banner(page, 'Bootstrap token').waitFor();
      await toSection(page, 'Users');
      await banner(page, 'Bootstrap token').waitFor({ state: 'detached' });
      await toSection(page, 'API tokens');
      await chooseAction(page, 'Revoke', 'Bootstrap');
      await submits(page, 'Revoke token');
      await banner(page, 'Bootstrap token').waitFor({ state: 'detached' });
    });

    it('that can be dismissed, and that knows the token of the session', async () => {
      const { page } = await visit('tokens', (api) =>
        service().dataSource.query(
          `UPDATE tokens SET name = 'Bootstrap', last_used_at = now() - interval '3 days' WHERE id = $1`,
          [api.tokenId],
        ),
      );
      const bootstrap = banner(page, 'Bootstrap token');
      await shows(bootstrap, 'You are signed in with the bootstrap token');
      expect(await bootstrap.innerText()).not.toContain('last used');
      await bootstrap.getByRole('button', { name: 'Dismiss' }).click();
      await focusOn(headingOf(page, 'API tokens'));
      await toSection(page, 'Overview');
      await shows(page, 'Latest activity');
      expect(await bootstrap.count()).toBe(0);
    });

    it('while the token of the session is about to end, which says what has replaced it', async () => {
      const { page, api } = await visit('tokens', (api) => endIn(api.tokenId, '3 days 1 hour'));
      const expiry = banner(page, 'Expiry of your token');
      await shows(expiry, 'expires in 3 days');
      await meetsWcag(page);
      await toSection(page, 'Users');
      await expiry.getByRole('link', { name: 'Rotate it' }).click();
      await headingOf(page, 'API tokens').waitFor();
      await expiry.getByRole('button', { name: 'Dismiss' }).click();
      await expiry.waitFor({ state: 'detached' });

      // Somebody rotates it meanwhile.
      const { body } = await api.post(`/v1/tokens/${api.tokenId}/rotate`, { overlap: '5h' }).expect(201);
      await page.getByRole('radio', { name: 'active' }).check();
      await shows(expiry, 'expires in 5 hours');
      await page.reload();
      await signIn(page, api.tokenValue);
      await shows(expiry, 'It has been replaced', body.hint);
      await toSection(page, 'Activity');
      await page.locator('.entry', { hasText: 'rotated' }).click();
      await page.locator('dl > div', { hasText: 'Old token' }).getByText(api.tokenId).waitFor();
      await page.locator('dl > div', { hasText: 'New token' }).getByText(body.id).waitFor();
    });

    it('but none for a token that lives long, or was issued for an hour', async () => {
      const api = await service().client();
      const { id, token } = await createToken(api, { scopes: ['admin'], expiresIn: '15d' });
      const form = { grant_type: 'client_credentials', client_id: id, client_secret: token };
      const { body } = await exchange(service().url, form); // its term is meant to be short
      for (const value of [token, body.access_token]) {
        const { page } = await enter('tokens', api.withValue(value));
        await shows(page, /tokens? on this page/);
        expect(await page.getByRole('complementary').count()).toBe(0);
      }
    });
  });

  describe('on a page of their own', () => {
    it('show what they are and did, and are rotated and revoked; the pair says which is which', async () => {
      const api = await service().client();
      const fields = { name: 'Nightly sync', scopes: ['users:write'], expiresIn: '90d', rateLimit: 60 };
      const token = await createToken(api, fields);
      await api.withValue(token.token).createUser({ name: 'Grace' });
      const { page } = await enter(`tokens/${token.id}`, api);
      await headingOf(page, 'Nightly sync').waitFor();
      await panelOf(page, 'Token')
        .locator('div', { hasText: /^Requests a minute60$/ })
        .waitFor();
      await shows(panelOf(page, 'Done with this token'), 'Nightly sync created Grace');
      await meetsWcag(page);
      await chooseAction(page, 'Rotate', 'Nightly sync');
      await submits(page, 'Rotate token');
      await valueOf(page);
      await leave(page);
      const rotation = panelOf(page, 'Rotation');
      await shows(rotation, 'Replaces this one');
      await rotation.getByRole('link', { name: 'Nightly sync' }).click();
      await shows(rotation, 'Replaced by this one');
      expect(page.url()).not.toContain(token.id);
      await page.reload();
      await signIn(page, api.tokenValue);
      await chooseAction(page, 'Revoke', 'Nightly sync');
      await submits(page, 'Revoke token');
      await panelOf(page, 'Token').getByText('revoked', { exact: true }).waitFor();
      expect(await actionsOf(page, 'Nightly sync').count()).toBe(0);
    });
  });
});

describeInBrowser('with TOKEN_MAX_DAYS=60, the dashboard', () => {
  let limited: Replica;
  // First, because useDashboard() closes the database of both, without which a close may wait for ever.
  afterAll(() => limited.close());
  const { service, open } = useDashboard();
  beforeAll(async () => (limited = await startReplica(service(), { TOKEN_MAX_DAYS: '60' })));

  const limit = (page: Page) => dialogOf(page).locator('option', { hasText: '60 days, the longest' });
  const choices = (page: Page, label: string) =>
    dialogOf(page).getByLabel(label).locator('option').allInnerTexts();

  it('offers no longer life for a new token, or one that is rotated', async () => {
    const [{ page }, api] = [await open(), await service().client()];
    await api.post('/v1/tokens', { name: 'CI', scopes: ['users:read'], expiresIn: '90d' }).expect(201);
    await page.goto(`${limited.url}/dashboard/tokens`);
    await signIn(page, api.tokenValue);
    await buttonOf(page, 'Create token').click();
    await limit(page).waitFor({ state: 'attached' });
    expect(await choices(page, 'Expiry')).toEqual(['30 days', '60 days, the longest', 'Custom …']);
    expect(await dialogOf(page).getByLabel('Expiry').inputValue()).toBe('60'); // 90 days are offered no longer
    await fills(dialogOf(page), { Name: 'Sync', 'users:read': true, Expiry: 'custom', Days: '61' });
    await shows(page, 'At most 60.');
    await submits(page, 'Create token');
    await shows(page, 'Days must be a whole number from 1 to 60.');
    await focusOn(dialogOf(page).getByLabel('Days'));
    await meetsWcag(page);
    await submits(page, 'Create token', { Days: '60' });
    await shows(page, 'Token “Sync” created');
    await leave(page);

    await chooseAction(page, 'Rotate', 'CI');
    await limit(page).waitFor({ state: 'attached' });
    const expiry = 'Expiry of the new token';
    expect(await choices(page, expiry)).toEqual(['30 days', '60 days, the longest', 'Custom …']);
    await submits(page, 'Rotate token', { 'The old token keeps working': '72h' });
    await page.getByRole('heading', { name: 'Token “CI” rotated' }).waitFor();
    const { body } = await api.get('/v1/tokens?limit=2').expect(200);
    expect(body.data).toMatchObject([
      { name: 'CI', expiresIn: '60d', rotatedFrom: expect.any(String) },
      { name: 'Sync', scopes: ['users:read'], expiresIn: '60d' },
    ]);
  });

  it('says at the expiry that it is too long where nobody has said so before, and keeps the input', async () => {
    const [{ page, expectErrors }, api] = [await open(), await service().client()];
    await api.post('/v1/tokens', { name: 'CI', scopes: ['users:read'], expiresIn: '90d' }).expect(201);
    expectErrors(400, 404);
    const problem = { code: 'not_found', detail: 'There is no such path.', errors: [] }; // of an older service
    await page.route('**/settings', (route) => route.fulfill({ status: 404, json: problem }));
    await page.goto(`${limited.url}/dashboard/tokens`);
    await signIn(page, api.tokenValue);
    await buttonOf(page, 'Create token').click();
    await submits(page, 'Create token', { Name: 'Sync', 'users:read': true });
    await shows(page, 'Expiry must be at most 60d.');
    await focusOn(dialogOf(page).getByLabel('Expiry'));
    await meetsWcag(page);
    await submits(page, 'Create token', { Expiry: 'custom', Days: '61' });
    await shows(page, 'Days must be at most 60d.');
    await submits(page, 'Cancel');
    await submits(page, 'Discard changes');
    await closed(page);

    await chooseAction(page, 'Rotate', 'CI');
    const expiry = 'Expiry of the new token';
    const chosen = dialogOf(page).getByLabel(expiry).locator('option:checked');
    expect(await chosen.textContent()).toBe('90 days, like the old one');
    await submits(page, 'Rotate token', { 'The old token keeps working': '72h' });
    await shows(
      page,
      `${expiry} must be given and be at most 60d, because the term of the old token is longer.`,
    );
    await focusOn(dialogOf(page).getByLabel(expiry));
    expect(await dialogOf(page).getByLabel('The old token keeps working').inputValue()).toBe('72h');
    await meetsWcag(page);
    await submits(page, 'Rotate token', { [expiry]: '30' });
    await page.getByRole('heading', { name: 'Token “CI” rotated' }).waitFor();
  });
});
