/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { version } from '../../package.json';
import { meetsWcag } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import { buttonOf, headingOf, panelOf, shows, toSection, useDashboard } from '../support/dashboard';
import { WEBHOOK_ENV } from '../support/webhooks';

/** What the page copies, as the clipboard has it. */
async function copied(page: Page, button: string): Promise<string> {
  await buttonOf(page, button).click();
  await page
    .locator('.id', { has: buttonOf(page, button) })
    .getByText('Copied')
    .waitFor();
  return page.evaluate('navigator.clipboard.readText()');
}

/** The texts of the row with this title, without white space. */
const rowOf = async (page: Page, title: string) =>
  (await panelOf(page, 'Service').getByRole('listitem').filter({ hasText: title }).innerText())
    .split('\n')
    .map((text) => text.trim())
    .filter(Boolean);

describeInBrowser('the settings', () => {
  const { service, visit } = useDashboard({
    ...WEBHOOK_ENV,
    RATE_LIMIT_PER_MINUTE: '5000',
    EVENT_RETENTION_DAYS: '1',
    DELETED_USERS_RETENTION_DAYS: '0',
    REQUIRE_IF_MATCH: 'true',
  });

  it('have the organization, the addresses to copy, and who is signed in', async () => {
    const { page, api } = await visit('', undefined, {});
    await toSection(page, 'Settings');
    await shows(panelOf(page, 'Organization'), 'Test', api.organizationId);
    expect(await copied(page, 'Copy the ID')).toBe(api.organizationId);
    expect(await copied(page, 'Copy the address of the API')).toBe(`${service().url}/api/v1`);
    expect(await copied(page, 'Copy the address of SCIM')).toBe(`${service().url}/scim/v2`);
    const { hint } = (await api.get('/v1/tokens/current').expect(200)).body;
    await shows(panelOf(page, 'Signed in'), 'Test', hint, 'admin', 'Never');
    await meetsWcag(page);
  });

  it('have what the operator has set, with the variables, and the version', async () => {
    const { page } = await visit('settings');
    await shows(panelOf(page, 'Service'), `Version ${version}`);
    const [requests, activity, deleted] = await Promise.all(
      ['Requests', 'Activity', 'Deleted users'].map((title) => rowOf(page, title)),
    );
    expect(requests).toEqual([
      'Requests',
      expect.stringContaining('no limit of its own'),
      '5,000 a minute',
      'RATE_LIMIT_PER_MINUTE',
    ]);
    expect(activity.slice(2)).toEqual(['Kept 1 day', 'EVENT_RETENTION_DAYS']);
    expect(deleted.slice(1)).toEqual([
      'Deleting a user erases everything about them at once.',
      'Not kept',
      'DELETED_USERS_RETENTION_DAYS',
    ]);
    expect((await rowOf(page, 'Life of a new token'))[2]).toBe('Unlimited');
    expect((await rowOf(page, 'Changes of users'))[2]).toBe('Need If-Match');
    const link = panelOf(page, 'Service').getByRole('link', { name: 'API reference' });
    expect(await link.getAttribute('href')).toBe(`${service().url}/docs`);
  });

  it('show a failure where it belongs, and try again', async () => {
    const { page, expectErrors } = await visit('');
    expectErrors(500);
    await page.route('**/api/v1/settings', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 });
    await toSection(page, 'Settings');
    await headingOf(page, 'Settings').waitFor();
    await panelOf(page, 'Service').getByRole('button', { name: 'Try again' }).click();
    await shows(panelOf(page, 'Service'), `Version ${version}`);
  });
});
