// Builds the project if there is no build or a source is newer than it, so that `npm start` works on its own.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';

const SOURCES = [
  'src',
  'client',
  'dashboard',
  'openapi.json',
  'migrations',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'tsconfig.client.json',
  'nest-cli.json',
  'vite.config.mjs',
];
const BUILT = 'dist/src/main.js';

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(`${path}/${name}`)));
}

const isStale = () => !existsSync(BUILT) || Math.max(...SOURCES.map(newest)) > statSync(BUILT).mtimeMs;

// The container image contains a build but no sources.
if (existsSync('src') && isStale()) {
  process.stdout.write('Building …\n');
  execFileSync('npm', ['run', '--silent', 'build'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
}
