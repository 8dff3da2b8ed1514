/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { accessibilityFaults, prepareAccessibility } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import { Client } from '../support/client';
import { nextMoment } from '../support/clock';
import { chooseAction, dialogButton, rowsOf, signIn, tokensIn, useDashboard } from '../support/dashboard';

/** Rotates a token in the dialog and returns the displayed value. */
async function rotate(page: Page, name: string, overlap?: string): Promise<string> {
  await chooseAction(page, 'Rotate', name);
  if (overlap) await page.getByLabel('The old token keeps working').selectOption(overlap);
  await dialogButton(page, 'Rotate token').click();
  return page.getByRole('textbox', { name: 'Token' }).inputValue();
}

const leave = async (page: Page) => {
  await dialogButton(page, 'Done').click();
  await dialogButton(page, 'I have saved it').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
};

describeInBrowser('the life of a token in the dashboard', () => {
  const { service, open, visit } = useDashboard();
  const clientWith = (value: string) => new Client(service().url, { value });
  const endIn = (id: string, time: string) =>
    service().dataSource.query(`UPDATE tokens SET expires_at = now() + $2::interval WHERE id = $1`, [
      id,
      time,
    ]);
  const create = async (api: Client, fields: object): Promise<{ id: string; token: string }> => {
    await nextMoment();
    return (await api.post('/v1/tokens', { name: 'CI', scopes: ['users:read'], ...fields }).expect(201)).body;
  };

  it('is renewed by a rotation, whose value is shown once, and both tokens stand together', async () => {
    let old = { id: '', token: '' };
    const { page } = await visit({}, async (api) => {
      old = await create(api, { expiresIn: '90d' });
      await create(api, { name: 'Other' });
    });
    const value = await rotate(page, 'CI', '72h');
    await page.getByRole('heading', { name: 'Token “CI” rotated' }).waitFor();
    expect(new Set(await tokensIn(page))).toEqual(new Set([value]));
    await leave(page);
    expect(await tokensIn(page)).toEqual([]);
    await clientWith(value).get('/api/v1/users').expect(200);
    await clientWith(old.token).get('/api/v1/users').expect(200);
    await page.getByText('Replaced by the one above').waitFor();
    const names = (await rowsOf(page)).map((row) => row.split(' umt_')[0]);
    expect(names).toEqual(['CI', 'CI Replaced by the one above', 'Other', 'Test This session']);
    expect((await rowsOf(page))[1]).toMatch(/Expires in 3 days Active$/i);

    await endIn(old.id, '0');
    await page.getByRole('radio', { name: 'active' }).check();
    await page.getByText('3 tokens on this page').waitFor();
    expect((await rowsOf(page)).map((row) => row.split(' umt_')[0])).toEqual([
      'CI',
      'Other',
      'Test This session',
    ]);
  });

  it('shows the old token of a pair also if it is on another page', async () => {
    const { page } = await visit({}, async (api) => {
      const { id } = await create(api, {});
      for (let i = 1; i <= 50; i++) await create(api, { name: `Token ${i}` });
      await api.post(`/v1/tokens/${id}/rotate`).expect(201);
    });
    await page.getByText('Replaced by the one above').waitFor();
    expect((await rowsOf(page)).slice(0, 3).map((row) => row.split(' umt_')[0])).toEqual([
      'CI',
      'CI Replaced by the one above',
      'Token 50',
    ]);
  });

  it('ends at once if the overlap is zero, also that of this session, which goes on with the new one', async () => {
    const { page, api } = await visit();
    await api.post('/v1/tokens', { name: 'Another admin', scopes: ['admin'] }).expect(201);
    await chooseAction(page, 'Rotate', 'Test');
    await page.getByText('This page continues with the new one').waitFor();
    await dialogButton(page, 'Cancel').click();
    const value = await rotate(page, 'Test', '0h');
    await clientWith(api.tokenValue).get('/v1/tokens/current').expect(401);
    await leave(page);
    const { body } = await clientWith(value).get('/v1/tokens/current').expect(200);
    await page.getByText('This session').waitFor();
    expect((await rowsOf(page))[0]).toMatch(new RegExp(`^Test This session ${body.hint}`));
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByText('No users on this page').waitFor();
  });

  it('says if the token ends before the overlap is over', async () => {
    const { page } = await visit({}, (api) => create(api, { expiresIn: '2d' }));
    await chooseAction(page, 'Rotate', 'CI');
    await page.getByText('for another 2 days').waitFor();
    expect(await page.getByText('It expires in').count()).toBe(0);
    await page.getByLabel('The old token keeps working').selectOption('168h');
    await page.getByText('It expires in 2 days anyway.').waitFor();
  });

  it.each([
    ['Rotate', 'Rotate the last admin token', 'active'],
    ['Revoke', 'Revoke the last admin token', 'revoked'],
  ])('asks twice before the last active admin token ends: %s', async (verb, button, state) => {
    const { page, api } = await visit({}, async (api, page) => {
      await prepareAccessibility(page);
      // Neither an ended admin token nor one of another scope is a way in.
      const { id } = await create(api, { name: 'Ended', scopes: ['admin'] });
      await api.delete(`/v1/tokens/${id}`).expect(204);
      await create(api, { scopes: ['users:read', 'users:write', 'users:delete'] });
    });
    const stateOf = async () =>
      (
        await service().dataSource.query(
          `SELECT CASE WHEN revoked_at IS NULL THEN 'active' ELSE 'revoked' END AS state, expires_at AS end FROM tokens WHERE id = $1`,
          [api.tokenId],
        )
      )[0];
    await chooseAction(page, verb, 'Test');
    await dialogButton(page, `${verb} token`).click();
    await page.getByText('No other admin token works for more than a week.').waitFor();
    await page.getByText('ums tokens create').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await stateOf()).toEqual({ state: 'active', end: null });
    await dialogButton(page, 'Cancel').click();
    if (await dialogButton(page, 'Discard changes').isVisible())
      await dialogButton(page, 'Discard changes').click();

    await chooseAction(page, verb, 'Test');
    await dialogButton(page, `${verb} token`).click();
    await dialogButton(page, button).click();
    if (verb === 'Rotate') await page.getByRole('textbox', { name: 'Token' }).waitFor();
    else await page.getByText('You revoked the token you were signed in with.').waitFor();
    expect(await stateOf()).toEqual({ state, end: verb === 'Rotate' ? expect.any(Date) : null });
  });

  it('asks once while there is another active admin token, which is not about to end', async () => {
    const { page, api } = await visit({}, (api) => create(api, { name: 'Admin', scopes: ['admin'] }));
    await chooseAction(page, 'Revoke', 'Admin');
    await dialogButton(page, 'Revoke token').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    // The old one of a rotation is no way in for long.
    const { body } = await api.post(`/v1/tokens/${api.tokenId}/rotate`).expect(201);
    await page.getByRole('radio', { name: 'active' }).check();
    await page.getByText('Replaced by the one above').waitFor();
    await chooseAction(page, 'Revoke', 'Test');
    await dialogButton(page, 'Revoke token').click();
    await dialogButton(page, 'Revoke the last admin token').waitFor();
    await clientWith(body.token).get('/v1/tokens/current').expect(200);
  });

  it('has a banner while the token of the session is about to end', async () => {
    const { page, api } = await visit({}, async (api, page) => {
      await prepareAccessibility(page);
      await endIn(api.tokenId, '3 days 1 hour');
    });
    const banner = page.getByRole('complementary', { name: 'Expiry of your token' });
    await banner.getByText('expires in 3 days').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Users' }).click();
    await banner.getByRole('link', { name: 'Rotate it' }).click();
    await page.getByRole('heading', { name: 'API tokens' }).waitFor();
    await banner.getByRole('button', { name: 'Dismiss' }).click();
    await banner.waitFor({ state: 'detached' });

    // Somebody rotates it meanwhile.
    await api.post(`/v1/tokens/${api.tokenId}/rotate`, { overlap: '5h' }).expect(201);
    await page.getByRole('radio', { name: 'active' }).check();
    await banner.getByText('expires in 5 hours').waitFor();
  });

  it('has no banner for a token that lives long enough', async () => {
    const [{ page }, api] = [await open(), await service().client()];
    const { token } = await create(api, { scopes: ['admin'], expiresIn: '15d' });
    await page.goto(`${service().url}/dashboard/tokens`);
    await signIn(page, token);
    await page.getByText(/tokens? on this page/).waitFor();
    expect(await page.getByRole('complementary').count()).toBe(0);
  });
});
