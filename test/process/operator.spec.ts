/**
 * @slow it starts processes
 * @only embedded postgres: a process starts the same way on a cluster
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newTokenValue } from '../../src/tokens/token-value';
import { Client } from '../support/client';
import { copyOfTemplate, type TestDatabase } from '../support/database';
import { describeOn } from '../support/engine';
import { run, type Running, start, stop } from '../support/process';

const OPERATOR_TOKEN = newTokenValue();
const document = readFileSync('docs/operations.md', 'utf8');
const section = /## For the operator\n([^]*?)\n## /.exec(document)![1];

let database: TestDatabase;
let directory: string;
let service: Running;
beforeAll(async () => {
  database = await copyOfTemplate();
  directory = mkdtempSync(join(tmpdir(), 'ums-'));
  const OPERATOR_TOKEN_FILE = join(directory, 'token');
  writeFileSync(OPERATOR_TOKEN_FILE, `${OPERATOR_TOKEN}\n`);
  service = await start({ ...database.env, OPERATOR_TOKEN_FILE, BOOTSTRAP_TOKEN: newTokenValue() });
});
afterAll(async () => {
  await stop(service);
  rmSync(directory, { recursive: true });
  await database.drop();
});

const operator = () => new Client(service.url, { value: OPERATOR_TOKEN });

const missing = ['jq', 'curl'].filter((tool) => spawnSync(tool, ['--version']).error);
if (missing.length > 0)
  process.stderr.write(`Not installed: ${missing.join(', ')}. The script for the operator is not tested.\n`);

(missing.length > 0 ? it.skip : it)(
  'the script in docs/operations.md creates an organization and its first token once',
  async () => {
    const [, script] = /```sh\n(api\(\) [^]*?)```/.exec(section)!;
    const env = { ...process.env, SERVICE: service.url, OPERATOR_TOKEN };
    const { stdout } = await promisify(execFile)('sh', ['-ec', script], { env });
    const api = new Client(service.url, { value: stdout.trim() });
    expect((await api.get('/v1/tokens/current').expect(200)).body).toMatchObject({ name: 'First' });

    expect((await promisify(execFile)('sh', ['-ec', script], { env })).stdout).toBe('');
    const { body } = await operator().get('/v1/organizations?externalId=customer-4711').expect(200);
    expect(body.data).toMatchObject([{ name: 'Example Inc.', externalId: 'customer-4711' }]);

    const wrong = { ...env, OPERATOR_TOKEN: newTokenValue() };
    await expect(promisify(execFile)('sh', ['-ec', script], { env: wrong })).rejects.toMatchObject({
      code: 22,
      stderr: expect.stringContaining('401'),
    });
  },
);

it('OPERATOR_TOKEN can be read from a file, and is in no log', async () => {
  const lines = service.stdout() + service.stderr();
  expect(lines).not.toContain(OPERATOR_TOKEN);
  await operator().get('/v1/organizations').expect(200);
});

describeOn('postgres', 'ums organizations', () => {
  const command = async (...args: string[]) => run(['organizations', ...args, '--json'], database.env);

  it('suspend and resume hold for running processes with their next request', async () => {
    const { body: organization } = await operator().post('/v1/organizations', { name: 'Acme' }).expect(201);
    const path = `/v1/organizations/${organization.id}/tokens`;
    const { body } = await operator()
      .post(path, { name: 'x', scopes: ['admin'] })
      .expect(201);
    const api = new Client(service.url, { value: body.token });
    await api.get('/api/v1/users').expect(200);

    const suspended = await command('suspend', organization.id);
    expect(JSON.parse(suspended.stdout)).toMatchObject({ id: organization.id, suspended: true });
    await api.get('/api/v1/users').expect(403);
    expect((await command('resume', organization.id)).code).toBe(0);
    await api.get('/api/v1/users').expect(200);
    const { body: events } = await api.get(`/api/v1/events?target=${organization.id}`).expect(200);
    expect(events.data).toMatchObject(
      ['suspend', 'resume'].map((name) => ({
        source: 'cli',
        actor: { type: 'system', id: null, name: `ums organizations ${name}` },
      })),
    );
  });

  it('delete takes a suspended organization with everything in it', async () => {
    const { body: organization } = await operator().post('/v1/organizations', { name: 'Acme' }).expect(201);
    const path = `/v1/organizations/${organization.id}/tokens`;
    const { body } = await operator()
      .post(path, { name: 'x', scopes: ['admin'] })
      .expect(201);
    await new Client(service.url, { value: body.token }).createUser();
    const refused = await command('delete', organization.id);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('Suspend it first')]);
    await command('suspend', organization.id);
    expect((await command('delete', organization.id)).code).toBe(0);
    await operator().get(`/v1/organizations/${organization.id}`).expect(404);
    const unknown = await command('suspend', organization.id);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no such organization')]);
  });

  it.each([
    ['create', ['x'.repeat(101)], 'name must have at most 100 characters'],
    ['create', ['x', '--external-id', ''], 'externalId must not be empty'],
  ])('%s refuses %j', async (name, args, message) => {
    const { code, stderr } = await command(name, ...args);
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });
});
