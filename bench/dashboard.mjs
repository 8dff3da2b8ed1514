// How long the dashboard takes to show 200 users, from the last byte of the response to the painted rows:
//   node bench/dashboard.mjs [--rounds 20]
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { findChromium } from '../scripts/chromium.mjs';
import { openSides, service, stopAll, undoLater } from './sides.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } });

/** Asks for 200 rows. Resolves to the milliseconds from the end of the response to the frame with all of them. */
const SHOW_ALL = `new Promise((resolve) => {
  performance.clearResourceTimings();
  const observer = new MutationObserver(() => {
    if (document.querySelectorAll('tbody tr').length !== 200) return;
    observer.disconnect();
    const { responseEnd } = performance.getEntriesByType('resource').findLast(({ name }) => name.includes('limit=200'));
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - responseEnd)));
  });
  observer.observe(document.querySelector('main'), { childList: true, subtree: true });
  const rows = document.querySelector('.pager select');
  rows.value = '200';
  rows.dispatchEvent(new Event('change', { bubbles: true }));
})`;

try {
  const [{ url, organizations }] = await openSides([service], { organizations: 1, users: 1_000 });
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  undoLater(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${url}/dashboard/users`);
  await page.getByLabel('Admin token').fill(organizations[0].token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const tools = await page.context().newCDPSession(page);
  await tools.send('Performance.enable');
  const seconds = async () => {
    const { metrics } = await tools.send('Performance.getMetrics');
    const of = (name) => metrics.find((metric) => metric.name === name).value;
    return { scripts: of('ScriptDuration'), styles: of('RecalcStyleDuration'), layout: of('LayoutDuration') };
  };
  const times = [];
  const spent = { scripts: 0, styles: 0, layout: 0 };
  await page.getByText('50 users on this page').waitFor();
  for (let round = 0; round < Number(values.rounds); round++) {
    await page.getByLabel('Rows').selectOption('50');
    await page.getByText('50 users on this page').waitFor();
    const before = await seconds();
    times.push(await page.evaluate(SHOW_ALL));
    const after = await seconds();
    for (const part in spent) spent[part] += after[part] - before[part];
  }
  times.sort((a, b) => a - b);
  const ms = (time) => `${time.toFixed(0)} ms`;
  process.stdout.write(
    `200 users on the page: median ${ms(times[times.length >> 1])}, best ${ms(times[0])}, worst ${ms(times.at(-1))}\n`,
  );
  for (const part in spent)
    process.stdout.write(`  ${part}: ${ms((spent[part] * 1000) / times.length)} on average\n`);
} finally {
  await stopAll();
}
