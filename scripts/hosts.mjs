// Builds and tests the applications of examples/ with the packed service, on each line of Node that is supported.
import { exec } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const NODES = ['20.19', '22', '24'];

/** The test scripts of each application; `nest new` makes two, for unit tests and for the application as a whole. */
const TESTS = {
  'nest-cjs': ['npm test', 'npm run test:e2e'],
  'nest-esm': ['npm test', 'npm run test:e2e'],
  'nest-monorepo': ['npm test'],
};

/** From Node 24.9 on, Jest loads Nest's ES modules as they are, as in the configuration that `nest new` makes. */
const loadsEsModules = ({ version }) => {
  const [major, minor] = version.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 9);
};
const JEST_OF_NEST_NEW = 'npm run test:e2e -- --transformIgnorePatterns /node_modules/';

/** Resolution of TypeScript that does not read `exports`. */
const NODE10 = `
import { createClient, type User } from 'user-management-service/client';
import document from 'user-management-service/openapi.json';

const { users } = createClient({ baseUrl: 'http://localhost:3000', token: '' });
export const create = (email: string): Promise<User> => users.create({ name: document.info.title, email });
// @ts-expect-error A name is a string.
void users.create({ name: 1 });
`;
const NODE10_TESTING = `
import { asToken, embeddedDatabase } from 'user-management-service/testing';

void embeddedDatabase();
// @ts-expect-error There is no such scope.
asToken({ organizationId: '', scopes: ['users:eat'] });
`;
const NODE10_OPTIONS =
  '--noEmit --strict --module commonjs --moduleResolution node10 --ignoreDeprecations 6.0 --resolveJsonModule ' +
  '--esModuleInterop --target es2023';

const execute = promisify(exec);

/** Runs a command, and returns what it has printed, which is part of the error if it fails. */
async function run(cwd, command, { node, ...env } = {}) {
  const PATH = node ? `${node.bin}${delimiter}${process.env.PATH}` : process.env.PATH;
  const options = { cwd, maxBuffer: 2 ** 26, env: { ...process.env, ...env, PATH } };
  const print = ({ stdout, stderr }) => [stdout, stderr].filter(Boolean).join('\n');
  return print(
    await execute(command, options).catch((error) => {
      throw new Error(
        `${command} failed in ${cwd}${node ? ` on Node ${node.version}` : ''}\n${print(error)}`,
      );
    }),
  );
}

/** Fetches the programs of the supported lines of Node, which npm's packages carry, in the order of their versions. */
export async function fetchNodes(directory) {
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const carrier = `${prefix}-${process.platform}-${process.arch}`;
  const packages = NODES.map((version) => `node-${version}@npm:${carrier}@${version}`);
  writeFileSync(join(directory, 'package.json'), '{ "private": true }');
  await run(directory, `npm install --no-audit --no-fund --loglevel error ${packages.join(' ')}`).catch(
    (error) => {
      throw new Error(`Node ${NODES.join(', ')} cannot be fetched from the npm registry. ${error.message}`);
    },
  );
  return NODES.map((version) => {
    const folder = join(directory, 'node_modules', `node-${version}`);
    const { version: exact } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return { version: exact, bin: join(folder, 'bin') };
  });
}

/** The Node that runs this program. */
export const runningNode = () => ({ version: process.versions.node, bin: dirname(process.execPath) });

/** Tests all applications, in parallel, each on every Node. The error has the output of each that fails. */
export async function testHosts(directory, tarball, nodes, createDatabase) {
  const outcomes = await Promise.allSettled(
    Object.keys(TESTS).map((name, index) => {
      const example = join(directory, name);
      cpSync(`examples/${name}`, example, { recursive: true });
      return testHost({
        name,
        example,
        tarball,
        nodes,
        builder: nodes[index % nodes.length],
        createDatabase,
      });
    }),
  );
  const failures = outcomes.flatMap(({ reason }) => (reason ? [reason.message] : []));
  if (failures.length > 0) throw new Error(failures.join('\n\n'));
}

/** Throws if another Node runs than the one that was asked for: a shell skips a program that it may not execute. */
async function requireNode(example, node) {
  const version = (await run(example, 'node --version', { node })).trim();
  if (version !== `v${node.version}`)
    throw new Error(`Node ${node.version} was asked for, but ${version} runs.`);
}

/** Installs on the oldest Node, which is the one that warns; builds on one of them; tests on all. */
async function testHost({ name, example, tarball, nodes, builder, createDatabase }) {
  await reported(`${name}: install`, () => install(example, tarball, nodes[0]));
  await reported(`${name}: build on Node ${builder.version}`, () =>
    run(example, 'npm run build', { node: builder }),
  );
  if (name === 'nest-cjs') await reported(`${name}: moduleResolution node10`, () => resolveAsNode10(example));
  for (const node of nodes) {
    await requireNode(example, node);
    const DATABASE_URL = await createDatabase(`${name}_${node.version}`.replaceAll(/\W/g, '_'));
    const isNative = name === 'nest-cjs' && loadsEsModules(node);
    for (const command of [...TESTS[name], ...(isNative ? [JEST_OF_NEST_NEW] : [])])
      await reported(`${name} on Node ${node.version}: ${command}`, () =>
        run(example, command, { node, DATABASE_URL }),
      );
  }
}

/** Installs the dependencies of an application, with the packed service in place of a published one. */
async function install(example, tarball, node) {
  const path = join(example, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  manifest.dependencies['user-management-service'] = `file:${tarball}`;
  writeFileSync(path, JSON.stringify(manifest));
  const output = await run(example, 'npm install --prefer-offline --no-audit --no-fund --loglevel warn', {
    node,
  });
  if (output.includes('EBADENGINE')) throw new Error(`npm warns on Node ${node.version}:\n${output}`);
}

async function resolveAsNode10(example) {
  writeFileSync(join(example, 'node10.ts'), NODE10);
  await run(example, `npx tsc --ignoreConfig ${NODE10_OPTIONS} node10.ts`);
  writeFileSync(join(example, 'node10-testing.ts'), NODE10_TESTING);
  await run(example, `npx tsc --ignoreConfig ${NODE10_OPTIONS} --types node node10-testing.ts`);
}

async function reported(title, work) {
  const start = performance.now();
  await work();
  process.stdout.write(`${title}: passed in ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
}
