/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { TokensService } from '../../src';
import { describeInBrowser } from '../support/browser';
import { Client } from '../support/client';
import { nextMoment } from '../support/clock';
import {
  ASKS_BEFORE_UNLOAD,
  chooseAction,
  dialogButton,
  rowsOf,
  tokensIn,
  toUsers,
  useDashboard,
} from '../support/dashboard';

const HOSTILE = '<img src=x onerror=alert(1)>';

/** Creates a token in the dialog and returns the displayed value. */
async function create(page: Page, name: string, scope = 'users:read'): Promise<string> {
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('checkbox', { name: scope }).check();
  await dialogButton(page, 'Create token').click();
  return page.getByRole('textbox', { name: 'Token' }).inputValue();
}

/** Resolves when what has happened so far is drawn. */
const DRAWN = 'new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))';

describeInBrowser('API tokens in the dashboard', () => {
  const { service, visit } = useDashboard();
  const clientWith = (value: string) => new Client(service().url, { value });

  it('can be created, copied, used and revoked', async () => {
    const { page } = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    const shown = await create(page, 'Nightly sync');
    await page.getByRole('button', { name: 'Copy: Token' }).click();
    await page.getByText('Copied').waitFor();
    const value: string = await page.evaluate('navigator.clipboard.readText()');
    expect(value).toBe(shown);
    expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(false);
    await dialogButton(page, 'Done').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await clientWith(value).get('/api/v1/users').expect(200);
    await clientWith(value).post('/api/v1/users', {}).expect(403);

    await chooseAction(page, 'Revoke', 'Nightly sync');
    await dialogButton(page, 'Revoke token').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await clientWith(value).get('/api/v1/users').expect(401);
    await page.getByText('revoked', { exact: true }).and(page.locator('.state')).waitFor();
    expect((await rowsOf(page))[0]).toMatch(
      /^Nightly sync umt_.{4}….{4} users:read .* (Never|just now) .* Revoked$/i,
    );
  });

  it('may have a limit of their own, which the list shows', async () => {
    const { page, expectErrors } = await visit();
    expectErrors(400);
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByLabel('Name').fill('Slow');
    await page.getByRole('checkbox', { name: 'users:read' }).check();
    await page.getByLabel('Requests a minute').fill('1001');
    await dialogButton(page, 'Create token').click();
    await page.getByText('must be at most 1000').waitFor();
    await page.getByLabel('Requests a minute').fill('600');
    await dialogButton(page, 'Create token').click();
    await page.getByRole('textbox', { name: 'Token' }).waitFor();
    await page.getByText('600 requests a minute').waitFor();
    expect((await rowsOf(page))[0]).toContain('600 requests a minute');
  });

  it('show their value once: not after closing, reloading or going back', async () => {
    const { page, requestedUrls } = await visit();
    const value = await create(page, 'Once');
    expect(new Set(await tokensIn(page))).toEqual(new Set([value]));
    await dialogButton(page, 'Done').click();
    await dialogButton(page, 'I have saved it').click();
    expect(await tokensIn(page)).toEqual([]);

    await page.getByRole('link', { name: 'Users' }).click();
    await page.goBack();
    await page.getByRole('heading', { name: 'API tokens' }).waitFor();
    expect(await tokensIn(page)).toEqual([]);
    await page.reload();
    expect(await tokensIn(page)).toEqual([]);
    await page.goto('about:blank');
    await page.goBack();
    expect(await tokensIn(page)).toEqual([]);
    expect(requestedUrls.join()).not.toContain(value);
  });

  it('do not keep the page from closing as soon as the dialog is closed', async () => {
    const { page } = await visit();
    await create(page, 'Stored');
    await dialogButton(page, 'Done').click();
    const dialogAndAsks = await page.evaluate(`(async () => {
      document.querySelector('dialog button.danger').click();
      for (let i = 0; i < 100 && document.querySelector('dialog'); i++) await undefined;
      return [document.querySelector('dialog'), ${ASKS_BEFORE_UNLOAD}];
    })()`);
    expect(dialogAndAsks).toEqual([null, false]);
  });

  it('show their value until the user confirms that it is saved', async () => {
    const { page } = await visit();
    const value = await create(page, 'Kept');
    expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(true);
    const field = page.getByRole('textbox', { name: 'Token' });
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press('Escape');
      await page.evaluate(DRAWN); // a browser may close the dialog, and the page then opens it again
      expect(await page.getByRole('dialog').count()).toBe(1);
    }
    if (await dialogButton(page, 'Back').isVisible()) await dialogButton(page, 'Back').click();
    expect(await field.inputValue()).toBe(value);
    // Browsers may close a dialog at Escape without asking the page first.
    await page.evaluate(`document.querySelector('dialog').close()`);
    await dialogButton(page, 'Back').click();
    await page.evaluate('history.pushState({ index: 1 }, "")');
    await page.goBack();
    await dialogButton(page, 'Back').click();
    expect(await field.inputValue()).toBe(value);
  });

  it('come with a command that works', async () => {
    const { page } = await visit();
    for (const [scope, path] of [
      ['users:read', '/api/v1/users'],
      ['users:delete', '/api/v1/tokens/current'],
    ]) {
      const value = await create(page, scope, scope);
      expect(await page.getByRole('textbox', { name: 'Try it' }).inputValue()).toBe(
        `curl '${service().url}${path}' -H 'Authorization: Bearer ${value}'`,
      );
      await clientWith(value).get(path).expect(200);
      await dialogButton(page, 'Done').click();
      await dialogButton(page, 'I have saved it').click();
    }
  });

  it('can be copied without the clipboard API', async () => {
    const { page } = await visit({ permissions: ['clipboard-read'] }, (_api, page) =>
      page.addInitScript({
        content: `Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })`,
      }),
    );
    const value = await create(page, 'Plain');
    await page.getByRole('button', { name: 'Copy: Token' }).click();
    await page.getByText('Copied').waitFor();
    await dialogButton(page, 'Done').click();
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByLabel('Name').focus();
    await page.keyboard.press('Control+V');
    expect(await page.getByLabel('Name').inputValue()).toBe(value);
  });

  it.each([
    ['30', '30d'],
    ['365', '365d'],
    ['custom', '45d'],
    ['never', null],
  ])('have the chosen expiry: %s', async (choice, expiresIn) => {
    const { page, api } = await visit();
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByLabel('Expiry').selectOption(choice);
    if (choice === 'custom') await page.getByLabel('Days').fill('45');
    expect(await page.getByText('A token that never expires').count()).toBe(choice === 'never' ? 1 : 0);
    await page.getByLabel('Name').fill('New');
    await page.getByRole('checkbox', { name: 'admin' }).check();
    await dialogButton(page, 'Create token').click();
    await page.getByRole('textbox', { name: 'Token' }).waitFor();
    const { body } = await api.get('/v1/tokens?limit=1').expect(200);
    expect(body.data[0]).toMatchObject({ name: 'New', scopes: ['admin'], expiresIn });
  });

  it('show errors at the fields and keep the input', async () => {
    const { page, api, expectErrors } = await visit();
    expectErrors(400);
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByLabel('Name').fill('x'.repeat(101));
    await page.getByLabel('Expiry').selectOption('custom');
    await page.getByLabel('Days').fill('4000');
    await dialogButton(page, 'Create token').click();
    await page.getByText('Days must be a whole number from 1 to 3650.').waitFor();
    await page.getByLabel('Days').fill('400');
    await dialogButton(page, 'Create token').click();
    await page.getByText('Name must have at most 100 characters.').waitFor();
    await page.getByText('Select at least one scope.').waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('name');
    expect(await page.getByLabel('Name').inputValue()).toBe('x'.repeat(101));
    expect(await page.getByLabel('Days').inputValue()).toBe('400');

    await page.getByLabel('Name').fill('Short');
    await page.getByRole('checkbox', { name: 'users:delete' }).check();
    await dialogButton(page, 'Create token').click();
    await page.getByText('Token “Short” created').waitFor();
    const { body } = await api.get('/v1/tokens?limit=1').expect(200);
    expect(body.data[0]).toMatchObject({ name: 'Short', scopes: ['users:delete'], expiresIn: '400d' });
  });

  it('are listed with their details, marked if they expire soon, and filtered by state', async () => {
    const { page } = await visit({}, async (api) => {
      const createToken = async (name: string, expiresIn?: string) => {
        await nextMoment();
        const fields = { name, scopes: ['users:read', 'users:write'], expiresIn };
        return (await api.post('/v1/tokens', fields).expect(201)).body.id;
      };
      await createToken('Forever');
      await createToken('Later', '15d');
      await createToken('Soon', '9d');
      const expired = await createToken('Over', '1d');
      await service().dataSource.query(`UPDATE tokens SET expires_at = now() WHERE id = $1`, [expired]);
      await api.delete(`/v1/tokens/${await createToken('Revoked', '1d')}`).expect(204);
    });
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
      await page.getByText(`${names.length} token${names.length > 1 ? 's' : ''} on this page`).waitFor();
      expect((await rowsOf(page)).map((row) => row.split(' ')[0])).toEqual(names);
    }
  });

  it('are paginated in both directions', async () => {
    const { page } = await visit({}, async (api) => {
      const tokens = service().app.get(TokensService);
      for (let i = 1; i <= 60; i++) {
        await nextMoment();
        await tokens.create(api.organizationId, { name: `Token ${i}`, scopes: ['users:read'] });
      }
    });
    const first = await rowsOf(page);
    expect([first.length, first[0].slice(0, 8)]).toEqual([50, 'Token 60']);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('11 tokens on this page').waitFor();
    expect((await rowsOf(page))[0]).toMatch(/^Token 10 /);
    expect(await page.getByRole('button', { name: 'Next' }).getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('50 tokens on this page').waitFor();
    expect(await rowsOf(page)).toEqual(first);
    await page.getByLabel('Rows').selectOption('100');
    await page.getByText('61 tokens on this page').waitFor();
    await page.getByLabel('Rows').selectOption('50');
    await page.getByText('50 tokens on this page').waitFor();
    // While another list loads, the cursor of the old list must not be used.
    await page.route('**/tokens?state=active&**limit=50*', () => {});
    await page.getByRole('radio', { name: 'active' }).check();
    await page.getByText('Loading').waitFor();
    expect(await page.getByRole('button', { name: 'Next' }).getAttribute('aria-disabled')).toBe('true');
  });

  it('show markup in their name as text', async () => {
    const { page } = await visit({}, (api) =>
      api.post('/v1/tokens', { name: HOSTILE, scopes: ['users:read'] }).expect(201),
    );
    await page.getByText(HOSTILE).waitFor();
    await chooseAction(page, 'Revoke', HOSTILE);
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    await dialogButton(page, 'Cancel').click();
    await create(page, `${HOSTILE}<script>alert(2)</script>`);
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    expect(await page.locator('img, body script').count()).toBe(0);
  });

  it('show their name and last use before they are revoked', async () => {
    const { page } = await visit({}, async (api) => {
      const { body } = await api.post('/v1/tokens', { name: 'Old', scopes: ['users:read'] }).expect(201);
      await service().dataSource.query(
        `UPDATE tokens SET last_used_at = now() - interval '3 days' WHERE id = $1`,
        [body.id],
      );
    });
    await chooseAction(page, 'Revoke', 'Old');
    await page.getByRole('heading', { name: 'Revoke “Old”?' }).waitFor();
    await page.getByText('Last used 3 days ago.').waitFor();
    expect(await page.getByText('You are signed in with this token').count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect((await rowsOf(page))[0]).toMatch(/active$/i);
  });

  it('warn before the current one is revoked, which ends the session', async () => {
    const { page, api } = await visit();
    await chooseAction(page, 'Revoke', 'Test');
    await page.getByText('You are signed in with this token. Revoking it signs you out.').waitFor();
    await dialogButton(page, 'Revoke token').click();
    await dialogButton(page, 'Revoke the last admin token').click();
    await page.getByText('You revoked the token you were signed in with.').waitFor();
    await api.get('/v1/tokens/current').expect(401);
  });

  const banner = (page: Page) => page.getByRole('complementary', { name: 'Bootstrap token' });

  it('have a banner while the bootstrap token is active', async () => {
    const { page } = await visit({}, (api) =>
      api.post('/v1/tokens', { name: 'Bootstrap', scopes: ['admin'] }).expect(201),
    );
    await banner(page).waitFor();
    await page.getByRole('link', { name: 'Users' }).click();
    await banner(page).waitFor();
    await page.getByRole('link', { name: 'API tokens' }).click();
    await chooseAction(page, 'Revoke', 'Bootstrap');
    await dialogButton(page, 'Revoke token').click();
    await banner(page).waitFor({ state: 'detached' });
  });

  it('have a banner that can be dismissed, and that knows the token of the session', async () => {
    const { page } = await visit({}, (api) =>
      service().dataSource.query(
        `UPDATE tokens SET name = 'Bootstrap', last_used_at = now() - interval '3 days' WHERE id = $1`,
        [api.tokenId],
      ),
    );
    await banner(page).getByText('You are signed in with the bootstrap token').waitFor();
    expect(await banner(page).innerText()).not.toContain('last used');
    await banner(page).getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('heading', { name: 'API tokens' }).and(page.locator(':focus')).waitFor();
    await toUsers(page);
    await page.getByText('No users on this page').waitFor();
    expect(await banner(page).count()).toBe(0);
  });
});
