/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { meetsWcag } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import {
  actionsOf,
  ASKS_BEFORE_UNLOAD,
  buttonOf,
  chooseAction,
  closed,
  dialogButton,
  dialogOf,
  fills,
  focusOn,
  headingOf,
  hold,
  keyboardOf,
  panelOf,
  rowsOf,
  showAt,
  shows,
  submits,
  useDashboard,
} from '../support/dashboard';
import type { Client } from '../support/client';
import { type Receiver, verified } from '../support/receiver';
import { until } from '../support/until';
import { createWebhook, deliveriesOf, LATER, useReceivers, WEBHOOK_ENV, WEBHOOKS } from '../support/webhooks';

const secretOf = (page: Page) => page.getByRole('textbox', { name: 'Secret', exact: true });

const secretsIn = async (page: Page): Promise<string[]> =>
  (
    await page.evaluate<string>(
      `[document.documentElement.outerHTML, ...[...document.querySelectorAll('input, textarea')].map(({ value }) => value)].join()`,
    )
  ).match(/whsec_[A-Za-z0-9+/]{43}=/g) ?? [];

/** Copies the displayed secret, and closes the dialog. */
async function copySecret(page: Page): Promise<string> {
  const secret = await secretOf(page).inputValue();
  await buttonOf(page, 'Copy: Secret').click();
  await shows(page, 'Copied');
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
  await submits(page, 'Done');
  await closed(page);
  return secret;
}

const createLink = (page: Page) => page.getByRole('link', { name: 'Create webhook' });

/** Opens the lists of these groups of events. */
async function unfold(page: Page, ...groups: string[]): Promise<void> {
  for (const group of groups) await buttonOf(page, `Events: ${group}`).click();
}

/** Enters values in the form of the page, and sends it. */
async function sends(page: Page, button: string, values: Record<string, string | boolean>): Promise<void> {
  await fills(page.locator('.webhook-form'), values);
  await buttonOf(page, button).click();
}

/** Opens the details of the delivery in this row, the newest first. */
const openDelivery = (page: Page, n: number) =>
  page.getByRole('cell').getByRole('button', { expanded: false }).nth(n).click();

/** Presses Refresh until the text is there. */
const refreshUntil = (page: Page, text: string) =>
  until(async () => {
    await buttonOf(page, 'Refresh').click();
    return (await page.getByRole('cell').getByText(text).count()) > 0;
  }, 200);

/** The page of a webhook, from the list. */
async function openPage(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click();
  await panelOf(page, 'Deliveries').waitFor();
}

const SEND_FAILED = 'Send failed events again';

/** Waits until the list has as many deliveries, which are those of the chosen state. */
const listed = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();

/** Waits until the table has these rows, each of which says these words. */
const rowsSay = (page: Page, expected: string[][]) =>
  until(async () => {
    const rows = (await rowsOf(page)).map((row) => row.toLowerCase());
    return (
      rows.length === expected.length &&
      expected.every((words, i) => words.every((word) => rows[i].includes(word.toLowerCase())))
    );
  });

/** A webhook whose deliveries have failed, and that is enabled again. */
async function failedWebhook(api: Client, receiver: Receiver, count: number): Promise<string> {
  receiver.answer((response) => response.writeHead(500, LATER).end());
  const { id } = await createWebhook(api, { url: receiver.url });
  for (let i = 0; i < count; i++) await api.createUser();
  await deliveriesOf(api, id, (all) => all.length === count && all.every(({ attempts }) => attempts > 0));
  for (const enabled of [false, true]) await api.patch(`${WEBHOOKS}/${id}`, { enabled }).expect(200);
  receiver.received.splice(0);
  receiver.answer((response) => response.writeHead(204).end());
  return id;
}

describeInBrowser('webhooks in the dashboard', () => {
  const { visit, service } = useDashboard(WEBHOOK_ENV, { background: true });
  const receive = useReceivers();

  it('are created with a secret that is shown once, beside a receiver to copy', async () => {
    const receiver = await receive();
    const { page, api, expectErrors } = await visit('webhooks');
    expectErrors(400);
    await shows(page, 'There are no webhooks yet.');
    await meetsWcag(page);
    await createLink(page).click();
    await focusOn(headingOf(page, 'New webhook'));
    expect(page.url()).toMatch(/\/dashboard\/webhooks\/new$/);
    await sends(page, 'Create webhook', { URL: 'ftp://example.com' });
    await shows(page, 'must be an https URL', 'Select at least one type of events.');
    await meetsWcag(page);
    await unfold(page, 'Users');
    const values = {
      URL: receiver.url,
      Description: 'The mailing list',
      Content: 'thin',
      Order: 'organization',
    };
    await sends(page, 'Create webhook', { ...values, 'user.created': true, 'user.deleted': true });
    expect(await secretOf(page).inputValue()).toMatch(/^whsec_/);
    await shows(dialogOf(page), 'Verify the signature', 'within 15 seconds', 'the same event twice');
    expect(await page.getByRole('textbox', { name: 'A receiver in Node' }).inputValue()).toContain(
      `import { Webhook } from 'standardwebhooks'`,
    );
    await meetsWcag(page);
    await submits(page, 'Done');
    await shows(page, 'Have you saved the secret?');
    await meetsWcag(page);
    await submits(page, 'Back');
    const secret = await copySecret(page);
    await focusOn(headingOf(page, 'The mailing list'));
    expect(await secretsIn(page)).toEqual([]);
    await page.getByText('What the receiver must do').click();
    await shows(page, 'within 15 seconds');
    await meetsWcag(page);
    await page.goBack(); // to the list: the form is gone
    await shows(page, '1 webhook');
    const [row] = await rowsOf(page);
    for (const text of ['The mailing list', receiver.url, 'user.created', 'user.deleted', 'enabled'])
      expect(row.toLowerCase()).toContain(text.toLowerCase()); // styles capitalize it
    expect((await api.get(WEBHOOKS).expect(200)).body.data).toMatchObject([
      { payload: 'thin', ordering: 'organization', types: ['user.created', 'user.deleted'] },
    ]);
    await api.createUser();
    verified(secret, (await receiver.until(1))[0]);
  });

  it('show what has been sent, send a test, and send an event again', async () => {
    const receiver = await receive();
    receiver.answer((response) => response.writeHead(500).end());
    const url = `${receiver.url}/${'x'.repeat(2_000)}`;
    const { page } = await visit('webhooks', async (api) => {
      const { id } = await createWebhook(api, { url });
      await createWebhook(api, { description: 'x'.repeat(200), url: `${url}y`, enabled: false });
      await api.createUser();
      await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
    });
    await shows(page, 'First failed');
    await actionsOf(page, url).click();
    await meetsWcag(page);
    await page.keyboard.press('Escape');
    for (const name of ['Rotate secret', 'Delete']) {
      await chooseAction(page, name, url);
      await dialogOf(page).waitFor();
      await meetsWcag(page);
      await submits(page, 'Cancel');
      await closed(page);
    }
    await openPage(page, url);
    await shows(page, '1 delivery');
    await rowsSay(page, [['User created', 'pending', '500', ' ms']]);
    receiver.answer((response) => response.writeHead(204).end());
    await buttonOf(page, 'Send a test').click();
    await shows(page, 'A test is being sent.');
    await refreshUntil(page, '204');
    await openDelivery(page, 0);
    await shows(page, 'The receiver responded with status 204');
    await meetsWcag(page);
    expect(await buttonOf(page, 'Send again').count()).toBe(0); // of a test
    await shows(panelOf(page, 'Webhook'), 'enabled'); // no longer failing
    await openDelivery(page, 0); // of those that are closed
    await buttonOf(page, 'Send again').click();
    await shows(page, 'The event is being sent again.');
    await receiver.until(
      (received) => received.filter(({ event }) => event.type === 'user.created').length > 1,
    );
  });

  it('say in words why nothing was delivered, how long it took, and when it is tried next', async () => {
    const receiver = await receive();
    let id = '';
    const { page } = await visit('webhooks', async (api) => {
      ({ id } = await createWebhook(api, { url: receiver.url, description: 'Wiki' }));
      for (const status of [204, 500]) {
        receiver.answer((response) => response.writeHead(status, LATER).end());
        await api.createUser();
        await deliveriesOf(api, id, ([first]) => first?.lastStatus === status);
      }
      await api.patch(`${WEBHOOKS}/${id}`, { url: 'http://127.0.0.1:1/' }).expect(200);
      await api.createUser();
      await deliveriesOf(api, id, ([first]) => first.lastError === 'refused');
    });
    await openPage(page, 'Wiki');
    const rows = [
      ['pending refused', ' ms'],
      ['pending 500', ' ms'],
      ['delivered 204', ' ms'],
    ];
    await rowsSay(page, rows);
    expect(page.url()).toContain(`/dashboard/webhooks/${id}`);
    for (const [n, ...texts] of [
      [0, 'The receiver refused the connection', /^in (a moment|\d minutes?)$/], // the second follows after 5 seconds
      [1, 'The receiver responded with status 500', 'in 10 minutes'],
    ] as const) {
      await page.getByRole('cell').getByRole('button', { name: 'User created' }).nth(n).click();
      await shows(page.locator('.delivery'), ...texts);
    }
    await meetsWcag(page);
    await page.locator('.delivery').getByRole('link', { name: 'Test created' }).waitFor();
    await page.getByRole('button', { expanded: true }).and(page.locator('td button')).click();
    await page.locator('.delivery').waitFor({ state: 'detached' });
    await page.getByRole('radio', { name: 'Pending' }).check({ force: true });
    await rowsSay(page, rows.slice(0, 2));
    expect(page.url()).toContain('?state=pending');
    await page.getByRole('radio', { name: 'Failed' }).check({ force: true });
    await shows(page, 'Nothing has failed.');
    await meetsWcag(page);
    await page.getByRole('radio', { name: 'Delivered' }).check({ force: true });
    await rowsSay(page, rows.slice(2));
    await showAt(page, `webhooks/${id}?state=pending`);
    await listed(page, '2 deliveries');
  });

  it('send again what has failed, and nothing that has been delivered since', async () => {
    const receiver = await receive();
    let id = '';
    const { page, api } = await visit('webhooks', async (api) => {
      id = await failedWebhook(api, receiver, 4);
      const [newest] = await deliveriesOf(api, id, () => true);
      await api.post(`${WEBHOOKS}/${id}/redeliver`, { eventId: newest.eventId }).expect(202);
      await receiver.until(1);
      await api.post(`${WEBHOOKS}/${id}/test`).expect(202);
      await deliveriesOf(api, id, (all) => all.filter(({ state }) => state === 'delivered').length === 2);
    });
    await openPage(page, receiver.url);
    await buttonOf(page, SEND_FAILED).click();
    await shows(page, 'Send 3 events again?');
    await meetsWcag(page);
    await submits(page, 'Cancel');
    await closed(page);
    expect(receiver.received).toHaveLength(2);
    await buttonOf(page, SEND_FAILED).click();
    await submits(page, 'Send 3 events');
    await closed(page);
    await shows(page, '3 events are being sent again.');
    await receiver.until(5);
    await deliveriesOf(api, id, (all) => all.filter(({ state }) => state === 'delivered').length === 5);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(5); // nothing twice

    await buttonOf(page, SEND_FAILED).click();
    await shows(
      page,
      'Every event that failed has been delivered since. Pending ones are tried again by themselves.',
    );
    await meetsWcag(page);
    await submits(page, 'Done');
    await closed(page);
    await focusOn(buttonOf(page, SEND_FAILED));
  });

  it('find what has failed on all pages of the list', async () => {
    const receiver = await receive();
    let id = '';
    const { page } = await visit('webhooks', async (api) => {
      ({ id } = await createWebhook(api, { url: receiver.url, types: ['user.deleted'] }));
      // As many events as there are deliveries, of which every third was delivered later, and one waits.
      const inserted = `INSERT INTO webhook_deliveries (organization_id, id, webhook_id, event_id, type, is_beside, state,
          attempts, next_attempt_at, created_at)
        SELECT $1, 'dlv_' || $3 || n, $2, 'evt_01kacpb2w5' || lpad(n::text, 16, '0'), 'user.deleted', false, $3, 1,
          now() + interval '1 hour', now() + n * interval '1 millisecond'`;
      for (const [state, numbers] of [
        ['failed', 'generate_series(1, 450) AS n'],
        ['delivered', 'generate_series(3, 450, 3) AS n'],
        ['pending', 'generate_series(1, 1) AS n'],
      ])
        await service().dataSource.query(`${inserted} FROM ${numbers}`, [api.organizationId, id, state]);
    });
    await openPage(page, receiver.url);
    await buttonOf(page, SEND_FAILED).click();
    await shows(page, 'Send 299 events again?');
  });

  it('say that too much waits, that an event is kept no longer, and go on where they stopped', async () => {
    const receiver = await receive();
    let id = '';
    const { page, api, expectErrors } = await visit('webhooks', async (api) => {
      id = await failedWebhook(api, receiver, 6);
      receiver.answer(() => {});
      const [newest] = await deliveriesOf(api, id, () => true);
      await service().dataSource.query(
        `INSERT INTO webhook_deliveries (organization_id, id, webhook_id, event_id, type, is_beside, attempts, next_attempt_at)
         SELECT $1, 'dlv_' || n, $2, 'evt_' || n, 'user.created', false, 1, now() + interval '1 day'
         FROM generate_series(1, 9998) AS n`,
        [api.organizationId, id],
      );
      const gone = [api.organizationId, newest.eventId];
      await service().dataSource.query('DELETE FROM events WHERE organization_id = $1 AND id = $2', gone);
    });
    expectErrors(404, 409);
    await openPage(page, receiver.url);
    await buttonOf(page, SEND_FAILED).click();
    await submits(page, 'Send 6 events');
    await shows(page, 'already has 10,000 pending deliveries', '2 of 6 events being sent again');
    await meetsWcag(page);
    await service().dataSource.query(
      `DELETE FROM webhook_deliveries WHERE organization_id = $1 AND next_attempt_at > now() + interval '12 hours'`,
      [api.organizationId],
    );
    await submits(page, 'Try again');
    await shows(page, '5 of 6 events being sent again; 1 kept no longer.');
    await meetsWcag(page);
    await submits(page, 'Close');
    await closed(page);
    await deliveriesOf(api, id, (all) => all.filter(({ state }) => state === 'pending').length === 5);
  });

  it('stop sending failed events again when they are asked to, and say how far they have got', async () => {
    const receiver = await receive();
    const { page } = await visit('webhooks', (api) => failedWebhook(api, receiver, 9));
    await openPage(page, receiver.url);
    await buttonOf(page, SEND_FAILED).click();
    const release = await hold(page, '**/redeliver');
    await submits(page, 'Send 9 events');
    await shows(page, '0 of 9 events');
    await focusOn(dialogButton(page, 'Stop'));
    expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(true);
    await page.keyboard.press('Escape');
    await shows(page, 'Stop here?');
    await submits(page, 'Continue');
    await submits(page, 'Stop');
    await shows(page, 'It stops as soon as the current part is done.');
    release();
    await closed(page);
    await shows(page, '4 events are being sent again.'); // that were on their way
    await receiver.until(4);
    expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(false);
  });

  it('say why they have been disabled, are edited, and are switched on again', async () => {
    const receiver = await receive();
    receiver.answer((response) => response.writeHead(410).end());
    let id = '';
    const { page, api } = await visit('webhooks', async (api) => {
      ({ id } = await createWebhook(api, { url: receiver.url, types: ['*'] }));
      await deliveriesOf(api, id, ([first]) => first?.state === 'failed');
    });
    receiver.answer((response) => response.writeHead(204).end());
    await shows(page, 'The receiver answered that it is gone.');
    await meetsWcag(page);
    await openPage(page, receiver.url);
    await rowsSay(page, [['Webhook created', 'failed', '410']]);
    await openDelivery(page, 0);
    await shows(page, 'The receiver responded with status 410', 'created the webhook');
    await shows(panelOf(page, 'Webhook'), 'The receiver answered that it is gone.');
    await shows(page, 'Nothing can be sent while the webhook is disabled.');
    for (const name of ['Send a test', SEND_FAILED])
      expect(await buttonOf(page, name).getAttribute('aria-disabled')).toBe('true');
    expect(await buttonOf(page, 'Send again').count()).toBe(0);
    await buttonOf(page, 'Edit').click();
    await focusOn(page.getByLabel('URL'));
    expect(await page.getByLabel('All events').isChecked()).toBe(true);
    await page.getByRole('checkbox', { name: /^Enabled/ }).check();
    await sends(page, 'Save webhook', { Description: 'Back', Content: 'thin' });
    await headingOf(page, 'Back').waitFor();
    await focusOn(buttonOf(page, 'Edit'));
    await page.getByText('enabled', { exact: true }).waitFor();
    const stored = async () => (await api.get(`${WEBHOOKS}/${id}`).expect(200)).body;
    const back = { enabled: true, disabledReason: null, description: 'Back', payload: 'thin', types: ['*'] };
    expect(await stored()).toMatchObject(back);

    await page.getByRole('link', { name: 'Webhooks' }).first().click();
    await chooseAction(page, 'Edit', 'Back');
    const url = 'https://example.org/other';
    await page.getByRole('checkbox', { name: /^Enabled/ }).uncheck();
    await fills(page, { 'All events': false });
    await unfold(page, 'Tokens');
    await sends(page, 'Save webhook', { 'token.revoked': true, URL: url });
    await shows(page, url);
    expect(await stored()).toMatchObject({ url, types: ['token.revoked'], enabled: false });
  });

  it('are sent all events of a group, some of them, or whatever there will be', async () => {
    const { page, api } = await visit('webhooks/new');
    const users = page.getByRole('checkbox', { name: /^Users.*events$/ });
    const isPartly = () => users.evaluate((box: HTMLInputElement) => box.indeterminate);
    const one = page.getByRole('checkbox', { name: /user\.purged/ });
    await unfold(page, 'Users');
    await users.check();
    expect(await one.isChecked()).toBe(true);
    await one.uncheck();
    await shows(page, '4 of 5 events');
    expect([await isPartly(), await users.isChecked()]).toEqual([true, false]);
    await meetsWcag(page);
    await users.click();
    expect([await isPartly(), await users.isChecked(), await one.isChecked()]).toEqual([false, true, true]);
    await one.uncheck();
    await page.getByRole('checkbox', { name: /^Organization/ }).check();
    await page.getByLabel('All events').check();
    expect(await users.count()).toBe(0);
    await page.getByLabel('All events').uncheck(); // what was chosen is still there
    await sends(page, 'Create webhook', { URL: 'http://127.0.0.1:1/' });
    await copySecret(page);
    const { body } = await api.get(WEBHOOKS).expect(200);
    expect(body.data[0].types.sort()).toEqual([
      'organization.resumed',
      'organization.suspended',
      'user.created',
      'user.deleted',
      'user.restored',
      'user.updated',
    ]);
  });

  it('ask before what was entered is lost, and keep it if it is to be kept', async () => {
    let id = '';
    const { page } = await visit('webhooks', async (api) => {
      ({ id } = await createWebhook(api, { description: 'Wiki' }));
    });
    const asked = dialogOf(page).getByRole('heading', { name: 'Discard your changes?' });
    await openPage(page, 'Wiki');
    await buttonOf(page, 'Edit').click();
    await page.keyboard.press('Escape'); // nothing was entered
    await focusOn(buttonOf(page, 'Edit'));
    await buttonOf(page, 'Edit').click();
    await fills(page, { Description: 'Other' });
    expect(await page.evaluate(ASKS_BEFORE_UNLOAD)).toBe(true);
    for (const leave of [
      () => page.goBack(),
      () => page.getByRole('link', { name: 'API tokens' }).click(),
      () => page.keyboard.press('Escape'),
    ]) {
      await leave();
      await asked.waitFor();
      await meetsWcag(page);
      await submits(page, 'Keep editing');
      await closed(page);
      expect(await page.getByLabel('Description').inputValue()).toBe('Other');
      await page.getByLabel('Description').focus();
    }
    await buttonOf(page, 'Cancel').click();
    await submits(page, 'Discard changes');
    await focusOn(buttonOf(page, 'Edit'));
    await headingOf(page, 'Wiki').waitFor();
    expect(page.url()).toMatch(new RegExp(`/webhooks/${id}$`));

    await page.getByRole('link', { name: 'Webhooks' }).first().click();
    await createLink(page).click();
    await page.getByRole('checkbox', { name: /^Groups/ }).check(); // boxes count, too
    for (const leave of [
      () => page.getByRole('link', { name: 'Users' }).click(),
      () => buttonOf(page, 'Cancel').click(),
    ]) {
      await leave();
      await asked.waitFor();
      await submits(page, 'Keep editing');
      await closed(page);
    }
    expect(await page.getByRole('checkbox', { name: /^Groups/ }).isChecked()).toBe(true);
    await buttonOf(page, 'Cancel').click();
    await submits(page, 'Discard changes');
    await focusOn(headingOf(page, 'Webhooks')); // which are not asked about again
  });

  it('have a page that says that there is none, and one from which they are deleted', async () => {
    let id = '';
    const { page, expectErrors } = await visit('webhooks', async (api) => {
      ({ id } = await createWebhook(api, { description: 'Wiki' }));
    });
    expectErrors(404);
    await openPage(page, 'Wiki');
    await shows(page, 'Nothing has been sent yet.');
    await chooseAction(page, 'Rotate secret', 'Wiki');
    await submits(page, 'Rotate secret');
    await copySecret(page);
    await chooseAction(page, 'Delete', 'Wiki');
    await submits(page, 'Delete webhook');
    await focusOn(headingOf(page, 'Webhooks'));
    await shows(page, 'There are no webhooks yet.');
    await showAt(page, `webhooks/${id}`);
    await page.getByRole('link', { name: 'See all webhooks' }).waitFor();
    await meetsWcag(page);
  });

  it('can be created, tested, edited, given another secret and deleted with the keyboard alone', async () => {
    const receiver = await receive();
    const { page, api } = await visit('tokens');
    const { press, tabTo, enter, type } = keyboardOf(page);
    /** Chooses an action in a row's menu by its first letters. */
    const choose = async (action: string, name: string) => {
      await enter('button', `Actions for ${name}`);
      const item = page.getByRole('menuitem', { name: action }).and(page.locator(':focus'));
      for (let i = 0; i < 4 && (await item.count()) === 0; i++) await press(action[0]);
      await press('Enter');
    };
    const copy = async (): Promise<string> => {
      await secretOf(page).waitFor();
      await enter('button', 'Copy: Secret');
      await shows(page, 'Copied');
      await press('Escape');
      await closed(page);
      return page.evaluate('navigator.clipboard.readText()');
    };

    await focusOn(headingOf(page, 'API tokens')); // which signing in gives it
    await enter('link', 'Webhooks', 'Shift+Tab');
    await shows(page, 'There are no webhooks yet.');
    await enter('link', 'Create webhook');
    await focusOn(headingOf(page, 'New webhook'));
    await tabTo('textbox', 'URL');
    await type(receiver.url);
    await enter('button', 'Events: Users');
    await tabTo('checkbox', /user\.created/);
    await press('Space');
    await enter('button', 'Create webhook');
    const first = await copy();
    await focusOn(headingOf(page, receiver.url));
    await enter('button', 'Send a test');
    await shows(page, 'A test is being sent.');
    await receiver.until(1);
    await enter('link', 'Webhooks', 'Shift+Tab');
    await focusOn(headingOf(page, 'Webhooks'));

    await choose('Edit', receiver.url);
    await focusOn(page.getByLabel('URL'));
    await tabTo('textbox', 'Description');
    await type('By hand');
    await enter('button', 'Save webhook');
    await focusOn(buttonOf(page, 'Edit'));
    await enter('link', 'Webhooks', 'Shift+Tab');

    await choose('Rotate secret', 'By hand');
    await focusOn(dialogButton(page, 'Cancel'));
    await press('Shift+Tab');
    await focusOn(page.getByLabel('The old secret still signs for'));
    await type('7');
    await enter('button', 'Rotate secret');
    const second = await copy();
    expect(second).not.toBe(first);
    await api.createUser();
    const [, message] = await receiver.until(2);
    for (const secret of [first, second]) verified(secret, message);

    await choose('Delete', 'By hand');
    await focusOn(dialogButton(page, 'Cancel'));
    await enter('button', 'Delete webhook');
    await focusOn(headingOf(page, 'Webhooks'));
    await shows(page, 'There are no webhooks yet.');
    expect((await api.get(WEBHOOKS).expect(200)).body.data).toEqual([]);
  });
});
