// Compiles the client's package twice, as CommonJS and as ES modules.
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';

const sources = readdirSync('client')
  .filter((name) => name.endsWith('.ts'))
  .map((name) => `client/${name}`);

/** Compiles to a folder of `client/dist`, as .swcrc says but for these settings. */
function compile(folder, ...settings) {
  const output = [
    '--out-dir',
    `client/dist/${folder}`,
    '--strip-leading-paths',
    '--source-maps',
    'false',
    '--quiet',
  ];
  const configured = settings.flatMap((setting) => ['-C', setting]);
  execFileSync(process.execPath, ['node_modules/@swc/cli/bin/swc.js', ...sources, ...output, ...configured], {
    stdio: 'inherit',
  });
}

rmSync('client/dist', { recursive: true, force: true });
compile('cjs');
compile('esm', 'module.type=es6');
writeFileSync('client/dist/esm/package.json', '{ "type": "module" }\n');
