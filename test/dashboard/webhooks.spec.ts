/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { meetsWcag } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import {
  actionsOf,
  buttonOf,
  chooseAction,
  closed,
  dialogButton,
  dialogOf,
  focusOn,
  headingOf,
  keyboardOf,
  rowsOf,
  shows,
  submits,
  useDashboard,
} from '../support/dashboard';
import { verified } from '../support/receiver';
import { until } from '../support/until';
import { createWebhook, deliveriesOf, useReceivers, WEBHOOK_ENV, WEBHOOKS } from '../support/webhooks';

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
    return (await dialogOf(page).getByText(text).count()) > 0;
  }, 200);

describeInBrowser('webhooks in the dashboard', () => {
  const { visit } = useDashboard(WEBHOOK_ENV, { background: true });
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
    await chooseAction(page, 'Deliveries', url);
    await shows(page, '1 delivery');
    await shows(dialogOf(page), 'Status 500', 'pending');
    receiver.answer((response) => response.writeHead(204).end());
    await submits(page, 'Send a test');
    await shows(page, 'A test is being sent.');
    await meetsWcag(page);
    await refreshUntil(page, 'Status 204');
    await submits(page, 'Send again: user.created');
    await shows(page, 'The event is being sent again.');
    await receiver.until(
      (received) => received.filter(({ event }) => event.type === 'user.created').length > 1,
    );
    expect(await buttonOf(page, 'Send again: webhook.test').count()).toBe(0);
    await submits(page, 'Done');
    await closed(page);
    await page.getByText('enabled', { exact: true }).waitFor(); // no longer failing
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
    await chooseAction(page, 'Deliveries', receiver.url);
    await shows(page, 'Status 410');
    expect(await buttonOf(page, 'Send a test').getAttribute('aria-disabled')).toBe('true');
    expect(await page.getByRole('button', { name: /^Send again/ }).count()).toBe(0);
    await submits(page, 'Done');
    await chooseAction(page, 'Edit', receiver.url);
    expect(await dialogOf(page).getByLabel('All events').isChecked()).toBe(true);
    await page.getByRole('checkbox', { name: /^Enabled/ }).check();
    await submits(page, 'Save webhook', { Description: 'Back', Content: 'thin' });
    await closed(page);
    await page.getByText('enabled', { exact: true }).waitFor();
    const stored = async () => (await api.get(`${WEBHOOKS}/${id}`).expect(200)).body;
    const back = { enabled: true, disabledReason: null, description: 'Back', payload: 'thin', types: ['*'] };
    expect(await stored()).toMatchObject(back);

    await chooseAction(page, 'Edit', 'Back');
    const url = 'https://example.org/other';
    await page.getByRole('checkbox', { name: /^Enabled/ }).uncheck();
    await submits(page, 'Save webhook', { 'All events': false, 'token.revoked': true, URL: url });
    await shows(page, url);
    expect(await stored()).toMatchObject({ url, types: ['token.revoked'], enabled: false });
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
    await choose('Deliveries', receiver.url);
    await enter('button', 'Send a test');
    await shows(page, 'A test is being sent.');
    await receiver.until(1);
    await press('Escape');
    await focusOn(actionsOf(page, receiver.url));

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
