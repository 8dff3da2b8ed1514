// Compiles the client's package twice, as CommonJS and as ES modules.
import { rmSync, writeFileSync } from 'node:fs';
import { COMMONJS, compile } from './compile.mjs';

rmSync('client/dist', { recursive: true, force: true });
for (const [folder, module] of [
  ['cjs', COMMONJS],
  ['esm', { type: 'es6' }],
])
  await compile('client', `client/dist/${folder}`, {
    module,
    jsc: { rewriteRelativeImportExtensions: true },
  });
writeFileSync('client/dist/esm/package.json', '{ "type": "module" }\n');
