// Checks the types of the code and the client, and writes the declarations beside both.
import { execFileSync } from 'node:child_process';

const tsc = (...options) =>
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--emitDeclarationOnly', ...options], {
    stdio: 'inherit',
  });

const [only] = process.argv.slice(2);
if (only !== 'client') tsc('--project', 'tsconfig.build.json');
tsc('--project', 'client');
tsc(
  '--project',
  'client',
  '--outDir',
  'client/dist/esm',
  '--module',
  'es2022',
  '--moduleResolution',
  'bundler',
);
