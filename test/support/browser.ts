import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** What scripts/test.mjs has found. */
const executablePath = process.env.CHROMIUM_PATH;

/** For tests of the page itself. Without a browser they are skipped, and the run says so. */
export const describeInBrowser = executablePath ? describe : describe.skip;

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

/** A page in a profile of its own. */
export interface Window {
  page: Page;
  /** The addresses that were asked, with their queries. */
  asked: string[];
  /** Says which refusals the test is about: the console tells of each, and of nothing else. */
  expectRefusals(...statuses: number[]): void;
  close(): Promise<void>;
}

const REFUSAL = /^Failed to load resource: the server responded with a status of (\d+)/;

/** Closing it fails when the page complained: on the console, by an exception, a dialog or a report of its policy. */
export async function openWindow(browser: Browser, options: BrowserContextOptions = {}): Promise<Window> {
  const context = await browser.newContext({
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints = new Set<string>();
  const expected = new Set<string>();
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => {
    const [, status] = REFUSAL.exec(message.text()) ?? [];
    if (['error', 'warning'].includes(message.type())) complaints.add(status ?? message.text());
  });
  page.on('pageerror', (error) => complaints.add(String(error)));
  page.on('dialog', (dialog) => {
    complaints.add(`A dialog says ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  await page.exposeFunction('__complain', (text: string) => void complaints.add(text));
  await page.addInitScript({
    content: `document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
      window.__complain([effectiveDirective, blockedURI, sample].join(' ')));`,
  });
  return {
    page,
    asked,
    expectRefusals: (...statuses) => statuses.forEach((status) => expected.add(String(status))),
    async close() {
      await context.close();
      expect(complaints).toEqual(expected);
    },
  };
}
