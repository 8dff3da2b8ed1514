import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { launch, openWindow, type Window } from './browser';
import type { Client } from './client';
import type { TestServiceOptions } from './defaults';
import { startService, type TestService } from './service';

/** The dashboard, opened with an admin token of a new organization. */
export interface Visit extends Window {
  api: Client;
}

/**
 * Starts a service and a browser for a `describe` block. Each test has its own window; problems in it fail the test.
 */
export function useDashboard(env: NodeJS.ProcessEnv = {}, options: TestServiceOptions = {}) {
  let service: TestService | undefined;
  let browser: Browser | undefined;
  const windows: Window[] = [];
  beforeAll(async () => {
    [service, browser] = await Promise.all([startService(env, options), launch()]);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
  afterEach(async () => {
    for (const window of windows.splice(0)) await window.close();
  });

  const open = async (options?: BrowserContextOptions) => {
    const window = await openWindow(browser!, options);
    windows.push(window);
    return window;
  };
  /** Opens the page of the tokens and signs in. `prepare` can create data and set up the page before that. */
  const visit = async (
    options?: BrowserContextOptions,
    prepare?: (api: Client, page: Page) => Promise<unknown>,
  ): Promise<Visit> => {
    const [window, api] = await Promise.all([open(options), service!.client()]);
    await prepare?.(api, window.page);
    await window.page.goto(`${service!.url}/dashboard/tokens`);
    await signIn(window.page, api.tokenValue);
    await window.page.getByRole('table').waitFor();
    return { ...window, api };
  };
  return {
    service: () => service!,
    open,
    visit,
    /** The same, and goes on to the page of the users. */
    async visitUsers(prepare?: (api: Client, page: Page) => Promise<unknown>): Promise<Visit> {
      const opened = await visit({}, prepare);
      await toUsers(opened.page);
      return opened;
    },
  };
}

export async function signIn(page: Page, value: string): Promise<void> {
  await page.getByLabel('Admin token').fill(value);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Sections' }).waitFor();
}

export const toUsers = async (page: Page) => {
  await page.getByRole('navigation').getByRole('link', { name: 'Users' }).click();
  await page.getByRole('heading', { name: 'Users' }).waitFor();
};

/** The button that opens the menu of a row. */
export const actionsOf = (page: Page, name: string) =>
  page.getByRole('button', { name: `Actions for ${name}`, exact: true });

/** Chooses an action in the menu of a row. */
export const chooseAction = async (page: Page, action: string, name: string) => {
  await actionsOf(page, name).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
};

/** A button of the open dialog. */
export const dialogButton = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name });

/** Whether the browser would ask before it closes the page. */
export const ASKS_BEFORE_UNLOAD = `!dispatchEvent(new Event('beforeunload', { cancelable: true }))`;

/** The names in the list of users. */
export const namesOf = (page: Page) => page.locator('td.main').allInnerTexts();

/** The stored user. */
export const userOf = async (api: Client, id: string) =>
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
