// Packs both packages as they would be published, checks them from a user's point of view, imports the client on its own, and
// builds and tests the example applications with both. Requires a PostgreSQL: the server in TEST_DATABASE_URL, or an installed one.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from './postgres.mjs';

/** The example applications, each with the manifest that depends on the packages. */
const EXAMPLES = [
  ['nest-monorepo', 'apps/people/package.json'],
  ['nest-esm', 'package.json'],
];

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

  const postgres = await startPostgres(directory);
  try {
    for (const [name, manifest] of EXAMPLES) {
      const example = join(directory, name);
      cpSync(`examples/${name}`, example, { recursive: true });
      install(example, manifest, {
        'user-management-service': server.tarball,
        'user-management-service-client': client.tarball,
      });
      run(example, 'npm run --silent build');
      const database = await postgres.createDatabase(`ums_${name.replaceAll('-', '_')}`);
      run(example, 'npm test', { DATABASE_URL: database });
    }
  } finally {
    await postgres.stop();
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Installs the dependencies of an example, with the packed packages in place of the published ones. */
function install(example, manifest, tarballs) {
  const path = join(example, manifest);
  const content = JSON.parse(readFileSync(path, 'utf8'));
  for (const [name, tarball] of Object.entries(tarballs)) content.dependencies[name] = `file:${tarball}`;
  writeFileSync(path, JSON.stringify(content));
  run(example, 'npm install --no-audit --no-fund --loglevel error');
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
