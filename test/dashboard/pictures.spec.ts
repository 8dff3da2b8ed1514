/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { accessibilityFaults } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import {
  buttonOf,
  settled,
  showAt,
  shows,
  signIn,
  submits,
  toSection,
  useDashboard,
} from '../support/dashboard';
import { createShowcase, type Showcase } from '../support/showcase';
import { WEBHOOK_ENV } from '../support/webhooks';

const imagesInReadme = [
  ...readFileSync('README.md', 'utf8').matchAll(/\]\((docs\/dashboard-[\w-]+\.webp)\)/g),
].map(([, path]) => path);

const WIDE = { width: 1280, height: 760 };

describeInBrowser('pictures of the dashboard', () => {
  const { service, open } = useDashboard(WEBHOOK_ENV);
  let showcase: Showcase;
  beforeAll(async () => void (showcase = await createShowcase(service())));

  it('are in the README; `npm run pictures` retakes them', async () => {
    const { page } = await open({ viewport: WIDE, deviceScaleFactor: 2 });
    const { api } = showcase;
    const take = async (state: string) => {
      const path = `docs/dashboard-${state}.webp`;
      // Chromium's WebP without loss is larger than its PNG; this one is half of it, and looks the same.
      const screenshot = await page.screenshot({ caret: 'hide', type: 'webp', quality: 90 });
      if (process.env.UPDATE_SCREENSHOTS === 'true') writeFileSync(path, screenshot);
      expect(existsSync(path)).toBe(true);
      expect(imagesInReadme).toContain(path);
    };

    await page.goto(`${service().url}/dashboard`);
    await page.getByLabel('Admin token').waitFor();
    await take('sign-in');
    await signIn(page, api.tokenValue);
    await buttonOf(page, 'Got it').click();
    await shows(page, 'Support desk');
    await page.getByText('changed the role').first().waitFor();
    await settled(page);
    await take('overview');

    await toSection(page, 'API tokens');
    await settled(page);
    await take('tokens');
    await buttonOf(page, 'Create token').click();
    await submits(page, 'Create token', { Name: 'Staging', 'users:read': true });
    await page.getByRole('textbox', { name: 'Token' }).waitFor();
    await take('new-token');
    await submits(page, 'Done');
    await submits(page, 'I have saved it');

    await toSection(page, 'Users');
    await settled(page);
    await page.getByRole('checkbox', { name: 'Select Barbara Liskov' }).click();
    await page.getByRole('checkbox', { name: 'Select Grace Hopper' }).click({ modifiers: ['Shift'] });
    await take('users');
    await page.getByRole('link', { name: 'Hedy Lamarr' }).click();
    await shows(page, 'Inventor');
    await settled(page);
    await take('user');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('gra');
    await page.getByRole('option', { name: /User Grace Hopper/ }).waitFor();
    await take('palette');
    await page.keyboard.press('Escape');

    await toSection(page, 'Activity');
    await settled(page);
    await page.getByText('changed the role').first().click();
    await page.getByRole('table').first().waitFor();
    await take('activity');
  });

  /** Every page, as seen by an admin. */
  const pages = ({ user, token, group, webhook }: Showcase) => ({
    ...{ overview: '', tokens: 'tokens', token: `tokens/${token}`, users: 'users', user: `users/${user}` },
    ...{ import: 'users/import', groups: 'groups', group: `groups/${group}`, deleted: 'deleted' },
    ...{ webhooks: 'webhooks', webhook: `webhooks/${webhook}`, 'new-webhook': 'webhooks/new' },
    ...{ activity: 'activity', settings: 'settings', nothing: 'nothing' },
  });

  const FOLDER = '.pictures';
  const VARIANTS = {
    wide: { viewport: WIDE },
    widest: { viewport: { width: 1440, height: 900 } },
    dark: { viewport: WIDE, colorScheme: 'dark' },
    narrow: { viewport: { width: 390, height: 844 } },
  } as const;

  /** Takes a picture of each page, and returns what axe and the width of the page say against it. */
  async function photograph(page: Page, state: string, paths: Record<string, string>): Promise<string[]> {
    mkdirSync(FOLDER, { recursive: true });
    const faults: string[] = [];
    for (const [name, path] of Object.entries(paths)) {
      await showAt(page, path);
      await settled(page);
      await page.screenshot({ path: `${FOLDER}/${name}-${state}.png`, caret: 'hide' });
      faults.push(...(await accessibilityFaults(page)).map((fault) => `${name}, ${state}: ${fault}`));
    }
    return faults;
  }

  it.each(Object.entries(VARIANTS))(
    'show every page, %s, without a fault of accessibility',
    async (name, options) => {
      const { page } = await open(options);
      await page.goto(`${service().url}/dashboard`);
      await signIn(page, showcase.api.tokenValue);
      expect(await photograph(page, name, pages(showcase))).toEqual([]);
    },
  );

  const { user: _, ...lists } = pages({} as Showcase);
  const LISTS = Object.fromEntries(
    Object.entries(lists).filter(([, path]) => !/undefined|nothing/.test(path)),
  );

  it('show every list that is empty, that has one item, and that cannot be read', async () => {
    const { page, expectErrors } = await open({ viewport: WIDE });
    const api = await service().client();
    await page.goto(`${service().url}/dashboard`);
    await signIn(page, api.tokenValue);
    const faults = await photograph(page, 'empty', LISTS);
    await api.createUser({ name: 'Ada Lovelace', email: 'ada@example.com' });
    faults.push(...(await photograph(page, 'one', LISTS)));
    expectErrors(500);
    await page.route(/\/v1\//, (route) =>
      route.fulfill({ status: 500, contentType: 'application/problem+json', body: '{"status":500}' }),
    );
    faults.push(...(await photograph(page, 'error', LISTS)));
    expect(faults).toEqual([]);
  });
});
