/**
 * @slow it drives a browser
 * @only embedded postgres: the requests of the dashboard are those of the API
 */
import type { Page } from 'playwright-core';
import { accessibilityFaults, prepareAccessibility } from '../support/accessibility';
import { describeInBrowser } from '../support/browser';
import { actionsOf, chooseAction, dialogButton, rowsOf, signIn, useDashboard } from '../support/dashboard';
import { verified } from '../support/receiver';
import { createWebhook, deliveriesOf, useReceivers, WEBHOOK_ENV, WEBHOOKS } from '../support/webhooks';

const CLIPBOARD = { permissions: ['clipboard-read', 'clipboard-write'] };

const toWebhooks = async (page: Page) => {
  await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
  await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
};

const dialog = (page: Page) => page.getByRole('dialog');
const closed = (page: Page) => dialog(page).waitFor({ state: 'detached' });
const secretsIn = async (page: Page): Promise<string[]> =>
  (
    await page.evaluate<string>(
      `[document.documentElement.outerHTML, ...[...document.querySelectorAll('input, textarea')].map(({ value }) => value)].join()`,
    )
  ).match(/whsec_[A-Za-z0-9+/]{43}=/g) ?? [];

/** Presses Refresh until the text is there. */
async function refreshUntil(page: Page, text: string): Promise<void> {
  for (let look = 0; look < 600; look++) {
    if ((await dialog(page).getByText(text).count()) > 0) return;
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.waitForTimeout(200);
  }
  throw new Error(`${text} does not come.`);
}

describeInBrowser('webhooks in the dashboard', () => {
  const { visit } = useDashboard(WEBHOOK_ENV, { background: true });
  const receive = useReceivers();

  it('are created with a secret that is shown once, beside a receiver to copy', async () => {
    const receiver = await receive();
    const { page, api } = await visit(CLIPBOARD);
    await toWebhooks(page);
    await page.getByText('There are no webhooks yet.').waitFor();
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByLabel('Description').fill('The mailing list');
    await page.getByRole('checkbox', { name: 'user.created' }).check();
    await page.getByRole('checkbox', { name: 'user.deleted' }).check();
    await page.getByLabel('Content').selectOption('thin');
    await page.getByLabel('Order').selectOption('organization');
    await dialogButton(page, 'Create webhook').click();
    const secret = await page.getByRole('textbox', { name: 'Secret', exact: true }).inputValue();
    expect(secret).toMatch(/^whsec_/);
    expect(await page.getByRole('textbox', { name: 'A receiver that verifies it' }).inputValue()).toContain(
      `import { Webhook } from 'standardwebhooks'`,
    );
    await dialogButton(page, 'Done').click();
    await page.getByText('Have you saved the secret?').waitFor();
    await dialogButton(page, 'Back').click();
    await page.getByRole('button', { name: 'Copy: Secret' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await dialogButton(page, 'Done').click();
    await closed(page);
    expect(await secretsIn(page)).toEqual([]);
    await page.getByText('1 webhook').waitFor();
    const [row] = await rowsOf(page);
    for (const text of ['The mailing list', receiver.url, 'user.created', 'user.deleted', 'enabled'])
      expect(row.toLowerCase()).toContain(text.toLowerCase()); // styles capitalize it
    expect((await api.get(WEBHOOKS).expect(200)).body.data).toMatchObject([
      { payload: 'thin', ordering: 'organization', types: ['user.created', 'user.deleted'] },
    ]);
    await api.createUser();
    verified(secret, (await receiver.until(1))[0]);
  });

  it('say what is wrong with a new one', async () => {
    const { page, expectErrors } = await visit();
    expectErrors(400);
    await toWebhooks(page);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByLabel('URL').fill('ftp://example.com');
    await dialogButton(page, 'Create webhook').click();
    await page.getByText('must be an https URL').waitFor();
    await page.getByText('Select at least one type of events.').waitFor();
  });

  it('show what has been sent, send a test, and send an event again', async () => {
    const receiver = await receive();
    receiver.answer((response) => response.writeHead(500).end());
    const { page, api } = await visit({}, async (api) => {
      const { id } = await createWebhook(api, { url: receiver.url });
      await api.createUser();
      await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
    });
    await toWebhooks(page);
    await page.getByText('First failed').waitFor();
    await chooseAction(page, 'Deliveries', receiver.url);
    await page.getByText('1 delivery').waitFor();
    await dialog(page).getByText('Status 500').waitFor();
    await dialog(page).getByText('pending').waitFor();
    receiver.answer((response) => response.writeHead(204).end());
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('A test is being sent.').waitFor();
    await refreshUntil(page, 'Status 204');
    await page.getByRole('button', { name: 'Send again: user.created' }).click();
    await page.getByText('The event is being sent again.').waitFor();
    await receiver.until(
      (received) => received.filter(({ event }) => event.type === 'user.created').length > 1,
    );
    expect(await page.getByRole('button', { name: 'Send again: webhook.test' }).count()).toBe(0);
    await dialogButton(page, 'Done').click();
    await closed(page);
    await page.getByText('enabled', { exact: true }).waitFor(); // no longer failing
    expect((await api.get('/api/v1/events?type=webhook.disabled')).body.data).toEqual([]);
  });

  it('get another secret, beside which the old one signs for a while', async () => {
    const receiver = await receive();
    let first = '';
    const { page, api } = await visit(CLIPBOARD, async (api) => {
      first = (await createWebhook(api, { url: receiver.url })).secret;
    });
    await toWebhooks(page);
    await chooseAction(page, 'Rotate secret', receiver.url);
    await page.getByLabel('The old secret still signs for').selectOption('7 days');
    await dialogButton(page, 'Rotate secret').click();
    const second = await page.getByRole('textbox', { name: 'Secret', exact: true }).inputValue();
    await page.getByRole('button', { name: 'Copy: Secret' }).click();
    await page.getByText('Copied').waitFor();
    await dialogButton(page, 'Done').click();
    await closed(page);
    expect(second).not.toBe(first);
    await api.createUser();
    const [message] = await receiver.until(1);
    for (const secret of [first, second]) verified(secret, message);
  });

  it('say why they have been disabled, and are switched on again', async () => {
    const receiver = await receive();
    receiver.answer((response) => response.writeHead(410).end());
    let id = '';
    const { page, api } = await visit({}, async (api) => {
      ({ id } = await createWebhook(api, { url: receiver.url, types: ['*'] }));
      await deliveriesOf(api, id, ([first]) => first?.state === 'failed');
    });
    receiver.answer((response) => response.writeHead(204).end());
    await toWebhooks(page);
    await page.getByText('The receiver answered that it is gone.').waitFor();
    await chooseAction(page, 'Deliveries', receiver.url);
    await page.getByText('Status 410').waitFor();
    expect(await page.getByRole('button', { name: 'Send a test' }).getAttribute('aria-disabled')).toBe(
      'true',
    );
    expect(await page.getByRole('button', { name: /^Send again/ }).count()).toBe(0);
    await dialogButton(page, 'Done').click();
    await chooseAction(page, 'Edit', receiver.url);
    expect(await page.getByRole('checkbox', { name: /^All events/ }).isChecked()).toBe(true);
    await page.getByRole('checkbox', { name: /^Enabled/ }).check();
    await page.getByLabel('Description').fill('Back');
    await page.getByLabel('Content').selectOption('thin');
    await dialogButton(page, 'Save webhook').click();
    await closed(page);
    await page.getByText('enabled', { exact: true }).waitFor();
    expect((await api.get(`${WEBHOOKS}/${id}`)).body).toMatchObject({
      enabled: true,
      disabledReason: null,
      description: 'Back',
      payload: 'thin',
      types: ['*'],
    });
  });

  it('are edited and deleted', async () => {
    let id = '';
    const { page, api } = await visit({}, async (api) => {
      ({ id } = await createWebhook(api, { enabled: false, description: 'Old' }));
    });
    await toWebhooks(page);
    await page.getByText('disabled').waitFor();
    await chooseAction(page, 'Edit', 'Old');
    await page.getByRole('checkbox', { name: 'user.created' }).uncheck();
    await page.getByRole('checkbox', { name: 'token.revoked' }).check();
    await page.getByLabel('URL').fill('https://example.org/other');
    await dialogButton(page, 'Save webhook').click();
    await page.getByText('https://example.org/other').waitFor();
    expect((await api.get(`${WEBHOOKS}/${id}`)).body).toMatchObject({
      url: 'https://example.org/other',
      types: ['token.revoked'],
      enabled: false,
    });
    await chooseAction(page, 'Delete', 'Old');
    await dialogButton(page, 'Cancel').click();
    await chooseAction(page, 'Delete', 'Old');
    await dialogButton(page, 'Delete webhook').click();
    await page.getByText('There are no webhooks yet.').waitFor();
    await api.get(`${WEBHOOKS}/${id}`).expect(404);
  });

  it('can be created, tested, rotated, edited and deleted with the keyboard alone', async () => {
    const receiver = await receive();
    const { page, api } = await visit(CLIPBOARD);
    const { keyboard } = page;
    const focused = () => page.locator(':focus');
    /** Presses Tab until the control has the focus. */
    const tabTo = async (role: Parameters<Page['getByRole']>[0], name: string | RegExp) => {
      const control = page.getByRole(role, { name, exact: typeof name === 'string' });
      for (let i = 0; i < 60; i++) {
        if ((await control.and(focused()).count()) > 0) return;
        await keyboard.press('Tab');
        expect(await page.evaluate(`getComputedStyle(document.activeElement).outlineStyle`)).toBe('solid');
      }
      throw new Error(`${name} cannot be reached with Tab.`);
    };
    const press = async (name: string | RegExp) => {
      await tabTo('button', name);
      await keyboard.press('Enter');
    };
    /** Chooses an action in a row's menu by its first letters. */
    const choose = async (action: string, name: string) => {
      await press(`Actions for ${name}`);
      const item = page.getByRole('menuitem', { name: action }).and(focused());
      for (let i = 0; i < 4 && (await item.count()) === 0; i++) await keyboard.press(action[0]);
      await keyboard.press('Enter');
    };

    for (let i = 0; i < 6; i++) await keyboard.press('Shift+Tab');
    await tabTo('link', 'Webhooks');
    await keyboard.press('Enter');
    await page.getByText('There are no webhooks yet.').waitFor();
    await press('Create webhook');
    await page.getByLabel('URL').and(focused()).waitFor();
    await keyboard.type(receiver.url);
    await tabTo('checkbox', /user\.created/);
    await keyboard.press('Space');
    await press('Create webhook');
    await page.getByRole('textbox', { name: 'Secret', exact: true }).waitFor();
    await press('Copy: Secret');
    await page.getByText('Copied').waitFor();
    await keyboard.press('Escape');
    await closed(page);
    expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BODY');

    await actionsOf(page, receiver.url).waitFor();
    await choose('Deliveries', receiver.url);
    await press('Send a test');
    await page.getByText('A test is being sent.').waitFor();
    await receiver.until(1);
    await keyboard.press('Escape');
    await actionsOf(page, receiver.url).and(focused()).waitFor();

    await choose('Edit', receiver.url);
    await page.getByLabel('URL').and(focused()).waitFor();
    await tabTo('textbox', 'Description');
    await keyboard.type('By hand');
    await press('Save webhook');
    await closed(page);
    await actionsOf(page, 'By hand').and(focused()).waitFor();

    await choose('Rotate secret', 'By hand');
    await page.getByRole('button', { name: 'Cancel' }).and(focused()).waitFor();
    await keyboard.press('Shift+Tab');
    await page.getByLabel('The old secret still signs for').and(focused()).waitFor();
    await keyboard.type('Not');
    await press('Rotate secret');
    await page.getByRole('textbox', { name: 'Secret', exact: true }).waitFor();
    await press('Copy: Secret');
    await page.getByText('Copied').waitFor();
    const secret: string = await page.evaluate('navigator.clipboard.readText()');
    await keyboard.press('Escape');
    await closed(page);
    await api.createUser();
    const [, message] = await receiver.until(2);
    verified(secret, message);
    expect(message.headers['webhook-signature'].split(' ')).toHaveLength(1);

    await choose('Delete', 'By hand');
    await page.getByRole('button', { name: 'Cancel' }).and(focused()).waitFor();
    await press('Delete webhook');
    await page.getByRole('heading', { name: 'Webhooks' }).and(focused()).waitFor();
    await page.getByText('There are no webhooks yet.').waitFor();
  });
});

describeInBrowser('the Webhooks page', () => {
  const { service, open } = useDashboard(WEBHOOK_ENV, { background: true });
  const receive = useReceivers();

  it.each(
    (['light', 'dark'] as const).flatMap((colorScheme) =>
      [1280, 320].map((width) => ({ colorScheme, width })),
    ),
  )(
    'meets WCAG 2.2 AA with all its dialogs, $colorScheme and $width px wide',
    async ({ colorScheme, width }) => {
      const { page, expectErrors } = await open({
        colorScheme,
        viewport: { width, height: 800 },
        ...CLIPBOARD,
      });
      expectErrors(400);
      await prepareAccessibility(page);
      const [api, receiver, gone] = [await service().client(), await receive(), await receive()];
      const failures: string[] = [];
      const check = async (state: string) => {
        failures.push(...(await accessibilityFaults(page)).map((fault) => `${state}: ${fault}`));
      };
      await page.goto(`${service().url}/dashboard`);
      await signIn(page, api.tokenValue);
      await toWebhooks(page);
      await page.getByText('There are no webhooks yet.').waitFor();
      await check('no webhooks');
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await dialogButton(page, 'Create webhook').click();
      await page.getByText('Select at least one type of events.').waitFor();
      await check('new webhook with errors');
      await page.getByLabel('URL').fill(gone.url);
      await page.getByRole('checkbox', { name: /^All events/ }).check();
      await dialogButton(page, 'Create webhook').click();
      await page.getByRole('textbox', { name: 'Secret', exact: true }).waitFor();
      await check('secret');
      await dialogButton(page, 'Done').click();
      await page.getByText('Have you saved the secret?').waitFor();
      await check('question whether the secret is saved');
      await dialogButton(page, 'I have saved it').click();
      await closed(page);

      gone.answer((response) => response.writeHead(410).end());
      receiver.answer((response) => response.writeHead(500).end());
      const url = `${receiver.url}/${'x'.repeat(2_000)}`;
      const { id } = await createWebhook(api, {
        url,
        types: ['user.created', 'group.member_removed', 'webhook.disabled'],
      });
      await createWebhook(api, { description: 'x'.repeat(200), enabled: false });
      await api.createUser();
      await deliveriesOf(api, id, ([first]) => first?.attempts === 1);
      const isGone = async () =>
        (await api.get('/api/v1/webhooks').expect(200)).body.data.some(
          ({ disabledReason }: { disabledReason: string | null }) => disabledReason === 'gone',
        );
      while (!(await isGone())) await page.waitForTimeout(100);
      await page.getByRole('link', { name: 'Groups' }).click();
      await page.getByText('There are no groups.').waitFor();
      await toWebhooks(page);
      await page.getByText('The receiver answered that it is gone.').waitFor();
      await page.getByText('First failed').waitFor();
      await check('webhooks that are enabled, failing and disabled');
      await actionsOf(page, url).click();
      await check('the menu of a webhook');
      await page.keyboard.press('Escape');
      await chooseAction(page, 'Deliveries', url);
      await page.getByText('Status 500').first().waitFor();
      await page.getByRole('button', { name: 'Send a test' }).click();
      await page.getByText('A test is being sent.').waitFor();
      await check('deliveries');
      await dialogButton(page, 'Done').click();
      await closed(page);
      for (const [name, state] of [
        ['Edit', 'edited webhook'],
        ['Rotate secret', 'rotation'],
        ['Delete', 'deletion'],
      ]) {
        await chooseAction(page, name, url);
        await dialog(page).waitFor();
        await check(state);
        await dialogButton(page, 'Cancel').click();
        await closed(page);
      }
      expect(failures).toEqual([]);
    },
  );
});
