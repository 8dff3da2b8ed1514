import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const WCAG_2_2_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface Violation {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

interface Results {
  violations: Violation[];
  passes: object[];
  incomplete: object[];
}

/**
 * Everything in which the page, as it is now, misses WCAG 2.2 AA; with `all`, what else axe recommends, too. Of a dark
 * page only the contrast is checked: nothing but its colors differs from the light one, which is checked, too.
 */
export async function accessibilityFaults(page: Page, { all = false } = {}): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe); // which the policy of the page allows
  const isDark: boolean = await page.evaluate('matchMedia("(prefers-color-scheme: dark)").matches');
  const options = all ? {} : { runOnly: isDark ? ['color-contrast'] : WCAG_2_2_AA };
  const { violations, passes, incomplete } = await page.evaluate<Results>(
    `axe.run(${JSON.stringify(options)})`,
  );
  // Over a backdrop that is not opaque, axe cannot tell the contrast.
  expect([...passes, ...incomplete].length).toBeGreaterThan(isDark && !all ? 0 : 10);
  const faults = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id} ${html} ${failureSummary}`),
  );
  // WCAG 1.4.10: no scrolling in two directions.
  const excess: number = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  return excess > 0 ? [...faults, `${excess} px too wide`] : faults;
}

/** The faults in light and dark, in a wide window and in a narrow one. The page is wide and light again after that. */
export async function faultsInEveryVariant(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const)
    for (const width of [320, 1280]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      faults.push(
        ...(await accessibilityFaults(page)).map((fault) => `${colorScheme}, ${width} px: ${fault}`),
      );
    }
  return faults;
}

/** Fails if the page, as it is now, misses WCAG 2.2 AA in a variant. */
export const meetsWcag = async (page: Page) => expect(await faultsInEveryVariant(page)).toEqual([]);
