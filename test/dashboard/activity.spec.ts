/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { UsersService } from '../../src';
import { meetsWcag } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import { aUser, type Client } from '../support/client';
import { buttonOf, fills, focusOn, shows, toSection, useDashboard } from '../support/dashboard';

const entries = (page: Page) => page.getByRole('list', { name: 'Activity, newest first' }).locator('summary');

/** The displayed sentences, without their times. */
const sentences = async (page: Page) =>
  (await entries(page).locator('> :first-child').allTextContents()).map((text) => text.trim());

const entryOf = (page: Page, sentence: string) => page.getByRole('listitem').filter({ hasText: sentence });

/** Opens an entry and returns the rows of its values. */
const openedValues = async (page: Page, sentence: string) => {
  const entry = entryOf(page, sentence);
  await entry.locator('summary').click();
  await entry.getByRole('table').waitFor();
  return entry.getByRole('row').allInnerTexts();
};

/** Waits for the sentences, which the page or a filter brings. */
const expectSentences = async (page: Page, expected: string[]) => {
  await page
    .getByText(expected.length === 1 ? '1 entry' : `${expected.length} entries`, { exact: true })
    .waitFor();
  expect(await sentences(page)).toEqual(expected);
};

describeInBrowser('what has happened, in the dashboard,', () => {
  const { service, visit } = useDashboard({ RATE_LIMIT_PER_MINUTE: '100000' });

  const createToken = async (api: Client, name: string): Promise<{ id: string; token: string }> =>
    (await api.post('/v1/tokens', { name, scopes: ['admin'] }).expect(201)).body;

  /** Ada is created, changed twice and deleted; a token is created and revoked. */
  async function live(api: Client) {
    const sync = await createToken(api, 'Nightly sync');
    const byToken = api.withValue(sync.token);
    const ada = await byToken.createUser({ name: 'Ada Lovelace', email: 'ada@example.com', role: 'member' });
    await byToken.createUser({ name: 'Grace Hopper', email: 'grace@example.com' });
    await byToken.patch(`/api/v1/users/${ada.id}`, { role: 'admin' }).expect(200);
    const change = { email: 'ada@example.org', metadata: { plan: { ['y'.repeat(64)]: 6 } } };
    await api.patch(`/api/v1/users/${ada.id}`, change).expect(200);
    const ci = await createToken(api, 'CI');
    await byToken.delete(`/v1/tokens/${ci.id}`).expect(204);
    await api.delete(`/api/v1/users/${ada.id}`).expect(204);
    return { ada, sync };
  }

  const DELETED = 'Test deleted Ada Lovelace';
  const REVOKED = 'Nightly sync revoked the token CI';
  const CHANGED_TWO = 'Test changed the email and metadata of Ada Lovelace';
  const CHANGED_ROLE = 'Nightly sync changed the role of Ada Lovelace from member to admin';
  const CREATED_GRACE = 'Nightly sync created Grace Hopper';
  const CREATED_ADA = 'Nightly sync created Ada Lovelace';
  const ALL = [
    DELETED,
    REVOKED,
    'Test created the token CI',
    CHANGED_TWO,
    CHANGED_ROLE,
    CREATED_GRACE,
    CREATED_ADA,
    'Test created the token Nightly sync',
    'The application created the token Test',
  ];

  const createPeople = async ({ organizationId }: Client, from: number, to: number) => {
    const users = service().app.get(UsersService);
    for (let n = from; n <= to; n++) await users.create(organizationId, aUser({ name: `Person ${n}` }));
  };

  it('is told in sentences, with the values before and after, which lead to all of the same person or token', async () => {
    const { page } = await visit('activity', live);
    await expectSentences(page, ALL);

    expect(await openedValues(page, CHANGED_TWO)).toEqual([
      'Field\tBefore\tAfter',
      'Email\tada@example.com\tada@example.org',
      expect.stringMatching(/^Metadata “plan”\tnone\t\{/),
    ]);
    expect((await openedValues(page, DELETED)).slice(0, 2)).toEqual(['Field\tBefore', 'Name\tAda Lovelace']);
    expect((await openedValues(page, CREATED_GRACE)).slice(0, 2)).toEqual([
      'Field\tAfter',
      'Name\tGrace Hopper',
    ]);
    await meetsWcag(page);

    const follow = (sentence: string, name: string) =>
      entryOf(page, sentence).getByRole('button', { name }).click();
    await follow(CHANGED_TWO, 'Only what happened to this user');
    await expectSentences(page, [DELETED, CHANGED_TWO, CHANGED_ROLE, CREATED_ADA]);
    await shows(page, 'Only what happened to Ada Lovelace');
    await buttonOf(page, 'Show everything').and(page.locator(':focus')).click();
    await expectSentences(page, ALL);
    await page.getByText(CHANGED_ROLE).click();
    await follow(CHANGED_ROLE, 'Only what this token did');
    await expectSentences(page, [REVOKED, CHANGED_ROLE, CREATED_GRACE, CREATED_ADA]);
    expect(await page.getByLabel('Done by').inputValue()).toMatch(/^tok_/);
  });

  it('names the person for whom a token says that it has acted', async () => {
    const { page } = await visit('activity', async (api) => {
      const ada = aUser({ name: 'Ada Lovelace' });
      const person = 'boss@example.com, deleted Bob';
      await api.post('/api/v1/users', ada).set('X-On-Behalf-Of', person).expect(201);
    });
    const sentence = 'Test, for boss@example.com, deleted Bob, created Ada Lovelace';
    await expectSentences(page, [sentence, 'The application created the token Test']);
    const entry = entryOf(page, sentence);
    // Each name is set apart, so that it cannot pass for a part of the sentence.
    expect(await entry.locator('summary bdi').allTextContents()).toEqual([
      'Test',
      'boss@example.com, deleted Bob',
      'Ada Lovelace',
    ]);
    await openedValues(page, sentence);
    await entry.getByText('boss@example.com, deleted Bob as the caller says').waitFor();
    await meetsWcag(page);
  });

  it('is filtered by kind, person and token', async () => {
    let adaId = '';
    const { page } = await visit('activity', async (api) => (adaId = (await live(api)).ada.id));
    await shows(page, /^\d+ entr/);
    await fills(page, { Kind: 'Users changed' });
    await expectSentences(page, [CHANGED_TWO, CHANGED_ROLE]);
    const option = page.getByLabel('Done by').locator('option', { hasText: /^Nightly sync/ });
    await fills(page, { 'Done by': (await option.textContent())! });
    await expectSentences(page, [CHANGED_ROLE]);
    await fills(page, { Kind: 'Any kind' });
    await expectSentences(page, [REVOKED, CHANGED_ROLE, CREATED_GRACE, CREATED_ADA]);

    await fills(page, { Person: 'grace' });
    await page.getByRole('list', { name: 'People found' }).waitFor();
    await meetsWcag(page);
    await page.getByRole('button', { name: 'Grace Hopper grace@example.com' }).click();
    await expectSentences(page, [CREATED_GRACE]);
    await buttonOf(page, 'Show everything').and(page.locator(':focus')).click();
    await fills(page, { 'Done by': 'Any token' });
    await expectSentences(page, ALL);

    for (const [text, name] of [
      ['lovelace ada', 'Ada Lovelace ada@example.org (deleted)'],
      [adaId, adaId], // of somebody who may have been purged
      ['ada@', '(deleted)'],
    ]) {
      await fills(page, { Person: 'nobody at all' });
      await shows(page, 'Nobody found');
      await fills(page, { Person: text });
      await page.getByRole('button', { name }).click();
      await expectSentences(page, [DELETED, CHANGED_TWO, CHANGED_ROLE, CREATED_ADA]);
      await buttonOf(page, 'Show everything').click();
    }
    await fills(page, { Person: 'nobody at all', Kind: 'Users restored' });
    await shows(page, 'There are no such entries.');
    await meetsWcag(page);
  });

  it('grows as one scrolls, without a double or a gap while more happens', async () => {
    const { page, api } = await visit('activity', (api) => createPeople(api, 1, 170));
    await shows(page, /^\d+ entr/);
    for (let added = 171; (await entries(page).count()) < 171; added += 3) {
      await createPeople(api, added, added + 2);
      const count = await entries(page).count();
      await page.evaluate('scrollTo(0, 1e6)');
      await entries(page).nth(count).waitFor({ state: 'attached' });
    }
    await page.getByText('171 entries', { exact: true }).waitFor();
    const shown = await sentences(page);
    expect(shown.slice(0, -1)).toEqual(
      Array.from({ length: 170 }, (_, n) => `The application created Person ${170 - n}`),
    );
    await buttonOf(page, 'Refresh').click();
    await entries(page)
      .first()
      .filter({ hasText: /Person (17[1-9]|18\d)/ })
      .waitFor();
  });

  it('grows at the press of a button, and the focus is on the first entry that is new', async () => {
    const { page } = await visit('activity', async (api, page) => {
      // Without the observer nothing but the button brings more.
      await page.addInitScript({ content: `IntersectionObserver.prototype.observe = () => {}` });
      await createPeople(api, 1, 60);
    });
    await shows(page, /^\d+ entr/);
    await shows(page, '50 entries, and older ones below');
    const more = buttonOf(page, 'Show older entries');
    await more.focus();
    await page.keyboard.press('Enter');
    await page.getByText('61 entries', { exact: true }).waitFor();
    await focusOn(entries(page).nth(50));
    expect(await more.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Enter');
    await page.getByRole('table').waitFor();
    await page.keyboard.press('Tab');
    await focusOn(buttonOf(page, 'Only what happened to this user'));
  });

  it('goes on after a failure where it was', async () => {
    const { page, expectErrors } = await visit('tokens', (api) => createPeople(api, 1, 60));
    expectErrors(500);
    const fail = (pattern: string) =>
      page.route(pattern, (route) =>
        route.fulfill({
          status: 500,
          json: { code: 'internal_error', detail: 'The service failed.', errors: [] },
        }),
      );
    await page.route('**/api/v1/events?**', () => {});
    await toSection(page, 'Activity');
    await meetsWcag(page); // while it loads
    await page.unroute('**/api/v1/events?**');
    await fail('**/api/v1/events?**');
    await buttonOf(page, 'Refresh').click();
    await shows(page, 'The service failed.');
    await meetsWcag(page);
    await page.unroute('**/api/v1/events?**');
    await fail('**/api/v1/events?**cursor=**');
    const failed = page.waitForResponse((response) => response.url().includes('cursor='));
    await buttonOf(page, 'Try again').click();
    await entries(page).first().waitFor();
    await page.evaluate('scrollTo(0, 1e6)');
    await failed; // what failed before is gone by then
    await shows(page, 'The service failed.');
    expect(await entries(page).count()).toBe(50);
    await page.unroute('**/api/v1/events?**cursor=**');
    await buttonOf(page, 'Try again').click();
    await page.getByText('61 entries', { exact: true }).waitFor();
  });
});
