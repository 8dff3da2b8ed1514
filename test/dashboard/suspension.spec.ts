/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { OrganizationsService } from '../../src';
import { describeInBrowser } from '../support/browser';
import { toUsers, useDashboard } from '../support/dashboard';

describeInBrowser('the dashboard of a suspended organization', () => {
  const { service, open, visit } = useDashboard();
  const organizations = () => service().app.get(OrganizationsService);

  it('does not open, and says why', async () => {
    const { tokenValue, organizationId } = await service().client();
    await organizations().suspend(organizationId);
    const { page, expectErrors } = await open();
    expectErrors(403);
    await page.goto(`${service().url}/dashboard`);
    await page.getByLabel('Admin token').fill(tokenValue);
    await page.keyboard.press('Enter');
    await page.getByText('The organization is suspended.').waitFor();
  });

  it('closes, and says why, when its organization is suspended meanwhile', async () => {
    const { page, api, expectErrors } = await visit();
    await organizations().suspend(api.organizationId);
    expectErrors(403);
    await page.getByRole('navigation').getByRole('link', { name: 'Users' }).click();
    await page.getByText('You were signed out because your organization is suspended.').waitFor();
    expect(await page.getByRole('navigation', { name: 'Sections' }).count()).toBe(0);
  });

  it('shows afterwards who suspended and resumed it', async () => {
    const { page } = await visit({}, async ({ organizationId }) => {
      await organizations().suspend(organizationId);
      await organizations().resume(organizationId);
    });
    await toUsers(page);
    await page.getByRole('navigation').getByRole('link', { name: 'Activity' }).click();
    await page.getByText('The application suspended the organization Test').waitFor();
    await page.getByText('The application resumed the organization Test').waitFor();
  });
});
