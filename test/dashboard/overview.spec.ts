/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { meetsWcag } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import type { Client } from '../support/client';
import {
  buttonOf,
  focusOn,
  headingOf,
  panelOf,
  shows,
  submits,
  toSection,
  useDashboard,
} from '../support/dashboard';
import { scimClient } from '../support/scim';

describeInBrowser('the overview of the dashboard', () => {
  const { enter, service, visit } = useDashboard();

  it('shows users, what ends soon, what fails, and what has happened', async () => {
    const { page } = await visit('', async (api) => {
      await api.createUser({ name: 'Grace' });
      await api.createUser({ active: false });
      const fields = { name: 'n'.repeat(100), scopes: ['users:read'], expiresIn: '3d' };
      await api.post('/v1/tokens', fields).expect(201);
    });
    await focusOn(headingOf(page, 'Overview'));
    await page.locator('.figures').waitFor();
    expect((await page.locator('.figures').innerText()).replace(/\s+/g, ' ').trim()).toBe(
      'Users 2 Active 1 Created in 30 days 2',
    );
    await page.getByRole('img', { name: /the most, 2, on/ }).waitFor();
    await page.getByText('Show as a table').click();
    const first = panelOf(page, 'Users created').getByRole('row').nth(1);
    await first.waitFor();
    expect(await first.getByRole('cell').last().innerText()).toContain('2');
    await shows(panelOf(page, 'Webhooks that fail'), 'No webhooks yet.');
    await shows(panelOf(page, 'Latest activity'), 'Test created Grace');
    await meetsWcag(page);
    await panelOf(page, 'Tokens that end soon').getByRole('link', { name: 'nnn' }).click();
    await headingOf(page, 'n'.repeat(100)).waitFor();
  });

  it('shows a number that the service counts no further', async () => {
    const { page } = await visit('', async (api, page) => {
      const { body } = await api.get('/api/v1/statistics').expect(200);
      const users = { total: 100_000, active: 2_000, exact: false };
      await page.route('**/api/v1/statistics', (route) => route.fulfill({ json: { ...body, users } }));
    });
    const figures = page.locator('.figures');
    await figures.getByText('100,000+', { exact: true }).waitFor();
    await figures.getByText('2,000', { exact: true }).waitFor();
  });

  describe('of a new organization', () => {
    const PROGRAM = { name: 'Sync', scopes: ['users:read'] };
    const steps = (page: Page) => panelOf(page, 'Get started').getByRole('listitem');
    const reload = async (page: Page) => {
      await toSection(page, 'Users');
      await toSection(page, 'Overview');
    };

    it('shows what to do first instead of the figures, until it is done', async () => {
      const { page, api } = await visit('');
      await steps(page).first().waitFor();
      expect(await page.locator('.figures, .bars').count()).toBe(0);
      await meetsWcag(page);
      expect(await page.getByRole('textbox', { name: 'SCIM base URL' }).inputValue()).toBe(
        `${service().url}/scim/v2`,
      );
      const { body: program } = await api.post('/v1/tokens', PROGRAM).expect(201);
      const command = await page.getByRole('textbox', { name: 'List users' }).inputValue();
      const [, url, header] = /^curl '(.+)' -H "Authorization: (.+)"$/.exec(command)!;
      const headers = { Authorization: header.replace('$TOKEN', program.token) };
      expect((await fetch(url, { headers })).status).toBe(200);
      await reload(page);
      await steps(page).filter({ hasText: 'Call the API (done)' }).waitFor();
      expect(await page.getByRole('textbox', { name: 'List users' }).count()).toBe(0);

      await page.getByRole('link', { name: 'Create a user' }).click();
      await submits(page, 'Create user', { Name: 'Ada Lovelace', Email: 'ada@example.com' });
      await shows(page, 'Created Ada Lovelace');
      await toSection(page, 'Overview');
      await panelOf(page, 'Latest activity').getByText('created Ada Lovelace').waitFor();
      await panelOf(page, 'Get started').waitFor({ state: 'detached' });
    });

    it('shows it with the figures while nobody but a person has a token, and not once it is dismissed', async () => {
      const withUser = (api: Client) => api.createUser();
      const { page, api } = await visit('', withUser);
      await page.locator('.figures').waitFor();
      await steps(page).filter({ hasText: 'Add your first users (done)' }).waitFor();
      await buttonOf(page, 'Dismiss').click();
      await focusOn(headingOf(page, 'Overview'));
      expect(await panelOf(page, 'Get started').count()).toBe(0);
      const again = await enter('', api);
      await again.page.locator('.figures').waitFor();
      expect(await panelOf(again.page, 'Get started').count()).toBe(0);
      const elsewhere = await visit('', withUser);
      await panelOf(elsewhere.page, 'Get started').waitFor();
    });

    it('knows that a directory is connected', async () => {
      const { page } = await visit('', async ({ organizationId, tokenId }) => {
        const directory = await scimClient(service(), { organizationId });
        await directory.post('/Users', { userName: 'ada@example.com', title: 'Analyst' }).expect(201);
        await service().dataSource.query('DELETE FROM tokens WHERE organization_id = $1 AND id <> $2', [
          organizationId,
          tokenId,
        ]);
      });
      await steps(page).filter({ hasText: 'Connect a directory (done)' }).waitFor();
    });

    it('says that there are no users where it is dismissed', async () => {
      const { page } = await visit('');
      await buttonOf(page, 'Dismiss').click();
      await shows(panelOf(page, 'Users'), 'There are no users yet.');
      expect(await page.locator('.bars').count()).toBe(0);
    });

    it('is no longer shown when there are users from before the last 30 days', async () => {
      const { page } = await visit('', async (api) => {
        const { id } = await api.createUser();
        await service().dataSource.query(
          `UPDATE users SET created_at = now() - interval '40 days' WHERE organization_id = $1 AND id = $2`,
          [api.organizationId, id],
        );
      });
      await page.locator('.figures').waitFor();
      expect(await panelOf(page, 'Get started').count()).toBe(0);
    });
  });
});
