/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { UsersService } from '../../src';
import { GroupsService } from '../../src/groups/groups.service';
import { systemCaller } from '../../src/platform/http/caller';
import { meetsWcag } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import { aUser, type Client } from '../support/client';
import {
  addPeople,
  buttonOf,
  closed,
  dialogButton,
  dialogOf,
  fills,
  focusOn,
  headingOf,
  panelOf,
  shows,
  signIn,
  submits,
  toSection,
  useDashboard,
} from '../support/dashboard';

const entries = (page: Page) => page.getByRole('group', { name: 'Activity, newest first' }).locator('.entry');

/** The displayed sentences, without their times. */
const sentences = (page: Page) => entries(page).locator('.sentence').allTextContents();

const entryOf = (page: Page, sentence: string) => page.getByRole('listitem').filter({ hasText: sentence });

/** Opens an entry and returns the rows of its values. */
const openedValues = async (page: Page, sentence: string) => {
  const entry = entryOf(page, sentence);
  await entry.locator('.entry .when').click();
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
  const CHANGED_ROLE = 'Nightly sync changed the role of Ada Lovelace from Member to Admin';
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
    const caller = systemCaller(organizationId, 'application', 'application');
    // For one and for another person, so that each is a row of its own.
    for (let n = from; n <= to; n++)
      await users.create({ ...caller, onBehalfOf: `boss ${n % 2}` }, aUser({ name: `Person ${n}` }));
  };

  it('is told in sentences, with the values before and after, which lead to all of the same person or token', async () => {
    const { page } = await visit('activity', live);
    await expectSentences(page, ALL);

    expect(await openedValues(page, CHANGED_TWO)).toEqual([
      'Field\tBefore\tAfter',
      'Email\tada@example.com\tada@example.org',
      expect.stringMatching(/^Metadata “plan”\t–\t\{/),
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
    await openedValues(page, CHANGED_ROLE);
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
    const sentence = 'Test on behalf of boss@example.com, deleted Bob created Ada Lovelace';
    await expectSentences(page, [sentence, 'The application created the token Test']);
    const entry = entryOf(page, sentence);
    // Each name is set apart, so that it cannot pass for a part of the sentence.
    expect(await entry.locator('.sentence bdi').allTextContents()).toEqual([
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
    expect(await page.getByLabel('Done by').locator('option').count()).toBe(1); // nobody chooses yet
    await page.getByLabel('Done by').focus();
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
    await shows(page, 'Nothing matches these filters.');
    await meetsWcag(page);
    await buttonOf(page, 'Clear filters').click();
    await expectSentences(page, ALL);
    await focusOn(headingOf(page, 'Activity'));
  });

  it('is filtered by all kinds about something and by days where the reader is, which the address keeps', async () => {
    let ada = '';
    const inTokyo = { timezoneId: 'Asia/Tokyo' };
    const { page, api, requestedUrls } = await visit(
      'activity?kind=user',
      async (api) => {
        ada = (await live(api)).ada.id;
        const early = `UPDATE events SET occurred_at = '2026-01-31T14:59:59Z' WHERE organization_id = $1 AND type = $2`;
        await service().dataSource.query(early, [api.organizationId, 'user.created']);
      },
      inTokyo,
    );
    await expectSentences(page, [DELETED, CHANGED_TWO, CHANGED_ROLE, CREATED_GRACE, CREATED_ADA]);
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    await page.getByRole('heading', { name: 'Jan 31, 2026' }).waitFor();
    expect(await page.getByText('11:59 PM').first().getAttribute('title')).toBe('2026-01-31 14:59:59 UTC');
    await fills(page, { When: 'Today' });
    await expectSentences(page, [DELETED, CHANGED_TWO, CHANGED_ROLE]);
    await fills(page, { When: 'From … to …' });
    await fills(page, { 'First day': '2026-01-31', 'Last day': '2026-01-31' });
    await expectSentences(page, [CREATED_GRACE, CREATED_ADA]);
    expect(requestedUrls.at(-1)).toContain(
      'since=2026-01-30T15%3A00%3A00.000Z&until=2026-01-31T15%3A00%3A00.000Z',
    );
    await meetsWcag(page);
    await fills(page, { 'First day': '2026-02-01', 'Last day': '2026-02-02' });
    await shows(page, 'Nothing matches these filters.');
    await fills(page, { 'First day': '2026-01-31' });
    await expectSentences(page, [CREATED_GRACE, CREATED_ADA]);
    await entryOf(page, CREATED_ADA).locator('.entry .when').click();
    await entryOf(page, CREATED_ADA).getByRole('button', { name: 'Only what happened to this user' }).click();
    await expectSentences(page, [CREATED_ADA]);

    await entryOf(page, CREATED_ADA).locator('.sentence').getByRole('link', { name: 'Nightly sync' }).click();
    await headingOf(page, 'Nightly sync').waitFor();
    await page.goBack();
    await expectSentences(page, [CREATED_ADA]);
    await page.reload();
    await signIn(page, api.tokenValue);
    await expectSentences(page, [CREATED_ADA]);
    await shows(page, 'Only what happened to Ada Lovelace');
    expect(new URL(page.url()).searchParams.toString()).toBe(
      `kind=user&period=dates&from=2026-01-31&to=2026-02-02&target=${ada}`,
    );
  });

  it('names the members of groups, asks once for all of them, and leads to who is still there', async () => {
    const { page, requestedUrls } = await visit('activity', async (api) => {
      const people = [
        await api.createUser({ name: 'Ada Lovelace' }),
        await api.createUser({ name: 'Grace Hopper' }),
        await api.createUser({ name: 'Gone Again' }),
      ];
      const groups = service().app.get(GroupsService, { strict: false });
      const ids = people.map(({ id }) => id);
      const { id } = await groups.create(api.organizationId, { displayName: 'Contractors' }, ids.slice(0, 2));
      await groups.change(api.organizationId, id, [{ kind: 'remove', members: [ids[1]] }]);
      await api.post('/v1/tokens', { name: 'Between', scopes: ['admin'] }).expect(201);
      await groups.change(api.organizationId, id, [{ kind: 'add', members: [ids[2]] }]);
      await api.delete(`/api/v1/users/${ids[2]}`).expect(204);
    });
    await shows(page, 'The application removed Grace Hopper from the group Contractors');
    const shown = await sentences(page);
    expect(shown.filter((sentence) => sentence.includes('Contractors')).sort()).toEqual([
      'The application added Ada Lovelace to the group Contractors',
      'The application added Gone Again to the group Contractors',
      'The application added Grace Hopper to the group Contractors',
      'The application created the group Contractors',
      'The application removed Grace Hopper from the group Contractors',
    ]);
    expect(await page.getByRole('link', { name: 'Gone Again' }).count()).toBe(0);
    expect(requestedUrls.filter((url) => url.includes('/api/v1/users?'))).toHaveLength(1);
    const row = entryOf(page, 'added Ada Lovelace to');
    await row.locator('.entry .when').click();
    expect((await row.getByRole('row').allInnerTexts()).slice(1)).toEqual(['User\tAda Lovelace']);
    await meetsWcag(page);
    await row.locator('.sentence').getByRole('link', { name: 'Ada Lovelace' }).click();
    await headingOf(page, 'Ada Lovelace').waitFor();
    await shows(panelOf(page, 'Activity'), 'Test created Ada Lovelace');
    // Nothing leads to where one is.
    expect(await panelOf(page, 'Activity').getByRole('link', { name: 'Ada Lovelace' }).count()).toBe(0);
  });

  it('has an action on many in one row, which grows with what is loaded, and opens to each of them', async () => {
    const { page, requestedUrls } = await visit('activity', (api) => addPeople(api, 120));
    await shows(page, '100 entries, and older ones below');
    // The second page has only made the row longer: what else there is waits for a person.
    expect(await sentences(page)).toEqual(['Test created 100+ users']);
    expect(requestedUrls.filter((url) => url.includes('/api/v1/events?'))).toHaveLength(2);
    await entries(page).locator('.when').click();
    await entries(page).nth(100).waitFor();
    await buttonOf(page, 'Show older entries').click();
    await shows(page, 'That is everything.');
    await focusOn(entries(page).first().getByRole('button'));
    expect((await sentences(page)).filter((sentence) => !sentence.includes('Person'))).toEqual([
      'Test created 120 users',
      'The application created the token Test',
    ]);
    const each = page.getByText(/^Test created Person/);
    expect(await each.count()).toBe(120); // it is still open
    await meetsWcag(page);
    await page.keyboard.press('Enter');
    await each.first().waitFor({ state: 'hidden' });
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('table').waitFor();
  });

  it('is saved as CSV or NDJSON as far as it passes the filters, and waits for the rate limit', async () => {
    const { page, api, expectErrors } = await visit('activity?kind=user.created', (api) =>
      addPeople(api, 201),
    );
    await shows(page, '100 entries, and older ones below');
    const save = async (format: string) => {
      await buttonOf(page, 'Export').click();
      await dialogOf(page).getByRole('radio', { name: format, exact: true }).check();
      const download = page.waitForEvent('download');
      await submits(page, 'Save to a file');
      const file = await download;
      await shows(page, 'Saved 201 entries');
      await closed(page);
      return [
        file.suggestedFilename(),
        readFileSync(await file.path(), 'utf8')
          .trim()
          .split('\n'),
      ] as const;
    };
    const [csv, rows] = await save('CSV');
    expect([csv, rows.length, rows[0]]).toEqual([
      'activity.csv',
      202,
      'time,actor,onBehalfOf,action,targetId,targetName,requestId,changes',
    ]);
    expect(rows[1]).toMatch(/^\d{4}-[-\d:.T]+Z,Test,,user\.created,usr_\w{26},Person \d+,[-\w]+,"\{/);
    expectErrors(429);
    let refusals = 0;
    await page.route('**/api/v1/events?**cursor=**', (route) =>
      refusals++ < 1
        ? route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, json: { code: 'x', errors: [] } })
        : route.continue(),
    );
    const [ndjson, lines] = await save('NDJSON');
    expect([ndjson, lines.length, refusals]).toEqual(['activity.ndjson', 201, 2]);
    const { body } = await api.get('/api/v1/events?order=desc&type=user.created&limit=1').expect(200);
    expect(JSON.parse(lines[0])).toEqual(body.data[0]);

    await page.unroute('**/api/v1/events?**cursor=**');
    await page.route('**/api/v1/events?**cursor=**', () => {});
    await buttonOf(page, 'Export').click();
    await meetsWcag(page);
    await submits(page, 'Save to a file');
    await shows(page, '200 entries read so far');
    await dialogButton(page, 'Cancel').click();
    await closed(page);
    await focusOn(buttonOf(page, 'Export'));
  });

  it('says how much is new, as long as somebody is there and much of the rate limit is left', async () => {
    const { page, api, requestedUrls } = await visit('activity?kind=user', (api) => addPeople(api, 2), {
      hasClock: true,
    });
    await shows(page, '2 entries');
    const asked = () => requestedUrls.filter((url) => url.includes('limit=21')).length;
    const wait = async () => {
      const answer = page.waitForResponse((response) => response.url().includes('limit=21'));
      await page.clock.fastForward(25_000);
      await answer;
    };
    await api.createUser({ name: 'Ada' });
    await createToken(api, 'Not about users');
    await wait();
    await buttonOf(page, '1 new').waitFor();
    expect(await sentences(page)).toHaveLength(2);
    await api.createUser({ name: 'Grace' });
    await wait();
    await meetsWcag(page);
    await buttonOf(page, '2 new').click();
    await shows(page, 'Test created 4 users');
    await focusOn(entries(page).first().getByRole('button'));
    expect(await page.getByText(/^\d+ new$/).count()).toBe(0);

    await addPeople(api, 23); // two of them are there
    await wait();
    await buttonOf(page, '20+ new').click();
    await shows(page, 'Test created 25 users');

    const setHidden = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    let count = asked();
    await setHidden(true);
    await page.clock.fastForward(60_000);
    expect(asked()).toBe(count);
    const answer = page.waitForResponse((response) => response.url().includes('limit=21'));
    await setHidden(false); // it is time
    await answer;

    await page.route('**/api/v1/events?**', async (route) => {
      const response = await route.fetch();
      const reset = String(Math.ceil(Date.now() / 1000) + 3600);
      const headers = {
        'x-ratelimit-limit': '100',
        'x-ratelimit-remaining': '24',
        'x-ratelimit-reset': reset,
      };
      await route.fulfill({ response, headers: { ...response.headers(), ...headers } });
    });
    await wait(); // from its answer the page knows how little is left
    count = asked();
    await page.clock.fastForward(25_000);
    expect(asked()).toBe(count);
    await page.unroute('**/api/v1/events?**');

    // That the page asks is no sign of a person.
    await page.clock.fastForward('28:00');
    await page.clock.fastForward('02:00');
    await shows(page, '30 minutes of inactivity');
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
    const shown = (await sentences(page)).map((text) => text.match(/created Person (\d+)$/)?.[1]);
    expect(shown.slice(0, -1)).toEqual(Array.from({ length: 170 }, (_, n) => String(170 - n)));
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
    await focusOn(entries(page).nth(50).getByRole('button'));
    await shows(page, 'That is everything.');
    await page.keyboard.press('Enter');
    await page.getByRole('table').waitFor();
    await page.keyboard.press('Tab'); // passes over the names in the sentence, which the details have again
    await focusOn(page.getByRole('definition').getByRole('link', { name: /^Person/ }));
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
    await toSection(page, 'Webhooks');
    await toSection(page, 'Activity');
    const below = page.locator('.messages').getByText('The service failed.');
    await shows(page, 'The service failed.');
    expect(await below.count()).toBe(0); // it is where the entries would be
    await meetsWcag(page);
    await page.unroute('**/api/v1/events?**');
    await fail('**/api/v1/events?**cursor=**');
    const failed = page.waitForResponse((response) => response.url().includes('cursor='));
    await buttonOf(page, 'Try again').click();
    await entries(page).first().waitFor();
    await page.evaluate('scrollTo(0, 1e6)');
    await failed; // what failed before is gone by then
    await below.waitFor(); // in sight of who has scrolled
    expect(await entries(page).count()).toBe(50);
    const widthOf = async (selector: string) => (await page.locator(selector).first().boundingBox())?.width;
    expect(await widthOf('.day > .entries')).toBe(await widthOf('main > .heading'));
    await page.unroute('**/api/v1/events?**cursor=**');
    await buttonOf(page, 'Try again').click();
    await page.getByText('61 entries', { exact: true }).waitFor();
  });
});
