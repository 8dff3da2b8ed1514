// Compiles the client's package twice, as CommonJS and as ES modules, and writes the server package's entry that re-exports it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { removeComments } from './comments.mjs';

const tsc = (...options) =>
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--project', 'client', ...options], {
    stdio: 'inherit',
  });

rmSync('client/dist', { recursive: true, force: true });
tsc();
tsc('--outDir', 'client/dist/esm', '--module', 'es2022', '--moduleResolution', 'bundler');
for (const name of readdirSync('client/dist', { recursive: true }))
  if (name.endsWith('.js')) removeComments(`client/dist/${name}`);
writeFileSync('client/dist/esm/package.json', '{ "type": "module" }\n');

mkdirSync('dist/client', { recursive: true });
for (const type of ['mjs', 'd.mts', 'd.cts'])
  writeFileSync(`dist/client/index.${type}`, "export * from 'user-management-service-client';\n");
writeFileSync('dist/client/index.cjs', "module.exports = require('user-management-service-client');\n");
