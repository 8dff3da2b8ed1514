/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { accessibilityFaults, prepareAccessibility } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import type { Client } from '../support/client';
import { chooseAction, dialogButton, signIn, useDashboard } from '../support/dashboard';
import { type Replica, startReplica } from '../support/service';

const focused = 'document.activeElement.labels[0].textContent';

describeInBrowser('with TOKEN_MAX_DAYS=60, the dashboard', () => {
  let limited: Replica;
  // First, because useDashboard() closes the database of both, without which a close may wait for ever.
  afterAll(() => limited.close());
  const { service, open } = useDashboard();
  beforeAll(async () => (limited = await startReplica(service(), { TOKEN_MAX_DAYS: '60' })));

  /** Opens the tokens of an organization, whose admin token never expires. */
  async function visit(prepare?: (api: Client) => Promise<unknown>) {
    const [window, api] = await Promise.all([open(), service().client()]);
    await prepare?.(api);
    await prepareAccessibility(window.page);
    await window.page.goto(`${limited.url}/dashboard/tokens`);
    await signIn(window.page, api.tokenValue);
    await window.page.getByRole('table').waitFor();
    window.expectErrors(400);
    return { ...window, api };
  }

  it('shows at the expiry of a new token that it is too long, and keeps the input', async () => {
    const { page, api } = await visit();
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByLabel('Name').fill('Nightly sync');
    await page.getByRole('checkbox', { name: 'users:read' }).check();
    await page.getByLabel('Requests a minute').fill('600');
    await dialogButton(page, 'Create token').click();
    await page.getByText('Expiry must be at most 60d.').waitFor();
    expect(await page.evaluate(focused)).toBe('Expiry');
    expect(await accessibilityFaults(page)).toEqual([]);

    await page.getByLabel('Expiry').selectOption('never');
    await dialogButton(page, 'Create token').click();
    await page.getByText('Expiry is required, because a token may live at most 60d.').waitFor();

    await page.getByLabel('Expiry').selectOption('custom');
    await page.getByLabel('Days').fill('61');
    await dialogButton(page, 'Create token').click();
    await page.getByText('Days must be at most 60d.').waitFor();
    expect(await page.evaluate(focused)).toBe('Days');
    await page.getByLabel('Days').fill('60');
    await dialogButton(page, 'Create token').click();
    await page.getByText('Token “Nightly sync” created').waitFor();
    const { body } = await api.get('/v1/tokens?limit=1').expect(200);
    expect(body.data[0]).toMatchObject({
      name: 'Nightly sync',
      scopes: ['users:read'],
      rateLimit: 600,
      expiresIn: '60d',
    });
  });

  it.each([
    [undefined, 'Never, like the old one', 'is required, because a token may live at most 60d.'],
    [
      '90d',
      '90 days, like the old one',
      'must be given and be at most 60d, because the term of the old token is longer.',
    ],
  ])(
    'shows at the expiry of a rotation that the old term is too long: %s',
    async (expiresIn, same, message) => {
      const { page, api } = await visit((api) =>
        api.post('/v1/tokens', { name: 'CI', scopes: ['users:read'], expiresIn }).expect(201),
      );
      await chooseAction(page, 'Rotate', 'CI');
      await page.getByLabel('The old token keeps working').selectOption('72h');
      expect(await page.getByLabel('Expiry of the new token').locator('option:checked').textContent()).toBe(
        same,
      );
      await dialogButton(page, 'Rotate token').click();
      await page.getByText(`Expiry of the new token ${message}`).waitFor();
      expect(await page.evaluate(focused)).toBe('Expiry of the new token');
      expect(await page.getByLabel('The old token keeps working').inputValue()).toBe('72h');
      expect(await accessibilityFaults(page)).toEqual([]);

      await page.getByLabel('Expiry of the new token').selectOption('custom');
      await page.getByLabel('Days').fill('0');
      await dialogButton(page, 'Rotate token').click();
      await page.getByText('Days must be a whole number from 1 to 3650.').waitFor();
      await page.getByLabel('Expiry of the new token').selectOption('30');
      await dialogButton(page, 'Rotate token').click();
      await page.getByRole('heading', { name: 'Token “CI” rotated' }).waitFor();
      const { body } = await api.get('/v1/tokens?limit=1').expect(200);
      expect(body.data[0]).toMatchObject({ name: 'CI', expiresIn: '30d', rotatedFrom: expect.any(String) });
    },
  );
});
