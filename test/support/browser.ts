import { isDeepStrictEqual } from 'node:util';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

/** Set by run/setup.mjs. */
const executablePath = process.env.CHROMIUM_PATH;

/** Skips its tests without a browser; the run says so. */
export const describeInBrowser = (title: string, tests: () => void): void =>
  executablePath ? describe(title, tests) : describe.skip(`${title} (in a browser)`, tests);

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

/** A page of which the test knows every problem. */
export interface Window {
  page: Page;
  /** All requested URLs, with their queries. */
  requestedUrls: string[];
  /** Declares the error statuses that the test provokes. The console must report these and nothing else. */
  expectErrors(...statuses: number[]): void;
  close(): Promise<void>;
}

const FAILED_REQUEST = /^Failed to load resource: the server responded with a status of (\d+)/;

/** What the pages of one person share: the cache, what is stored, the clipboard and the clock. */
export async function newContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext({
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  context.setDefaultTimeout(150_000); // on a busy machine, a page may take longer than people would wait
  return context;
}

/** Opens a page. `close()` fails if it logged errors, threw, opened a dialog or violated its security policy. */
export async function openWindow(context: BrowserContext): Promise<Window> {
  const page = await context.newPage();
  const requestedUrls: string[] = [];
  const problems = new Set<string>();
  const expected = new Set<string>();
  page.on('request', (request) => requestedUrls.push(request.url()));
  page.on('console', (message) => {
    const [, status] = FAILED_REQUEST.exec(message.text()) ?? [];
    if (status === '503') return; // of a busy machine; the page repeats what may be repeated, and shows other failures
    if (['error', 'warning'].includes(message.type())) problems.add(status ?? message.text());
  });
  page.on('pageerror', (error) => problems.add(String(error)));
  page.on('dialog', (dialog) => {
    problems.add(`Dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  await page.exposeFunction('__reportProblem', (text: string) => void problems.add(text));
  await page.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
      window.__reportProblem([effectiveDirective, blockedURI, sample].join(' ')));`,
  });
  return {
    page,
    requestedUrls,
    expectErrors: (...statuses) => statuses.forEach((status) => expected.add(String(status))),
    async close() {
      // A test that waited in vain has usually met too few errors: what the page showed instead tells why.
      const isFine = isDeepStrictEqual(problems, expected) || page.isClosed();
      const shown = isFine ? '' : await page.locator('body').ariaSnapshot();
      await page.close();
      expect({ problems, shown }).toEqual({ problems: expected, shown: '' });
    },
  };
}
