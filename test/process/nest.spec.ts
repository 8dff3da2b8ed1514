/**
 * @slow it starts processes
 * @only embedded postgres: a process starts the same way on a cluster
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import { copyOfTemplate, type TestDatabase } from '../support/database';
import { until } from '../support/until';

let database: TestDatabase;
beforeAll(async () => {
  database = await copyOfTemplate();
});
afterAll(() => database.drop());

const run = (program: string, ...args: string[]) =>
  execFileSync(process.execPath, [`node_modules/${program}`, ...args], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', FORCE_COLOR: '0', ...database.env },
  });

it('what nest build alone has compiled serves, and says how to build the pages', async () => {
  const directory = mkdtempSync('node_modules/.compiled-'); // the packages are found from here
  for (const name of ['src', 'csv', 'migrations', 'openapi.json'])
    cpSync(`dist/${name}`, `${directory}/dist/${name}`, { recursive: true });
  cpSync('package.json', `${directory}/package.json`);
  const service = spawn(process.execPath, [`${directory}/dist/src/main.js`, '--json'], {
    env: { PATH: process.env.PATH, ...database.env, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'fatal' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(service, 'exit');
  try {
    const [line] = await Promise.race([once(service.stdout, 'data'), ended]);
    const { url } = JSON.parse(String(line));
    const get = async (path: string) => {
      const response = await fetch(url + path);
      return { status: response.status, body: await response.json() };
    };
    const notBuilt = {
      status: 404,
      body: { code: 'not_found', detail: 'This page has not been built. Run: npm run build' },
    };
    for (const path of ['/dashboard', '/dashboard/users', '/dashboard/users/usr_1', '/docs'])
      expect(await get(path)).toMatchObject(notBuilt);
    for (const path of ['/favicon.ico', '/dashboard/nothing', '/docs/style.css'])
      expect(await get(path)).toMatchObject({ status: 404, body: { detail: 'There is no such route.' } });
    expect(await get('/openapi.json')).toMatchObject({ status: 200 });
    service.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  } finally {
    service.kill('SIGKILL'); // if a check has failed
    await ended;
    rmSync(directory, { recursive: true });
  }
});

describe('the command line of Nest', () => {
  it('starts the service again when a source is saved, in whatever folder it is', async () => {
    const directory = mkdtempSync(`${tmpdir()}/ums-watch-`);
    const copied = ['src', 'csv', 'migrations', 'openapi.json', 'package.json', 'nest-cli.json', '.swcrc'];
    for (const name of [...copied, 'tsconfig.json', 'scripts/development.env'])
      cpSync(name, `${directory}/${name}`, { recursive: true });
    symlinkSync(resolve('node_modules'), `${directory}/node_modules`);
    const { 'start:dev': command } = JSON.parse(readFileSync('package.json', 'utf8')).scripts;
    const nest = spawn(
      process.execPath,
      ['node_modules/@nestjs/cli/bin/nest.js', ...command.split(' ').slice(1)],
      {
        cwd: directory,
        env: { PATH: process.env.PATH, ...database.env, PORT: '0', HOST: '127.0.0.1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const ended = once(nest, 'close');
    try {
      let output = '';
      for (const stream of [nest.stdout, nest.stderr]) stream.on('data', (chunk) => (output += chunk));
      const starts = () => output.match(/User Management Service at /g)?.length ?? 0;
      const hasStarted = (times: number) =>
        until(() => {
          expect(nest.exitCode).toBeNull();
          return starts() >= times;
        }, 100);
      for (const [count, folder] of ['src/main.ts', 'csv/values.ts', 'migrations/index.ts'].entries()) {
        await hasStarted(count + 1);
        appendFileSync(`${directory}/${folder}`, '\n');
      }
      await hasStarted(4);
      expect(output).not.toContain('rror');
    } finally {
      nest.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true });
    }
  });

  it('generates into the sources', () => {
    const printed = run('@nestjs/cli/bin/nest.js', 'generate', 'service', 'users/example', '--dry-run');
    expect(printed).toContain(' src/users/example/example.service.ts');
    expect(printed).not.toContain('.spec.ts'); // tests stand in test/
  });
});

it('the command line of TypeORM shows the migrations of the database, and sends a query', () => {
  const typeorm = (...args: string[]) => run('typeorm/cli.js', ...args, '-d', 'dist/src/data-source.js');
  const shown = typeorm('migration:show').trim().split('\n');
  expect(shown.length).toBeGreaterThan(5);
  expect(shown.filter((line) => !line.startsWith('[X]'))).toEqual([]);
  expect(typeorm('query', 'SELECT count(*) FROM users')).toContain("count: '0'");
});
