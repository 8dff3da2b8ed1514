// Packs the package as it would be published, checks it from a user's point of view, and builds and tests the example
// application with it. Requires a PostgreSQL: the server in TEST_DATABASE_URL, or an installed one.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from './postgres.mjs';

const MAX_BYTES = 200 * 1024;

const directory = mkdtempSync(join(tmpdir(), 'ums-package-'));
const run = (cwd, command, env = {}) =>
  execFileSync(command, { cwd, shell: true, stdio: 'inherit', env: { ...process.env, ...env } });

try {
  run('.', 'npm run --silent build');
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory], {
      encoding: 'utf8',
    }),
  );
  const tarball = join(directory, packed.filename);
  const stray = packed.files
    .map(({ path }) => path)
    .filter((path) => !/^(dist\/|docs\/|openapi\.json$|[^/]*\.md$|LICENSE$|package\.json$)/.test(path));
  if (stray.length > 0) throw new Error(`The package contains unexpected files: ${stray.join(', ')}`);
  const kept = packed.files.some(({ path }) => path === 'dist/dashboard/index.html');
  if (!kept) throw new Error('The package does not contain the dashboard.');
  const { size } = statSync(tarball);
  if (size > MAX_BYTES) throw new Error(`The package has ${size} bytes; the limit is ${MAX_BYTES}.`);
  process.stdout.write(`${packed.filename}: ${packed.files.length} files, ${size} bytes\n`);

  run('.', `npx publint ${tarball} --strict`);
  run(
    '.',
    `npx attw ${tarball} --ignore-rules cjs-resolves-to-esm --exclude-entrypoints openapi.json --profile node16`,
  );

  const example = join(directory, 'example');
  cpSync('examples/nest-monorepo', example, { recursive: true });
  const manifest = join(example, 'apps/people/package.json');
  const people = JSON.parse(readFileSync(manifest, 'utf8'));
  people.dependencies['user-management-service'] = `file:${tarball}`;
  writeFileSync(manifest, JSON.stringify(people));
  run(example, 'npm install --no-audit --no-fund --loglevel error');
  run(example, 'npm run --silent build');
  const server = await startPostgres(directory);
  try {
    run(example, 'npm test', { DATABASE_URL: await server.createDatabase('ums_example') });
  } finally {
    await server.stop();
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
