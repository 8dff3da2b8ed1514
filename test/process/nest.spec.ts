/**
 * @slow it starts processes
 * @only embedded postgres: a process starts the same way on a cluster
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { copyOfTemplate, type TestDatabase } from '../support/database';

let database: TestDatabase;
beforeAll(async () => {
  database = await copyOfTemplate();
});
afterAll(() => database.drop());

const run = (program: string, ...args: string[]) =>
  execFileSync(process.execPath, [`node_modules/${program}`, ...args], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', ...database.env },
  });

describe('what nest build alone has compiled', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync('node_modules/.compiled-'); // the packages are found from here
    for (const name of ['src', 'csv', 'migrations', 'openapi.json'])
      cpSync(`dist/${name}`, `${directory}/dist/${name}`, { recursive: true });
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('serves, and says how to build the pages', async () => {
    const service = spawn(process.execPath, [`${directory}/dist/src/main.js`, '--json'], {
      env: { PATH: process.env.PATH, ...database.env, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'fatal' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(service, 'exit');
    const [line] = await once(service.stdout, 'data');
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
    for (const path of ['/favicon.ico', '/dashboard/nothing'])
      expect(await get(path)).toMatchObject({ status: 404, body: { detail: 'There is no such route.' } });
    expect(await get('/openapi.json')).toMatchObject({ status: 200 });
    service.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
  });
});

describe('the command line of Nest', () => {
  it('generates into the sources', () => {
    const printed = run(
      '@nestjs/cli/bin/nest.js',
      'generate',
      'service',
      'users/example',
      '--dry-run',
      '--no-spec',
    );
    expect(printed).toContain(' src/users/example/example.service.ts');
  });
});

describe('the command line of TypeORM', () => {
  const typeorm = (...args: string[]) => run('typeorm/cli.js', ...args, '-d', 'dist/src/data-source.js');

  it('shows the migrations of the database', () => {
    const shown = typeorm('migration:show').trim().split('\n');
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.filter((line) => !line.startsWith('[X]'))).toEqual([]);
  });

  it('sends a query', () => {
    expect(typeorm('query', 'SELECT count(*) FROM users')).toContain("count: '0'");
  });
});
