import { execSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';

const SOURCES = [
  'src',
  'client',
  'csv',
  'dashboard',
  'openapi.json',
  'migrations',
  'package-lock.json',
  'nest-cli.json',
  'scripts/build.mjs',
  'scripts/build-client.mjs',
  'swagger-ui',
  'tsconfig.json',
  'tsconfig.build.json',
  '.swcrc',
  'vite.config.mjs',
];
const BUILT = 'dist/docs/openapi.json.gz'; // the last that a build writes

// The build tools would fail on an older Node with a stack trace. src/entry/process/node-version.ts checks the same
// at a start.
const version = process.versions.node;
const [major, minor] = version.split('.').map(Number);
if (!(major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19))) {
  process.stderr.write(
    `Node.js 20.19, 22.12 or newer is required; this is ${version}. Install a newer one from https://nodejs.org.\n`,
  );
  process.exit(1);
}

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  const names = readdirSync(path).filter((name) => name !== 'dist');
  return Math.max(0, ...names.map((name) => newest(`${path}/${name}`)));
}

const isStale = () => !existsSync(BUILT) || Math.max(...SOURCES.map(newest)) > statSync(BUILT).mtimeMs;

/** Builds the project if there is no build, or if a source is newer than it. */
export function buildIfStale() {
  if (!existsSync('src') || !isStale()) return; // the container image contains a build but no sources
  process.stdout.write('Building …\n');
  // In a process of its own, because Vite sets NODE_ENV. Without prebuild: a running service keeps its files until they
  // are replaced.
  execSync('npm run --silent --ignore-scripts build', { stdio: 'inherit' });
}
