import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { launch, newContext, openWindow, type Window } from './browser';
import type { Client, UserBody } from './client';
import type { TestServiceOptions } from './defaults';
import { startService, type TestService } from './service';

/** The dashboard, opened with an admin token of a new organization. */
export interface Visit extends Window {
  api: Client;
}

/** Creates data, or sets up the page, before the page is opened. */
type Prepare = (api: Client, page: Page) => Promise<unknown>;

/** A window with options has a context of its own, which it shares with no other test. */
interface WindowOptions extends BrowserContextOptions {
  /** Whether the test sets the clock of the page. */
  hasClock?: boolean;
}

/**
 * Starts a service and a browser for a `describe` block. Each test has its own window; problems in it fail the test.
 */
export function useDashboard(env: NodeJS.ProcessEnv = {}, options: TestServiceOptions = {}) {
  let service: TestService | undefined;
  let browser: Browser | undefined;
  let shared: BrowserContext | undefined;
  let opened: { window: Window; own?: BrowserContext }[] = [];
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(env, options), launch()]);
    shared = await newContext(browser);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
  afterEach(async () => {
    const windows = opened;
    opened = [];
    for (const { window, own } of windows) {
      await window.close();
      await own?.close();
    }
    await shared?.clearCookies();
  });

  const open = async (options?: WindowOptions) => {
    const { hasClock, ...contextOptions } = options ?? {};
    const own = options && (await newContext(browser!, contextOptions));
    await (hasClock ? own?.clock.install() : undefined);
    const window = await openWindow(own ?? shared!);
    opened.push({ window, own });
    return window;
  };
  /** Opens a page with the token of the client. */
  const enter = async (path: string, api: Client, prepare?: Prepare, options?: WindowOptions) => {
    const window = await open(options);
    await prepare?.(api, window.page);
    await window.page.goto(`${service!.url}/dashboard/${path}`.replace(/\/$/, ''));
    await signIn(window.page, api.tokenValue);
    return window;
  };
  return {
    service: () => service!,
    open,
    enter,
    /** Opens a page with an admin token of a new organization. */
    async visit(path: string, prepare?: Prepare, options?: WindowOptions): Promise<Visit> {
      const api = await service!.client();
      return { ...(await enter(path, api, prepare, options)), api };
    },
  };
}

/** The page keeps the token nowhere but in its memory, so every page that is loaded asks for it. */
export async function signIn(page: Page, value: string): Promise<void> {
  await page.getByLabel('Admin token').fill(value);
  await page.keyboard.press('Enter');
  await buttonOf(page, 'Search …').waitFor();
}

/** Goes to a section by its link, and waits for its heading. */
export async function toSection(page: Page, name: string): Promise<void> {
  const navigation = page.getByRole('navigation', { name: 'Sections' });
  if (!(await navigation.isVisible())) await buttonOf(page, 'Menu').click(); // in a narrow window
  await navigation.getByRole('link', { name, exact: true }).click();
  await headingOf(page, name === 'Deleted' ? 'Deleted users' : name).waitFor();
}

/** Goes to an address without loading the page anew, which would forget the token. */
export const showAt = (page: Page, path: string) =>
  page.evaluate(
    `history.replaceState({ index: 0 }, '', '/dashboard/${path}'); dispatchEvent(new PopStateEvent('popstate'))`,
  );

export const headingOf = (page: Page, name: string) =>
  page.getByRole('heading', { name, level: 1, exact: true });

export const panelOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

export const buttonOf = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Waits until the page says all of this. */
export async function shows(page: Page | Locator, ...texts: (string | RegExp)[]): Promise<void> {
  for (const text of texts) await page.getByText(text).waitFor();
}

/** Waits until nothing is being loaded. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.getByText('Loading …').first().waitFor({ state: 'detached' });
  await page.evaluate('document.fonts.ready.then(() => {})');
}

/** Holds the requests at these addresses until the returned function is called. */
export async function hold(page: Page, pattern: string): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(pattern, async (route) => {
    await released;
    await route.continue().catch(() => {}); // of a request that has been aborted
  });
  return release;
}

/** Creates users who are named Person 00, Person 01 and so on. */
export const addPeople = (api: Client, count: number) =>
  api
    .post('/api/v1/users/batch', {
      users: Array.from({ length: count }, (_, n) => ({
        name: `Person ${String(n).padStart(2, '0')}`,
        email: `person-${n}@example.com`,
      })),
    })
    .expect(200);

type Direction = 'ascending' | 'descending';

/** The orders in the menu that is the head of the only date. */
const DATE_ORDERS: Record<string, Record<Direction, string>> = {
  Created: { ascending: 'Oldest first', descending: 'Newest first' },
  Changed: { ascending: 'Least recently changed first', descending: 'Recently changed first' },
};

/** Sorts the list of users by the head of a column, and waits for the list. */
export async function sortBy(page: Page, column: string, direction: Direction) {
  const name = DATE_ORDERS[column] ? /^(Created|Changed)$/ : column;
  await page.getByRole('columnheader').getByRole('button', { name }).click();
  const order = DATE_ORDERS[column]?.[direction];
  if (order) await page.getByRole('menuitemradio', { name: order, exact: true }).click();
  await page.locator(`table[aria-busy=false] th[aria-sort=${direction}]`, { hasText: column }).waitFor();
}

/** Turns columns of the list of users on or off, with the keyboard. */
export async function turnColumns(page: Page, ...titles: string[]): Promise<void> {
  await buttonOf(page, 'Columns').press('Enter');
  for (const title of titles) {
    const box = page.getByRole('menuitemcheckbox', { name: title, exact: true });
    const before = await box.getAttribute('aria-checked');
    await box.press('Space');
    await box.and(page.locator(`[aria-checked=${before !== 'true'}]`)).waitFor();
  }
  await page.keyboard.press('Escape');
  await focusOn(buttonOf(page, 'Columns'));
}

/** Waits until the element has the focus. */
export const focusOn = (control: Locator) => control.and(control.page().locator(':focus')).waitFor();

/** The button that opens the menu of a row. */
export const actionsOf = (page: Page, name: string) =>
  page.getByRole('button', { name: `Actions for ${name}`, exact: true });

/** Chooses an action in the menu of a row. */
export const chooseAction = async (page: Page, action: string, name: string) => {
  await actionsOf(page, name).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
};

/** Enters values in the fields with these labels: a text or a choice, or whether a box is checked. */
export async function fills(form: Page | Locator, values: Record<string, string | boolean>): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    const field = form.getByLabel(label);
    if (typeof value === 'boolean') await field.setChecked(value);
    else if ((await field.evaluate(({ localName }) => localName)) === 'select')
      await field.selectOption(value);
    else await field.fill(value);
  }
}

export const dialogOf = (page: Page) => page.getByRole('dialog');

/** A button of the open dialog. */
export const dialogButton = (page: Page, name: string) => dialogOf(page).getByRole('button', { name });

/** Enters values in the open dialog, and presses a button of it. */
export async function submits(page: Page, button: string, values: Record<string, string | boolean> = {}) {
  await fills(dialogOf(page), values);
  await dialogButton(page, button).click();
}

/** Waits until no dialog is open. */
export const closed = (page: Page) => dialogOf(page).waitFor({ state: 'detached' });

type Role = Parameters<Page['getByRole']>[0];

/** The keyboard of somebody who has no mouse. */
export function keyboardOf(page: Page) {
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  /** Goes to a control with the Tab key alone, or with Shift+Tab. Whatever has the focus on the way shows it. */
  const tabTo = async (role: Role, name: string | RegExp, key = 'Tab') => {
    const control = page.getByRole(role, { name, exact: typeof name === 'string' });
    for (let i = 0; i < 60 && (await control.and(page.locator(':focus')).count()) === 0; i++) {
      await press(key);
      const outline = `document.activeElement === document.body || getComputedStyle(document.activeElement).outlineStyle`;
      expect([true, 'solid']).toContain(await page.evaluate(outline));
    }
    await focusOn(control);
  };
  /** Goes to a control and presses Enter. */
  const enter = async (role: Role, name: string | RegExp, key?: string) => {
    await tabTo(role, name, key);
    await press('Enter');
  };
  return { press, tabTo, enter, type: (text: string) => page.keyboard.type(text) };
}

/** Whether the browser would ask before it closes the page. */
export const ASKS_BEFORE_UNLOAD = `!dispatchEvent(new Event('beforeunload', { cancelable: true }))`;

/** The names in the list of users. */
export const namesOf = (page: Page) => page.locator('td.main').allInnerTexts();

/** The stored user. */
export const userOf = async (api: Client, { id }: { id: string }): Promise<UserBody> =>
  (await api.get(`/api/v1/users/${id}`).expect(200)).body;
/** The displayed text of each row, without the header. */
export const rowsOf = async (page: Page) =>
  (await page.getByRole('table').getByRole('row').allInnerTexts())
    .slice(1)
    .map((text) => text.replace(/\s+/g, ' ').trim());

/** All token values in the page: in its markup, fields, URL, history state and window name. */
export const tokensIn = (page: Page): Promise<string[]> =>
  page.evaluate(`[
    document.documentElement.outerHTML,
    ...[...document.querySelectorAll('input, textarea')].map(({ value }) => value),
    location.href,
    JSON.stringify(history.state),
    window.name,
  ].join('\\n').match(/umt_[0-9A-Za-z]{38}/g) ?? []`);
