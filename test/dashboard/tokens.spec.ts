/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { TokensService } from '../../src';
import { accessibilityFaults } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import { Client } from '../support/client';
import { nextMoment } from '../support/clock';
import {
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
    await fills(dialog, { Name: 'x'.repeat(101), Expiry: 'custom', 'Requests a minute': '1001' });
    await submits(page, 'Create token', { Days: '4000' });
    await shows(page, 'Days must be a whole number from 1 to 3650.');
    await submits(page, 'Create token', { Days: '400' });
    await shows(page, 'Name must have at most 100 characters.', 'Select at least one scope.');
    await shows(page, 'must be at most 1000');
    expect(await page.evaluate('document.activeElement.name')).toBe('name');
    expect(await dialog.getByLabel('Name').inputValue()).toBe('x'.repeat(101));
    expect(await dialog.getByLabel('Days').inputValue()).toBe('400');

    const values = { Name: 'Short', 'users:delete': true, 'Requests a minute': '600' };
    await submits(page, 'Create token', values);
    await shows(page, 'Token “Short” created', '600 requests a minute');
    expect((await rowsOf(page))[0]).toContain('600 requests a minute');
    const { body } = await api.get('/v1/tokens?limit=1').expect(200);
    const created = { name: 'Short', scopes: ['users:delete'], expiresIn: '400d', rateLimit: 600 };
    expect(body.data[0]).toMatchObject(created);
  });

  it('have the chosen expiry', async () => {
    const { page, api } = await visit('tokens');
    for (const [choice, expiresIn] of [
      ['30', '30d'],
      ['365', '365d'],
      ['custom', '45d'],
      ['never', null],
    ] as const) {
      await buttonOf(page, 'Create token').click();
      await fills(dialogOf(page), { Name: 'New', admin: true, Expiry: choice });
      if (choice === 'custom') await fills(dialogOf(page), { Days: '45' });
      expect(await page.getByText('A token that never expires').count()).toBe(choice === 'never' ? 1 : 0);
      await submits(page, 'Create token');
      await valueOf(page);
      await leave(page);
      const { body } = await api.get('/v1/tokens?limit=1').expect(200);
      expect([choice, body.data[0]]).toMatchObject([choice, { name: 'New', scopes: ['admin'], expiresIn }]);
    }
  });

  it('show their value once: not after closing, reloading or going back', async () => {
    const { page, requestedUrls } = await visit('tokens');
    const value = await create(page, 'Once');
    expect(new Set(await tokensIn(page))).toEqual(new Set([value]));
    await leave(page);
    expect(await tokensIn(page)).toEqual([]);

    await toSection(page, 'Users');
    await page.goBack();
    await headingOf(page, 'API tokens').waitFor();
    expect(await tokensIn(page)).toEqual([]);
    await page.reload();
    expect(await tokensIn(page)).toEqual([]);
    await page.goto('about:blank');
    await page.goBack();
    expect(await tokensIn(page)).toEqual([]);
    expect(requestedUrls.join()).not.toContain(value);
  });

  it('do not keep the page from closing as soon as the dialog is closed', async () => {
    const { page } = await visit('tokens');
    await create(page, 'Stored');
    await submits(page, 'Done');
    const dialogAndAsks = await page.evaluate(`(async () => {
      document.querySelector('dialog button.danger').click();
      for (let i = 0; i < 100 && document.querySelector('dialog'); i++) await undefined;
      return [document.querySelector('dialog'), ${ASKS_BEFORE_UNLOAD}];
    })()`);
    expect(dialogAndAsks).toEqual([null, false]);
  });

  it('show their value until the user confirms that it is saved', async () => {
    const { page } = await visit('tokens');
    const value = await create(page, 'Kept');
    expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(true);
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
  });

  it('come with a command that works', async () => {
    const { page } = await visit('tokens');
    for (const [scope, path] of [
      ['users:read', '/api/v1/users'],
      ['users:delete', '/api/v1/tokens/current'],
    ]) {
      const value = await create(page, scope, scope);
      expect(await page.getByRole('textbox', { name: 'Try it' }).inputValue()).toBe(
        `curl '${service().url}${path}' -H 'Authorization: Bearer ${value}'`,
      );
      await clientWith(value).get(path).expect(200);
      await leave(page);
    }
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
      await create('Later', '15d');
      await create('Soon', '9d');
      const expired = await create('Over', '1d');
      await service().dataSource.query(`UPDATE tokens SET expires_at = now() WHERE id = $1`, [expired]);
      await api.delete(`/v1/tokens/${await create('Revoked', '1d')}`).expect(204);
    });
    await shows(page, '6 tokens on this page');
    const rows = await rowsOf(page);
    expect(rows.map((row) => row.split(' ')[0])).toEqual([
      'Revoked',
      'Over',
      'Soon',
      'Later',
      'Forever',
      'Test',
    ]);
    expect(rows[2]).toMatch(
      /^Soon umt_\w{4}…\w{4} users:read users:write \w{3} \d+ Never \w{3} \d+, \d{4} Expires in 9 days Active$/i,
    );
    expect(rows[5]).toContain('This session');
    expect(rows.filter((row) => row.includes('Expires in'))).toHaveLength(1);
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
  });

  it('are paginated in both directions', async () => {
    const { page } = await visit('tokens', async (api) => {
      const tokens = service().app.get(TokensService);
      for (let i = 1; i <= 60; i++) {
        await nextMoment();
        await tokens.create(api.organizationId, { name: `Token ${i}`, scopes: ['users:read'] });
      }
    });
    await shows(page, '50 tokens on this page');
    const first = await rowsOf(page);
    expect([first.length, first[0].slice(0, 8)]).toEqual([50, 'Token 60']);
    await buttonOf(page, 'Next').click();
    await shows(page, '11 tokens on this page');
    expect((await rowsOf(page))[0]).toMatch(/^Token 10 /);
    expect(await buttonOf(page, 'Next').getAttribute('aria-disabled')).toBe('true');
    await buttonOf(page, 'Previous').click();
    await shows(page, '50 tokens on this page');
    expect(await rowsOf(page)).toEqual(first);
    await fills(page, { Rows: '100' });
    await shows(page, '61 tokens on this page');
    await fills(page, { Rows: '50' });
    await shows(page, '50 tokens on this page');
    // While another list loads, the cursor of the old list must not be used.
    await page.route('**/tokens?state=active&**limit=50*', () => {});
    await page.getByRole('radio', { name: 'active' }).check();
    await shows(page, 'Loading');
    expect(await buttonOf(page, 'Next').getAttribute('aria-disabled')).toBe('true');
  });

  it('show their name and last use before they are revoked', async () => {
    const { page } = await visit('tokens', async (api) => {
      const { id } = await createToken(api, { name: 'Old' });
      const used = `UPDATE tokens SET last_used_at = now() - interval '3 days' WHERE id = $1`;
      await service().dataSource.query(used, [id]);
    });
    await chooseAction(page, 'Revoke', 'Old');
    await page.getByRole('heading', { name: 'Revoke “Old”?' }).waitFor();
    await shows(page, 'Last used 3 days ago.');
    expect(await page.getByText('You are signed in with this token').count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await dialogOf(page).count()).toBe(0);
    expect((await rowsOf(page))[0]).toMatch(/active$/i);
  });

  it.each([
    ['Rotate', 'active'],
    ['Revoke', 'revoked'],
  ])('are asked for twice before the last active admin token ends: %s', async (verb, state) => {
    const { page, api } = await visit('tokens', async (api) => {
      // Neither an ended admin token nor one of another scope is a way in.
      const { id } = await createToken(api, { name: 'Ended', scopes: ['admin'] });
      await api.delete(`/v1/tokens/${id}`).expect(204);
      await createToken(api, { scopes: ['users:read', 'users:write', 'users:delete'] });
    });
    const stored = `SELECT CASE WHEN revoked_at IS NULL THEN 'active' ELSE 'revoked' END AS state, expires_at AS end
      FROM tokens WHERE id = $1`;
    const stateOf = async () => (await service().dataSource.query(stored, [api.tokenId]))[0];
    const warning =
      verb === 'Rotate'
        ? 'This page continues with the new one'
        : 'You are signed in with this token. Revoking it signs you out.';
    await chooseAction(page, verb, 'Test');
    await shows(page, warning);
    await submits(page, `${verb} token`);
    await shows(page, 'No other admin token works for more than a week.', 'ums tokens create');
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await stateOf()).toEqual({ state: 'active', end: null });
    await submits(page, 'Cancel');
    if (await dialogButton(page, 'Discard changes').isVisible()) await submits(page, 'Discard changes');

    await chooseAction(page, verb, 'Test');
    await submits(page, `${verb} token`);
    await submits(page, `${verb} the last admin token`);
    if (verb === 'Rotate') await valueOf(page);
    else await shows(page, 'You revoked the token you were signed in with.');
    expect(await stateOf()).toEqual({ state, end: verb === 'Rotate' ? expect.any(Date) : null });
  });

  it('are asked for once while there is another active admin token, which is not about to end', async () => {
    const { page, api } = await visit('tokens', (api) =>
      createToken(api, { name: 'Admin', scopes: ['admin'] }),
    );
    await chooseAction(page, 'Revoke', 'Admin');
    await submits(page, 'Revoke token');
    await closed(page);

    // The old one of a rotation is no way in for long.
    const { body } = await api.post(`/v1/tokens/${api.tokenId}/rotate`).expect(201);
    await page.getByRole('radio', { name: 'active' }).check();
    await shows(page, 'Replaced by the one above');
    await chooseAction(page, 'Revoke', 'Test');
    await submits(page, 'Revoke token');
    await dialogButton(page, 'Revoke the last admin token').waitFor();
    await clientWith(body.token).get('/v1/tokens/current').expect(200);
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
      await shows(page, 'Replaced by the one above');
      expect(await namesIn(page)).toEqual([
        'CI',
        'CI Replaced by the one above',
        'Other',
        'Test This session',
      ]);
      expect((await rowsOf(page))[1]).toMatch(/Expires in 3 days Active$/i);

      await endIn(old.id, '0');
      await page.getByRole('radio', { name: 'active' }).check();
      await shows(page, '3 tokens on this page');
      expect(await namesIn(page)).toEqual(['CI', 'Other', 'Test This session']);
    });

    it('are shown in pairs also if the old one is on another page', async () => {
      const { page } = await visit('tokens', async (api) => {
        const { id } = await createToken(api);
        for (let i = 1; i <= 50; i++) await createToken(api, { name: `Token ${i}` });
        await api.post(`/v1/tokens/${id}/rotate`).expect(201);
      });
      await shows(page, 'Replaced by the one above');
      const first = ['CI', 'CI Replaced by the one above', 'Token 50'];
      expect((await namesIn(page)).slice(0, 3)).toEqual(first);
    });

    it('end at once if the overlap is zero, also that of this session, which goes on with the new one', async () => {
      const { page, api } = await visit('tokens');
      await createToken(api, { name: 'Another admin', scopes: ['admin'] });
      const value = await rotate(page, 'Test', '0h');
      await clientWith(api.tokenValue).get('/v1/tokens/current').expect(401);
      await leave(page);
      const { body } = await clientWith(value).get('/v1/tokens/current').expect(200);
      await shows(page, 'This session');
      expect((await rowsOf(page))[0]).toMatch(new RegExp(`^Test This session ${body.hint}`));
      await toSection(page, 'Users');
      await shows(page, 'No users on this page');
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
      await toSection(page, 'Users');
      await banner(page, 'Bootstrap token').waitFor();
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
      await toSection(page, 'Users');
      await shows(page, 'No users on this page');
      expect(await bootstrap.count()).toBe(0);
    });

    it('while the token of the session is about to end, which says what has replaced it', async () => {
      const { page, api } = await visit('tokens', (api) => endIn(api.tokenId, '3 days 1 hour'));
      const expiry = banner(page, 'Expiry of your token');
      await shows(expiry, 'expires in 3 days');
      expect(await accessibilityFaults(page)).toEqual([]);
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
      await page.locator('summary', { hasText: 'rotated' }).click();
      const fact = (title: string) => page.locator('dl > div').filter({ hasText: title });
      expect(await fact('Old token').innerText()).toContain(api.tokenId);
      expect(await fact('New token').innerText()).toContain(body.id);
    });

    it('for none that lives long enough', async () => {
      const api = await service().client();
      const { token } = await createToken(api, { scopes: ['admin'], expiresIn: '15d' });
      const { page } = await enter('tokens', api.withValue(token));
      await shows(page, /tokens? on this page/);
      expect(await page.getByRole('complementary').count()).toBe(0);
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
      await shows(panelOf(page, 'Token'), '60 requests a minute');
      await shows(panelOf(page, 'What it did'), 'Nightly sync created Grace');
      await buttonOf(page, 'Rotate').click();
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
      await buttonOf(page, 'Revoke').click();
      await submits(page, 'Revoke token');
      await panelOf(page, 'Token').getByText('revoked', { exact: true }).waitFor();
      expect(await buttonOf(page, 'Rotate').count()).toBe(0);
    });

    it('count the requests of their own session, and end it when they are revoked elsewhere', async () => {
      const api = await service().client();
      const other = await service().client({ organizationId: api.organizationId });
      const { page, expectErrors } = await enter(`tokens/${api.tokenId}`, api);
      await shows(page, 'This session', /\d+ of 1,000 used in this minute/);
      await toSection(page, 'Groups');
      await shows(page, 'There are no groups.'); // no request is under way
      await other.delete(`/v1/tokens/${api.tokenId}`).expect(204);
      expectErrors(401);
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByLabel('Admin token').waitFor();
    });
  });
});

describeInBrowser('with TOKEN_MAX_DAYS=60, the dashboard', () => {
  let limited: Replica;
  // First, because useDashboard() closes the database of both, without which a close may wait for ever.
  afterAll(() => limited.close());
  const { service, open } = useDashboard();
  beforeAll(async () => (limited = await startReplica(service(), { TOKEN_MAX_DAYS: '60' })));

  it('says at the expiry of a new token, and of a rotation, that it is too long, and keeps the input', async () => {
    const [{ page, expectErrors }, api] = [await open(), await service().client()];
    await api.post('/v1/tokens', { name: 'CI', scopes: ['users:read'], expiresIn: '90d' }).expect(201);
    expectErrors(400);
    await page.goto(`${limited.url}/dashboard/tokens`);
    await signIn(page, api.tokenValue);
    const focused = () => page.evaluate('document.activeElement.labels[0].textContent');
    await buttonOf(page, 'Create token').click();
    await submits(page, 'Create token', { Name: 'Sync', 'users:read': true });
    await shows(page, 'Expiry must be at most 60d.');
    expect(await focused()).toBe('Expiry');
    expect(await accessibilityFaults(page)).toEqual([]);
    await submits(page, 'Create token', { Expiry: 'never' });
    await shows(page, 'Expiry is required, because a token may live at most 60d.');
    await submits(page, 'Create token', { Expiry: 'custom', Days: '61' });
    await shows(page, 'Days must be at most 60d.');
    expect(await focused()).toBe('Days');
    await submits(page, 'Create token', { Days: '60' });
    await shows(page, 'Token “Sync” created');
    await leave(page);

    await chooseAction(page, 'Rotate', 'CI');
    const expiry = 'Expiry of the new token';
    const chosen = dialogOf(page).getByLabel(expiry).locator('option:checked');
    expect(await chosen.textContent()).toBe('90 days, like the old one');
    await submits(page, 'Rotate token', { 'The old token keeps working': '72h' });
    await shows(
      page,
      `${expiry} must be given and be at most 60d, because the term of the old token is longer.`,
    );
    expect(await focused()).toBe(expiry);
    expect(await dialogOf(page).getByLabel('The old token keeps working').inputValue()).toBe('72h');
    expect(await accessibilityFaults(page)).toEqual([]);
    await submits(page, 'Rotate token', { [expiry]: 'custom', Days: '0' });
    await shows(page, 'Days must be a whole number from 1 to 3650.');
    await submits(page, 'Rotate token', { [expiry]: '30' });
    await page.getByRole('heading', { name: 'Token “CI” rotated' }).waitFor();
    const { body } = await api.get('/v1/tokens?limit=2').expect(200);
    expect(body.data).toMatchObject([
      { name: 'CI', expiresIn: '30d', rotatedFrom: expect.any(String) },
      { name: 'Sync', scopes: ['users:read'], expiresIn: '60d' },
    ]);
  });
});
