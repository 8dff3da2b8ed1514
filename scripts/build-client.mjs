// Compiles the client twice: as CommonJS and as ES modules.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const tsc = (...options) =>
  execFileSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.client.json', ...options],
    { stdio: 'inherit' },
  );

tsc();
tsc('--outDir', 'dist/client/esm', '--module', 'es2022', '--moduleResolution', 'bundler');
writeFileSync('dist/client/esm/package.json', '{ "type": "module" }\n');
