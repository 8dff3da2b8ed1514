// Packs both packages as they would be published, checks them from a user's point of view, imports the client on its
// own, and builds and tests the example applications with the other one, on each line of Node that is supported, or
// with --short on the running one. Requires a PostgreSQL: the server in TEST_DATABASE_URL, or an installed one.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fetchNodes, runningNode, testHosts } from './hosts.mjs';
import { startPostgres } from './postgres.mjs';

const directory = mkdtempSync(join(tmpdir(), 'ums-package-'));
const sources = join(directory, 'sources');
const run = (cwd, command) => execFileSync(command, { cwd, shell: true, stdio: 'inherit' });

/** Makes a folder that is removed at the end. */
function folder(name) {
  const path = join(directory, name);
  mkdirSync(path);
  return path;
}

/** Copies the sources without what is built, which may be in use. */
function copySources() {
  const isLeftOut = (path) => /(^|\/)(node_modules|dist|coverage|\.data|\.git)$/.test(path);
  cpSync('.', sources, { recursive: true, filter: (path) => !isLeftOut(path) });
  symlinkSync(resolve('node_modules'), join(sources, 'node_modules'));
}

/** Packs one package, checks it, and returns its paths and its tarball. */
function pack({ workspace, expected }) {
  const options = workspace ? ['--workspace', workspace] : [];
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', directory, ...options], {
      cwd: sources,
      encoding: 'utf8',
    }),
  );
  const paths = packed.files.map(({ path }) => path);
  const stray = paths.filter((path) => !expected.test(path));
  if (stray.length > 0) throw new Error(`${packed.name} contains unexpected files: ${stray.join(', ')}`);
  const dead = deadLinks(join(sources, workspace ?? '.'), paths);
  if (dead.length > 0)
    throw new Error(`${dead.length} links of ${packed.name} lead to no file of it:\n${dead.join('\n')}`);
  const tarball = join(directory, packed.filename);
  process.stdout.write(`${packed.filename}: ${paths.length} files, ${packed.size} bytes\n`);
  run('.', `npx publint ${tarball} --strict`);
  return { paths, tarball };
}

/** The relative links and pictures of the packed pages whose files are not packed. */
function deadLinks(root, paths) {
  return paths
    .filter((path) => path.endsWith('.md'))
    .flatMap((page) =>
      [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?![a-z]+:|#)([^)\s#]+)/g)]
        .map(([, link]) => ({ link, target: join(dirname(page), link) }))
        .filter(({ target }) => !paths.some((path) => path === target || path.startsWith(`${target}/`)))
        .map(({ link }) => `${page}: ${link}`),
    );
}

try {
  const fetched = process.argv.includes('--short') ? [runningNode()] : fetchNodes(folder('nodes')); // while the packages are built
  copySources();
  run(sources, 'npm run --silent prepack');
  const server = pack({
    expected:
      /^((dist|client\/dist|docs|deploy|examples)\/|bench\/results|(client\/)?[^/]*\.md$|LICENSE$|compose\.yaml$|package\.json$)/,
  });
  if (!server.paths.includes('dist/dashboard/index.html'))
    throw new Error('The package does not contain the dashboard.');
  if (server.paths.some((path) => path.startsWith('dist/docs/')))
    throw new Error('The package contains /docs, which no host serves.');
  const mapped = server.paths.filter(
    (path) => path.endsWith('.js') && readFileSync(join(sources, path), 'utf8').includes('sourceMappingURL='),
  );
  if (mapped.length > 0) throw new Error(`The package has no source maps, but ${mapped[0]} names one.`);
  const client = pack({
    workspace: 'client',
    expected: /^(dist\/|README\.md$|LICENSE$|package\.json$)/,
  });
  importAlone(client.tarball);

  const nodes = await fetched;
  const versions = nodes.map(({ version }) => version).join(', ');
  process.stdout.write(`Packed, for Node ${versions}, after ${Math.round(performance.now() / 1000)} s\n`);
  const postgres = await startPostgres(directory);
  try {
    await testHosts(directory, server.tarball, nodes, postgres.createDatabase);
  } finally {
    await postgres.stop();
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Installs the client into an empty project without a registry, and imports it both ways. */
function importAlone(tarball) {
  const project = folder('client');
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
