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
    await buttonOf(page, 'Create webhook').click();
    await submits(page, 'Create webhook', { URL: 'ftp://example.com' });
    await shows(page, 'must be an https URL', 'Select at least one type of events.');
    await meetsWcag(page);
    const values = {
      URL: receiver.url,
      Description: 'The mailing list',
      Content: 'thin',
      Order: 'organization',
    };
    await submits(page, 'Create webhook', { ...values, 'user.created': true, 'user.deleted': true });
    expect(await secretOf(page).inputValue()).toMatch(/^whsec_/);
    expect(await page.getByRole('textbox', { name: 'A receiver that verifies it' }).inputValue()).toContain(
      `import { Webhook } from 'standardwebhooks'`,
    );
    await meetsWcag(page);
    await submits(page, 'Done');
    await shows(page, 'Have you saved the secret?');
    await meetsWcag(page);
    await submits(page, 'Back');
    const secret = await copySecret(page);
    expect(await secretsIn(page)).toEqual([]);
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
      await createWebhook(api, { description: 'x'.repeat(200), enabled: false });
      await api.createUser();
      await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
    });
    await shows(page, 'First failed');
    await actionsOf(page, url).click();
    await meetsWcag(page);
    await page.keyboard.press('Escape');
    for (const name of ['Edit', 'Rotate secret', 'Delete']) {
      await chooseAction(page, name, url);
      await dialogOf(page).waitFor();
      await meetsWcag(page);
      await submits(page, 'Cancel');
      await closed(page);
    }
    await openPage(page, url);
    await shows(page, '1 delivery');
    await rowsSay(page, [['user.created', 'pending', 'The receiver responded with status 500', ' ms']]);
    receiver.answer((response) => response.writeHead(204).end());
    await buttonOf(page, 'Send a test').click();
    await shows(page, 'A test is being sent.');
    await refreshUntil(page, 'status 204');
    await meetsWcag(page);
    await shows(panelOf(page, 'Webhook'), 'enabled'); // no longer failing
    await buttonOf(page, 'Send again: user.created').click();
    await shows(page, 'The event is being sent again.');
    await receiver.until(
      (received) => received.filter(({ event }) => event.type === 'user.created').length > 1,
    );
    expect(await buttonOf(page, 'Send again: webhook.test').count()).toBe(0);
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
      ['pending', 'The receiver refused the connection', ' ms'],
      ['pending', 'The receiver responded with status 500', ' ms', 'in 10 minutes'],
      ['delivered', 'The receiver responded with status 204', ' ms', 'None'],
    ];
    await rowsSay(page, rows);
    expect(page.url()).toContain(`/dashboard/webhooks/${id}`);
    expect((await rowsOf(page))[0]).toMatch(/ ms [12] in (a moment|\d minutes?)/); // which follows after 5 seconds
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
    await rowsSay(page, [['webhook.created', 'failed', 'status 410']]);
    await shows(panelOf(page, 'Webhook'), 'The receiver answered that it is gone.');
    await shows(page, 'Nothing can be sent while the webhook is disabled.');
    for (const name of ['Send a test', SEND_FAILED])
      expect(await buttonOf(page, name).getAttribute('aria-disabled')).toBe('true');
    expect(await page.getByRole('button', { name: /^Send again/ }).count()).toBe(0);
    await buttonOf(page, 'Edit').click();
    expect(await dialogOf(page).getByLabel('All events').isChecked()).toBe(true);
    await page.getByRole('checkbox', { name: /^Enabled/ }).check();
    await submits(page, 'Save webhook', { Description: 'Back', Content: 'thin' });
    await closed(page);
    await headingOf(page, 'Back').waitFor();
    await page.getByText('enabled', { exact: true }).waitFor();
    const stored = async () => (await api.get(`${WEBHOOKS}/${id}`).expect(200)).body;
    const back = { enabled: true, disabledReason: null, description: 'Back', payload: 'thin', types: ['*'] };
    expect(await stored()).toMatchObject(back);

    await page.getByRole('link', { name: 'Webhooks' }).first().click();
    await chooseAction(page, 'Edit', 'Back');
    const url = 'https://example.org/other';
    await page.getByRole('checkbox', { name: /^Enabled/ }).uncheck();
    await submits(page, 'Save webhook', { 'All events': false, 'token.revoked': true, URL: url });
    await shows(page, url);
    expect(await stored()).toMatchObject({ url, types: ['token.revoked'], enabled: false });
  });

  it('have a page that says that there is none, and one from which they are deleted', async () => {
    let id = '';
    const { page, expectErrors } = await visit('webhooks', async (api) => {
      ({ id } = await createWebhook(api, { description: 'Wiki' }));
    });
    expectErrors(404);
    await openPage(page, 'Wiki');
    await shows(page, 'Nothing has been sent yet.');
    await buttonOf(page, 'Rotate secret').click();
    await submits(page, 'Rotate secret');
    await copySecret(page);
    await buttonOf(page, 'Delete').click();
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

    await enter('link', 'Webhooks', 'Shift+Tab');
    await shows(page, 'There are no webhooks yet.');
    await enter('button', 'Create webhook');
    await focusOn(page.getByLabel('URL'));
    await type(receiver.url);
    await tabTo('checkbox', /user\.created/);
    await press('Space');
    await enter('button', 'Create webhook');
    const first = await copy();
    expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BODY');

    await actionsOf(page, receiver.url).waitFor();
    await enter('link', receiver.url);
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
    await closed(page);
    await focusOn(actionsOf(page, 'By hand'));

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
