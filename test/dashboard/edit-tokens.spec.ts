/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { meetsWcag } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import type { Client } from '../support/client';
import {
  actionsOf,
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
  toSection,
  useDashboard,
} from '../support/dashboard';
import { exchange } from '../support/oauth';

const NETWORKS = 'Allowed networks';
const LIMIT = 'Requests a minute';

/** The bodies of the requests that change a token. */
function patchesOf(page: Page): unknown[] {
  const sent: unknown[] = [];
  page.on('request', (request) => request.method() === 'PATCH' && sent.push(request.postDataJSON()));
  return sent;
}

describeInBrowser('tokens that are edited in the dashboard', () => {
  const { service, enter, visit } = useDashboard();
  const create = async (api: Client, fields: object = {}): Promise<{ id: string; token: string }> => {
    const scopes = ['users:read', 'users:write'];
    return (await api.post('/v1/tokens', { name: 'CI', scopes, ...fields }).expect(201)).body;
  };
  const recordOf = async (api: Client, id: string) => (await api.get(`/v1/tokens/${id}`).expect(200)).body;

  /** Opens the page of a token, and the dialog that edits it. */
  const edit = async (api: Client, id: string) => {
    const opened = await enter(`tokens/${id}`, api);
    await buttonOf(opened.page, 'Edit').click();
    return { ...opened, sent: patchesOf(opened.page) };
  };
  const editOwn = async () => {
    const api = await service().client();
    return { ...(await edit(api, api.tokenId)), api };
  };

  it('send what has changed, if anything has; the page and its history say what they are and were', async () => {
    const api = await service().client();
    const { id } = await create(api, { rateLimit: 600 });
    const { page, sent } = await edit(api, id);
    const facts = panelOf(page, 'Token');
    await focusOn(dialogOf(page).getByLabel('Name'));
    expect(await dialogOf(page).getByRole('checkbox').count()).toBe(2);
    expect(await dialogOf(page).getByRole('status').allTextContents()).toEqual(['', '']);
    await submits(page, 'Save changes', { Name: ' CI ' });
    await shows(page, 'No changes were made');
    await focusOn(buttonOf(page, 'Edit'));
    await facts.locator('div', { hasText: /^Allowed networksAll$/ }).waitFor();
    expect(sent).toEqual([]);

    await buttonOf(page, 'Edit').click();
    await fills(dialogOf(page), { 'users:write': false });
    await shows(page, 'A scope that you take away cannot be given back.');
    await meetsWcag(page);
    const lines = '203.0.113.7\n\n 2001:DB8:1234:5678:9abc:def0:1234:5678 ';
    await submits(page, 'Save changes', { Name: 'CI pipeline', [LIMIT]: '1000', [NETWORKS]: lines });
    await shows(page, 'Saved CI pipeline');
    await closed(page);
    await focusOn(buttonOf(page, 'Edit'));
    await headingOf(page, 'CI pipeline').waitFor();
    const networks = ['203.0.113.7', '2001:db8:1234:5678:9abc:def0:1234:5678'];
    await shows(facts, '1,000', ...networks);
    await meetsWcag(page);
    expect(sent).toEqual([
      {
        name: 'CI pipeline',
        scopes: ['users:read'],
        rateLimit: 1000,
        allowedNetworks: [networks[0], '2001:DB8:1234:5678:9abc:def0:1234:5678'],
      },
    ]);

    const history = panelOf(page, 'Changes to this token');
    const lastChange = async (sentence: RegExp) => {
      const entry = history.locator('.entries > li').first();
      await shows(entry, sentence);
      await entry.locator('.entry .when').click();
      await entry.getByRole('table').waitFor();
      const rows = await entry.getByRole('row').allInnerTexts();
      return rows
        .slice(1)
        .map((row) => row.replace(/\s+/g, ' '))
        .sort();
    };
    expect(await lastChange(/^Test changed the .*name.* of the token CI pipeline$/)).toEqual([
      `Allowed networks from anywhere ${networks.join(' ')}`,
      'Name CI CI pipeline',
      'Requests a minute 600 1,000',
      'Scopes users:read users:write users:read',
    ]);
    await meetsWcag(page);

    await buttonOf(page, 'Edit').click();
    await submits(page, 'Save changes', { [LIMIT]: '', [NETWORKS]: ' \n' });
    await closed(page);
    await shows(facts, 'The limit of the service');
    await facts.locator('div', { hasText: /^Allowed networksAll$/ }).waitFor();
    expect(sent.slice(1)).toEqual([{ rateLimit: null, allowedNetworks: null }]);
    await history.locator('.entry').nth(2).waitFor();
    expect(await lastChange(/^Test changed the .*rate limit.* of the token CI pipeline$/)).toEqual([
      `Allowed networks ${networks.join(' ')} from anywhere`,
      'Requests a minute 1,000 the limit of the service',
    ]);
  });

  it('show errors at the fields, and those of networks with their lines, and keep the input', async () => {
    const api = await service().client();
    const { id } = await create(api, { rateLimit: 60 });
    const { page, sent, expectErrors } = await edit(api, id);
    const dialog = dialogOf(page);
    expectErrors(400);
    // JSON has no such numbers: they would be sent as null, which lifts the limit.
    for (const text of ['many', 'Infinity', '1.5']) {
      await submits(page, 'Save changes', { [LIMIT]: text });
      await shows(page, 'Requests a minute must be a whole number.');
      await focusOn(dialog.getByLabel(LIMIT));
    }
    expect(sent).toEqual([]);
    const lines = '\n10.0.0.0/8\n10.0.0.1/8\n\n10.0.0.0/8';
    await fills(dialog, { 'users:read': false, 'users:write': false });
    await submits(page, 'Save changes', { Name: ' ', [LIMIT]: '1001', [NETWORKS]: lines });
    await shows(
      page,
      'Name must not be empty.',
      'Scopes must name at least one scope.',
      'Allowed networks are not valid: line 3 (10.0.0.1/8) must be an IP address or a network without host bits, such as 203.0.113.0/24; line 5 (10.0.0.0/8) occurs twice.',
    );
    await focusOn(dialog.getByLabel('Name'));
    expect(await dialog.getByLabel(NETWORKS).inputValue()).toBe(lines);
    expect(await dialog.getByLabel(NETWORKS).getAttribute('aria-invalid')).toBe('true');
    await meetsWcag(page);
    const many = Array.from({ length: 21 }, (_, n) => `10.0.0.${n}`).join('\n');
    await fills(dialog, { 'users:read': true, 'users:write': true });
    await submits(page, 'Save changes', { Name: 'CI', [NETWORKS]: many });
    await shows(page, 'Allowed networks must name at most 20 networks.');
    await submits(page, 'Save changes', { [NETWORKS]: '10.0.0.0/8' });
    await shows(page, 'Requests a minute must be at most 1000.');
    await submits(page, 'Save changes', { [LIMIT]: '60' });
    await shows(page, 'Saved CI');
    expect(sent.at(-1)).toEqual({ allowedNetworks: ['10.0.0.0/8'] });
  });

  it('say in words that somebody else has ended or deleted them, and the page behind shows it', async () => {
    const revoke = (api: Client, id: string) => api.delete(`/v1/tokens/${id}`).expect(204);
    const remove = (_: Client, id: string) =>
      service().dataSource.query('DELETE FROM tokens WHERE id = $1', [id]);
    for (const [end, status, message] of [
      [revoke, 409, 'this one is revoked.'],
      [remove, 404, 'There is no such token.'],
    ] as const) {
      const api = await service().client();
      const { id } = await create(api);
      const { page, expectErrors } = await edit(api, id);
      expectErrors(status);
      await end(api, id);
      await submits(page, 'Save changes', { Name: 'New' });
      await shows(dialogOf(page), message);
      await submits(page, 'Cancel');
      await submits(page, 'Discard changes');
      if (status === 409) await panelOf(page, 'Token').locator('.state.revoked').waitFor();
      else await shows(page, message);
    }
  });

  it('are the active ones that neither a sign-in nor an exchange has made', async () => {
    const api = await service().client();
    const parent = await create(api);
    const form = { grant_type: 'client_credentials', client_id: parent.id, client_secret: parent.token };
    await exchange(service().url, form);
    const [child] = (await api.get(`/v1/tokens?parent=${parent.id}`).expect(200)).body.data;
    const revoked = await create(api);
    await api.delete(`/v1/tokens/${revoked.id}`).expect(204);
    for (const [id, buttons] of [
      [parent.id, ['Edit', 'Rotate', 'Revoke']],
      [child.id, ['Revoke']],
      [revoked.id, []],
    ]) {
      const { page } = await enter(`tokens/${id}`, api);
      await panelOf(page, 'Token').waitFor();
      const menu = actionsOf(page, 'CI');
      if (buttons.length > 0) await menu.click();
      const shown = page.locator('.heading').getByRole('button').or(page.getByRole('menuitem'));
      expect((await shown.allInnerTexts()).filter((text) => text !== '')).toEqual(buttons);
    }
  });

  it('are limited to networks when they are created, which the list says, and are edited there, too', async () => {
    const { page, api, expectErrors } = await visit('tokens');
    expectErrors(400);
    await buttonOf(page, 'Create token').click();
    const fields = { Name: 'CI', 'users:read': true, [LIMIT]: 'many', [NETWORKS]: '\n10.0.0.1/8' };
    await submits(page, 'Create token', fields);
    await shows(page, 'Requests a minute must be a whole number.');
    await submits(page, 'Create token', { [LIMIT]: '' });
    await shows(
      page,
      'Allowed networks are not valid: line 2 (10.0.0.1/8) must be an IP address or a network',
    );
    await focusOn(dialogOf(page).getByLabel(NETWORKS));
    await meetsWcag(page);
    await submits(page, 'Create token', { [NETWORKS]: '10.0.0.0/8\n::1' });
    await submits(page, 'Done');
    await submits(page, 'I have saved it');
    await closed(page);
    await shows(page, 'Only from 2 networks');
    await meetsWcag(page);
    expect((await rowsOf(page)).filter((row) => row.includes('Only from'))).toHaveLength(1);
    const { body } = await api.get('/v1/tokens?limit=1').expect(200);
    expect(body.data[0]).toMatchObject({
      name: 'CI',
      rateLimit: null,
      allowedNetworks: ['10.0.0.0/8', '::1'],
    });

    await chooseAction(page, 'Edit', 'CI');
    expect(await dialogOf(page).getByLabel(NETWORKS).inputValue()).toBe('10.0.0.0/8\n::1');
    await submits(page, 'Save changes', { [NETWORKS]: '::1' });
    await shows(page, 'Saved CI', 'Only from 1 network');
  });

  it('may be that of the session, which goes on with its new name', async () => {
    const { page, sent } = await editOwn();
    await submits(page, 'Save changes', { Name: 'Ada', [NETWORKS]: '127.0.0.0/8\n::1' });
    await shows(page, 'Saved Ada');
    await page.locator('.who', { hasText: 'Ada' }).waitFor();
    await toSection(page, 'Users');
    await shows(page, /^No users$/);
    expect(sent).toHaveLength(1);
  });

  it('warn somebody who takes admin from the own token, ask twice for the last one, and end the session', async () => {
    const { organizationId } = await service().client();
    const api = await service().client({ organizationId, scopes: ['admin', 'users:read'] });
    const { page } = await edit(api, api.tokenId);
    const warning = 'You are signed in with this token. The dashboard requires admin';
    await fills(dialogOf(page), { 'users:read': false });
    expect(await page.getByText(warning).count()).toBe(0);
    await fills(dialogOf(page), { 'users:read': true, admin: false });
    await shows(page, warning);
    await submits(page, 'Save changes');
    await shows(page, 'the scope admin was taken from the token');
    await focusOn(page.getByLabel('Admin token'));
    expect((await api.get('/v1/tokens/current').expect(200)).body.scopes).toEqual(['users:read']);

    const last = await service().client({ scopes: ['admin', 'users:read'] });
    const second = await edit(last, last.tokenId);
    await submits(second.page, 'Save changes', { admin: false });
    await shows(second.page, 'No other admin token works for more than a week.', 'ums tokens create');
    await meetsWcag(second.page);
    expect(second.sent).toEqual([]);
    await fills(dialogOf(second.page), { admin: true });
    await dialogButton(second.page, 'Save changes').waitFor();
    await submits(second.page, 'Save changes', { admin: false });
    await submits(second.page, 'Take admin from the last admin token');
    await shows(second.page, 'the scope admin was taken from the token');
    expect(second.sent).toEqual([{ scopes: ['users:read'] }]);
  });

  it('end the session when somebody else takes admin from its token', async () => {
    const api = await service().client({ scopes: ['admin', 'users:read'] });
    const { page, expectErrors } = await enter('tokens', api);
    await shows(page, 'This session');
    expectErrors(403);
    await api.patch(`/v1/tokens/${api.tokenId}`, { scopes: ['users:read'] }).expect(200);
    await page.getByRole('radio', { name: 'active' }).click();
    await shows(page, 'the scope admin was taken from the token');
  });

  it('warn somebody who limits the own token to networks, and say at the end of the session what it is', async () => {
    const { page, api, expectErrors } = await editOwn();
    const warning = 'If you are in none of these networks, saving signs you out';
    expect(await page.getByText(warning).count()).toBe(0);
    await fills(dialogOf(page), { [NETWORKS]: '203.0.113.0/24' });
    await shows(page, warning);
    await meetsWcag(page);
    expectErrors(403);
    await submits(page, 'Save changes');
    await shows(page, 'the token may not be used from your network');
    expect(await buttonOf(page, 'Search …').count()).toBe(0);
    await meetsWcag(page);
    await fills(page, { 'Admin token': api.tokenValue });
    await page.keyboard.press('Enter');
    await shows(page, 'The token may not be used from this network.');

    const other = await service().client({ organizationId: api.organizationId });
    await other.patch(`/v1/tokens/${api.tokenId}`, { allowedNetworks: null }).expect(200);
    await signIn(page, api.tokenValue);
    expect((await recordOf(other, api.tokenId)).allowedNetworks).toBe(null);
  });
});
