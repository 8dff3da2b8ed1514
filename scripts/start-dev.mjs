// Runs the service, and restarts it when something is saved in src/, csv/ or migrations/. Only that file is compiled.
import { spawn } from 'node:child_process';
import { existsSync, watch } from 'node:fs';
import { join } from 'node:path';
import './build-if-stale.mjs';
import { CODE, compileFile } from './compile.mjs';

const options = ['--watch', '--env-file', 'scripts/development.env'];
const service = spawn(process.execPath, [...options, 'dist/src/main.js'], { stdio: 'inherit' });
service.on('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => service.kill(signal));

for (const folder of ['src', 'csv', 'migrations'])
  watch(folder, { recursive: true }, (_event, name) => {
    const file = join(folder, name);
    if (!file.endsWith('.ts') || !existsSync(file)) return;
    compileFile(file, join('dist', file), CODE).catch(({ message }) => process.stderr.write(`${message}\n`));
  });
