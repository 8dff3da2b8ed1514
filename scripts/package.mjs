// Packs both packages as they would be published, checks them from a user's point of view, imports the client on its own, and
// builds and tests the example application with both. Requires a PostgreSQL: the server in TEST_DATABASE_URL, or an installed
// one.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from './postgres.mjs';

const directory = mkdtempSync(join(tmpdir(), 'ums-package-'));
const run = (cwd, command, env = {}) =>
  execFileSync(command, { cwd, shell: true, stdio: 'inherit', env: { ...process.env, ...env } });

/** Packs one package, checks it, and returns its paths and its tarball. */
function pack({ options = [], expected }) {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory, ...options], {
      encoding: 'utf8',
    }),
  );
  const paths = packed.files.map(({ path }) => path);
  const stray = paths.filter((path) => !expected.test(path));
  if (stray.length > 0) throw new Error(`${packed.name} contains unexpected files: ${stray.join(', ')}`);
  const tarball = join(directory, packed.filename);
  process.stdout.write(`${packed.filename}: ${paths.length} files, ${packed.size} bytes\n`);
  run('.', `npx publint ${tarball} --strict`);
  return { paths, tarball };
}

try {
  run('.', 'npm run --silent prepack');
  const server = pack({
    expected: /^(dist\/|docs\/|[^/]*\.md$|LICENSE$|package\.json$)/,
  });
  for (const page of ['dist/dashboard/index.html', 'dist/docs.html'])
    if (!server.paths.includes(page)) throw new Error(`The package does not contain ${page}.`);
  const client = pack({
    options: ['--workspace', 'client'],
    expected: /^(dist\/|README\.md$|LICENSE$|package\.json$)/,
  });
  importAlone(client.tarball);

  const example = join(directory, 'example');
  cpSync('examples/nest-monorepo', example, { recursive: true });
  const manifest = join(example, 'apps/people/package.json');
  const people = JSON.parse(readFileSync(manifest, 'utf8'));
  people.dependencies['user-management-service'] = `file:${server.tarball}`;
  people.dependencies['user-management-service-client'] = `file:${client.tarball}`;
  writeFileSync(manifest, JSON.stringify(people));
  run(example, 'npm install --no-audit --no-fund --loglevel error');
  run(example, 'npm run --silent build');
  const postgres = await startPostgres(directory);
  try {
    run(example, 'npm test', { DATABASE_URL: await postgres.createDatabase('ums_example') });
  } finally {
    await postgres.stop();
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Installs the client into an empty project without a registry, and imports it both ways. */
function importAlone(tarball) {
  const project = join(directory, 'client');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true }');
  run(project, `npm install --offline --no-audit --no-fund --loglevel error ${tarball}`);
  const use = `createClient({ baseUrl: 'http://localhost:3000', token: '' })`;
  writeFileSync(
    join(project, 'import.mjs'),
    `import { createClient } from 'user-management-service-client';\n${use};\n`,
  );
  writeFileSync(
    join(project, 'require.cjs'),
    `const { createClient } = require('user-management-service-client');\n${use};\n`,
  );
  run(project, 'node import.mjs && node require.cjs');
}
