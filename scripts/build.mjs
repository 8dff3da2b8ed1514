// Builds what `npm start` and the tests run: the code, the client, the page of the API reference, and the dashboard. SWC
// compiles without checking types, which `npm run check:types` does. `npm pack` checks them, too, and adds the declarations.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { build as buildDashboard } from 'vite';
import { CODE, compile } from './compile.mjs';

rmSync('dist', { recursive: true, force: true });
for (const folder of ['src', 'csv', 'migrations', 'scripts/docs'])
  await compile(folder, `dist/${folder}`, CODE);

copyFileSync('openapi.json', 'dist/openapi.json');
const require = createRequire(import.meta.url);
const { render } = require(resolve('dist/scripts/docs/page.js'));
writeFileSync('dist/docs.html', render(require(resolve('openapi.json'))));
rmSync('dist/scripts', { recursive: true });

await import('./build-client.mjs');
// The server's package re-exports the client.
mkdirSync('dist/client');
for (const type of ['mjs', 'd.mts', 'd.cts'])
  writeFileSync(`dist/client/index.${type}`, "export * from 'user-management-service-client';\n");
writeFileSync('dist/client/index.cjs', "module.exports = require('user-management-service-client');\n");

await buildDashboard({ logLevel: 'warn' });
