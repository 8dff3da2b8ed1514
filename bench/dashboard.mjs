// Measures how long the dashboard takes to show 200 tokens and 200 users, from the response's arrival to the painted frame.
//   node bench/dashboard.mjs [--runs 15]
// Requires Chromium: the one in CHROMIUM_PATH, or one on the PATH.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { findChromium } from '../scripts/chromium.mjs';
import { createClient } from 'user-management-service-client';
const { person } = createRequire(import.meta.url)('../dist/src/demo/people.js');

/* global document, Response, MutationObserver, MessageChannel, requestAnimationFrame */ // of the page

const ROWS = 200;
const LIMIT_MS = 100;

const { values } = parseArgs({ options: { runs: { type: 'string', default: '15' } } });
const say = (text) => process.stdout.write(`${text}\n`);

const directory = mkdtempSync(join(tmpdir(), 'ums-bench-'));
const service = spawn(process.execPath, ['dist/src/cli.js', 'start', '--json'], {
  env: {
    ...process.env,
    DATABASE_URL: '',
    DATA_DIR: directory,
    PORT: '0',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
let browser;
try {
  const { url, dashboard, token } = JSON.parse(String(await once(service.stdout, 'data')));
  service.stdout.resume();
  const { tokens, users } = createClient({ baseUrl: url, token, retryBudgetMs: 120_000 });
  for (let n = 0; n < ROWS; n++) {
    await tokens.create({
      name: `Token ${n}`,
      scopes: ['users:read', 'users:write'],
      expiresIn: `${n + 1}d`,
    });
    await users.create(person(n));
  }

  browser = await chromium.launch({
    executablePath: findChromium(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
  });
  const page = await browser.newPage();
  await page.addInitScript(watch, ROWS);
  await page.goto(dashboard);
  await page.getByLabel('Admin token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();

  say(
    `${cpus()[0].model}, ${cpus().length} cores, Chromium ${browser.version()}; ${ROWS} rows, milliseconds`,
  );
  for (const section of ['API tokens', 'Users']) {
    await page.getByRole('link', { name: section }).click();
    const times = [];
    while (times.length < Number(values.runs)) {
      await page.getByLabel('Rows').selectOption('50');
      await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 50);
      const painted = page.evaluate(() => globalThis.painted());
      await page.getByLabel('Rows').selectOption(String(ROWS));
      times.push(await painted);
    }
    times.sort((a, b) => a - b);
    const [median, worst] = [times[Math.floor(times.length / 2)], times.at(-1)];
    say(`${section}: median ${median.toFixed(1)}, worst ${worst.toFixed(1)}; the limit is ${LIMIT_MS}`);
    if (median > LIMIT_MS) process.exitCode = 1;
  }
} finally {
  await browser?.close();
  service.kill('SIGINT');
  await once(service, 'close');
  rmSync(directory, { recursive: true, force: true });
}

/** Runs in the page. `painted()` resolves to the milliseconds from the arrival of the next list of `rows` rows to its frame. */
function watch(rows) {
  let arrivedAt;
  const { json } = Response.prototype;
  Response.prototype.json = async function () {
    const body = await json.call(this);
    if (this.url.includes(`limit=${rows}`)) arrivedAt = performance.now();
    return body;
  };
  globalThis.painted = () =>
    new Promise((resolve) => {
      const look = () => {
        if (arrivedAt === undefined || document.querySelectorAll('tbody tr').length !== rows) return;
        observer.disconnect();
        const since = arrivedAt;
        arrivedAt = undefined;
        // A message posted in the frame is delivered once the frame has been painted.
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => resolve(performance.now() - since);
          port2.postMessage(undefined);
        });
      };
      const observer = new MutationObserver(look);
      observer.observe(document.body, { childList: true, subtree: true });
    });
}
