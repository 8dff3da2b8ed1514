import type { Page } from 'playwright-core';
import { TokensService } from '../src';
import { describeInBrowser } from './support/browser';
import { Client } from './support/client';
import { nextMoment } from './support/clock';
import { inDialog, rowsOf, tokensIn, useDashboard } from './support/dashboard';

const HOSTILE = '<img src=x onerror=alert(1)>';

/** Whether the browser asks somebody who closes the page. */
const IS_ASKED = `!dispatchEvent(new Event('beforeunload', { cancelable: true }))`;

/** Makes a token in the dialog, and returns the value that is shown. */
async function create(page: Page, name: string, scope = 'users:read'): Promise<string> {
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('checkbox', { name: scope }).check();
  await inDialog(page, 'Create token').click();
  return page.getByRole('textbox', { name: 'Value' }).inputValue();
}

describeInBrowser('API tokens in the dashboard', () => {
  const { service, visit } = useDashboard();
  const someone = (value: string) => new Client(service().url, { value });

  it('are created, copied, used, revoked and refused', async () => {
    const { page } = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    const shown = await create(page, 'Nightly sync');
    await page.getByRole('button', { name: 'Copy: Value' }).click();
    await page.getByText('Copied').waitFor();
    const value: string = await page.evaluate('navigator.clipboard.readText()');
    expect(value).toBe(shown);
    await inDialog(page, 'Done').click();
    await inDialog(page, 'Yes, it is stored').click();

    await someone(value).get('/api/v1/users').expect(200);
    await someone(value).post('/api/v1/users', {}).expect(403);

    await page.getByRole('button', { name: 'Revoke Nightly sync' }).click();
    await inDialog(page, 'Revoke token').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await someone(value).get('/api/v1/users').expect(401);
    await page.getByText('revoked', { exact: true }).and(page.locator('.state')).waitFor();
    expect((await rowsOf(page))[0]).toMatch(/^Nightly sync umt_.{4}….{4} users:read .* Never .* Revoked$/i);
  });

  it('show their value once: not after closing, a reload or the way back', async () => {
    const { page, asked } = await visit();
    const value = await create(page, 'Once');
    expect(new Set(await tokensIn(page))).toEqual(new Set([value]));
    await inDialog(page, 'Done').click();
    await inDialog(page, 'Yes, it is stored').click();
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
    expect(asked.join()).not.toContain(value);
  });

  it('ask nobody who leaves once the dialog is gone, not even at once', async () => {
    const { page } = await visit();
    await create(page, 'Stored');
    await inDialog(page, 'Done').click();
    const isAsked = await page.evaluate(`(async () => {
      document.querySelector('dialog button.primary').click();
      for (let i = 0; i < 100 && document.querySelector('dialog'); i++) await undefined;
      return [document.querySelector('dialog'), ${IS_ASKED}];
    })()`);
    expect(isAsked).toEqual([null, false]);
  });

  it('do not lose a value that may not be stored yet', async () => {
    const { page } = await visit();
    const value = await create(page, 'Kept');
    expect(await page.evaluate(IS_ASKED)).toBe(true);
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press('Escape');
      expect(await page.getByRole('dialog').count()).toBe(1);
    }
    if (await inDialog(page, 'No, show it again').isVisible())
      await inDialog(page, 'No, show it again').click();
    expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe(value);
    // Browsers may let an Escape close a dialog without asking the page first.
    await page.evaluate(`document.querySelector('dialog').close()`);
    await inDialog(page, 'No, show it again').click();
    await page.evaluate(`location.hash = '#users'`);
    await page.getByRole('heading', { name: 'Users', includeHidden: true }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Value' }).inputValue()).toBe(value);
  });

  it('come with a command that works as it stands', async () => {
    const { page } = await visit();
    for (const [scope, path] of [
      ['users:read', '/api/v1/users'],
      ['users:delete', '/api/v1/tokens/current'],
    ]) {
      const value = await create(page, scope, scope);
      expect(await page.getByRole('textbox', { name: 'Try it' }).inputValue()).toBe(
        `curl '${service().url}${path}' -H 'Authorization: Bearer ${value}'`,
      );
      await someone(value).get(path).expect(200);
      await inDialog(page, 'Done').click();
      await inDialog(page, 'Yes, it is stored').click();
    }
  });

  it('are copied also where the browser has no clipboard for pages', async () => {
    const { page } = await visit({ permissions: ['clipboard-read'] }, (_api, page) =>
      page.addInitScript({
        content: `Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined })`,
      }),
    );
    const value = await create(page, 'Plain');
    await page.getByRole('button', { name: 'Copy: Value' }).click();
    await page.getByText('Copied').waitFor();
    await inDialog(page, 'Done').click();
    await inDialog(page, 'Yes, it is stored').click();
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
  ])('expire as it was chosen: %s', async (choice, expiresIn) => {
    const { page, api } = await visit();
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByLabel('Expiry').selectOption(choice);
    if (choice === 'custom') await page.getByLabel('Days').fill('45');
    expect(await page.getByText('A token that never expires').count()).toBe(choice === 'never' ? 1 : 0);
    await page.getByLabel('Name').fill('New');
    await page.getByRole('checkbox', { name: 'admin' }).check();
    await inDialog(page, 'Create token').click();
    await page.getByRole('textbox', { name: 'Value' }).waitFor();
    const { body } = await api.get('/v1/tokens?limit=1').expect(200);
    expect(body.data[0]).toMatchObject({ name: 'New', scopes: ['admin'], expiresIn });
  });

  it('say what is wrong at the fields, and lose nothing that was typed', async () => {
    const { page, api, expectRefusals } = await visit();
    expectRefusals(400);
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByLabel('Name').fill('x'.repeat(101));
    await page.getByLabel('Expiry').selectOption('custom');
    await page.getByLabel('Days').fill('4000');
    await inDialog(page, 'Create token').click();
    await page.getByText('Days must be a whole number from 1 to 3650.').waitFor();
    await page.getByLabel('Days').fill('400');
    await inDialog(page, 'Create token').click();
    await page.getByText('Name must have at most 100 characters.').waitFor();
    await page.getByText('Scopes must name at least one scope.').waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('name');
    expect(await page.getByLabel('Name').inputValue()).toBe('x'.repeat(101));
    expect(await page.getByLabel('Days').inputValue()).toBe('400');

    await page.getByLabel('Name').fill('Short');
    await page.getByRole('checkbox', { name: 'users:delete' }).check();
    await inDialog(page, 'Create token').click();
    await page.getByText('Token “Short” is ready').waitFor();
    const { body } = await api.get('/v1/tokens?limit=1').expect(200);
    expect(body.data[0]).toMatchObject({ name: 'Short', scopes: ['users:delete'], expiresIn: '400d' });
  });

  it('are listed with all that is known of them, those that end soon marked, and filtered by their state', async () => {
    const { page } = await visit({}, async (api) => {
      const make = async (name: string, expiresIn?: string) => {
        await nextMoment();
        const wanted = { name, scopes: ['users:read', 'users:write'], expiresIn };
        return (await api.post('/v1/tokens', wanted).expect(201)).body.id;
      };
      await make('Forever');
      await make('Later', '15d');
      await make('Soon', '9d');
      const gone = await make('Over', '1d');
      await service().dataSource.query(`UPDATE tokens SET expires_at = now() WHERE id = $1`, [gone]);
      await api.delete(`/v1/tokens/${await make('Revoked', '1d')}`).expect(204);
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
      /^Soon umt_\w{4}…\w{4} users:read users:write \w{3} \d+, \d{4} Never \w{3} \d+, \d{4}\s?Expires in 9 days Active Revoke$/i,
    );
    expect(rows[5]).toContain('This session');
    expect(rows.filter((row) => row.includes('Expires in'))).toHaveLength(1);
    expect(rows.map((row) => /(active|expired|revoked)( revoke)?$/i.exec(row)?.[0].toLowerCase())).toEqual([
      'revoked',
      'expired',
      ...Array.from({ length: 4 }, () => 'active revoke'),
    ]);

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

  it('are walked page by page, there and back', async () => {
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
    // The cursor of one list is none of another that is not there yet.
    await page.route('**/tokens?state=active&limit=50', () => {});
    await page.getByRole('radio', { name: 'active' }).check();
    await page.getByText('Loading').waitFor();
    expect(await page.getByRole('button', { name: 'Next' }).getAttribute('aria-disabled')).toBe('true');
  });

  it('that carry markup in their name show it as a text', async () => {
    const { page } = await visit({}, (api) =>
      api.post('/v1/tokens', { name: HOSTILE, scopes: ['users:read'] }).expect(201),
    );
    await page.getByText(HOSTILE).waitFor();
    await page.getByRole('button', { name: `Revoke ${HOSTILE}` }).click();
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    await inDialog(page, 'Cancel').click();
    await create(page, `${HOSTILE}<script>alert(2)</script>`);
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    expect(await page.locator('img, body script').count()).toBe(0);
  });

  it('are revoked after a look at their name and last use', async () => {
    const { page } = await visit({}, async (api) => {
      const { body } = await api.post('/v1/tokens', { name: 'Old', scopes: ['users:read'] }).expect(201);
      await service().dataSource.query(
        `UPDATE tokens SET last_used_at = now() - interval '3 days' WHERE id = $1`,
        [body.id],
      );
    });
    await page.getByRole('button', { name: 'Revoke Old' }).click();
    await page.getByRole('heading', { name: 'Revoke “Old”?' }).waitFor();
    await page.getByText('It was last used 3 days ago.').waitFor();
    expect(await page.getByText('You are signed in with this token').count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect((await rowsOf(page))[0]).toMatch(/active revoke$/i);
  });

  it('warn of the one that is in use here, and end the session with it', async () => {
    const { page, api } = await visit();
    await page.getByRole('button', { name: 'Revoke Test' }).click();
    await page.getByText('You are signed in with this token. Revoking it signs you out.').waitFor();
    await inDialog(page, 'Revoke token').click();
    await page.getByText('You revoked the token you were signed in with.').waitFor();
    await api.get('/v1/tokens/current').expect(401);
  });

  it('made at bootstrap are warned of as long as they are valid', async () => {
    const banner = (page: Page) => page.getByRole('complementary', { name: 'Bootstrap token' });
    const { page } = await visit({}, (api) =>
      api.post('/v1/tokens', { name: 'Bootstrap', scopes: ['admin'] }).expect(201),
    );
    await banner(page).waitFor();
    await page.getByRole('link', { name: 'Users' }).click();
    await banner(page).waitFor();
    await page.getByRole('link', { name: 'API tokens' }).click();
    await page.getByRole('button', { name: 'Revoke Bootstrap' }).click();
    await inDialog(page, 'Revoke token').click();
    await banner(page).waitFor({ state: 'detached' });
  });
});
