// Builds what `nest build` does not: the client, the page of the API reference, and the dashboard. `npm run build`
// runs both. SWC compiles without checking types, which `npm run check:types` does; `npm pack` checks them, too.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { build as buildDashboard } from 'vite';

await import('./build-client.mjs');
// The server's package re-exports the client.
mkdirSync('dist/client', { recursive: true });
for (const type of ['mjs', 'd.mts', 'd.cts'])
  writeFileSync(`dist/client/index.${type}`, "export * from 'user-management-service-client';\n");
writeFileSync('dist/client/index.cjs', "module.exports = require('user-management-service-client');\n");

const require = createRequire(import.meta.url);
const page = 'node_modules/.docs-page';
execFileSync(process.execPath, [
  'node_modules/@swc/cli/bin/swc.js',
  'scripts/docs',
  '--out-dir',
  page,
  '--quiet',
]);
const { render } = require(resolve(page, 'scripts/docs/page.js'));
writeFileSync('dist/docs.html', render(require(resolve('openapi.json'))));
rmSync(page, { recursive: true });

await buildDashboard({ logLevel: 'warn' });
