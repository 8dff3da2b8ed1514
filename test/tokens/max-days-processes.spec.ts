/**
 * @slow it starts processes
 * @only embedded postgres: the limit knows no database
 */
import { OrganizationsService, TokensService, UserManagementModule } from '../../src';
import { newTokenValue } from '../../src/tokens/token-value';
import { Client } from '../support/client';
import { copyOfTemplate, emptyDirectory, type TestDatabase } from '../support/database';
import { OPTIONS } from '../support/embedding';
import { startHost } from '../support/host';
import { run, start, stop } from '../support/process';

const LIMIT = { TOKEN_MAX_DAYS: '90' };

let database: TestDatabase | undefined;
afterEach(async () => {
  await database?.drop();
  database = undefined;
});

const ums = async (env: NodeJS.ProcessEnv, ...args: string[]) => {
  const { code, stdout, stderr } = await run([...args, '--json'], { ...database!.env, ...env });
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

const refusal = async (...args: string[]): Promise<string[]> => {
  const { code, stdout, stderr } = await run(args, { ...database!.env, ...LIMIT });
  expect([code, stdout]).toEqual([1, '']);
  return stderr.trimEnd().split('\n');
};

it('the command line refuses a longer life with TOKEN_MAX_DAYS, and says how to set one', async () => {
  database = await copyOfTemplate();
  const { id: organization } = await ums({}, 'organizations', 'create', 'Test');
  const create = `tokens create --organization ${organization} --name CI --scopes users:read`.split(' ');
  const { id } = await ums({}, ...create);
  const advice = 'TOKEN_MAX_DAYS is 90. Set --expires-in 90d, or a shorter lifetime.';
  const required = [
    '1 field is invalid.',
    '  expiresIn is required, because a token may live at most 90d',
    advice,
  ];
  const above = ['1 field is invalid.', '  expiresIn must be at most 90d', advice];

  expect(await refusal(...create)).toEqual(required);
  expect(await refusal(...create, '--expires-in', '91d')).toEqual(above);
  expect(await refusal('tokens', 'rotate', id)).toEqual(required);
  expect(await refusal('tokens', 'rotate', id, '--expires-in', '91d')).toEqual(above);
  expect(await refusal(...create, '--expires-in', '90d', '--rate-limit', '100001')).toEqual([
    '1 field is invalid.',
    '  rateLimit must be at most 100000',
  ]);
  expect(await ums(LIMIT, ...create, '--expires-in', '90d')).toMatchObject({ expiresIn: '90d' });
  expect(await ums(LIMIT, 'tokens', 'rotate', id, '--expires-in', '30d')).toMatchObject({
    expiresIn: '30d',
    rotatedFrom: id,
  });
});

it('BOOTSTRAP_TOKEN never expires, whatever TOKEN_MAX_DAYS is, but its rotation must', async () => {
  database = await copyOfTemplate();
  const value = newTokenValue();
  const service = await start({ ...database.env, ...LIMIT, BOOTSTRAP_TOKEN: value });
  const api = new Client(service.url, { value });
  const { body } = await api.get('/v1/tokens/current').expect(200);
  expect(body).toMatchObject({ scopes: ['admin'], expiresIn: null, expiresAt: null });
  await api.post(`/v1/tokens/${body.id}/rotate`).expect(400);
  await api.post(`/v1/tokens/${body.id}/rotate`, { expiresIn: '90d' }).expect(201);
  await stop(service);
});

it('the token that a first start prints never expires', async () => {
  database = await emptyDirectory();
  const service = await start({ DATA_DIR: database.env.DATA_DIR, DATABASE_URL: '', ...LIMIT });
  const value = /umt_\w{38}/.exec(service.stdout())![0];
  const { body } = await new Client(service.url, { value }).get('/v1/tokens/current').expect(200);
  expect(body).toMatchObject({ expiresIn: null, expiresAt: null });
  await stop(service);
});

it('a value that makes no sense stops the start with one message', async () => {
  expect(await run(['start'], { TOKEN_MAX_DAYS: '90d', RATE_LIMIT_PER_MINUTE: '0' })).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'Invalid configuration:\n' +
      '  RATE_LIMIT_PER_MINUTE must be a whole number from 1 to 1000000000\n' +
      '  TOKEN_MAX_DAYS must be a whole number from 1 to 3650\n',
  });
});

it('a host has the option tokenMaxDays', async () => {
  const host = await startHost([UserManagementModule.forRoot({ ...OPTIONS, tokenMaxDays: 90 })]);
  try {
    const tokens = host.app.get(TokensService);
    const { id } = await host.app.get(OrganizationsService).create('Test');
    const admin = { name: 'CI', scopes: ['admin' as const] };
    await expect(tokens.create(id, admin)).rejects.toMatchObject({
      response: { errors: [{ field: 'expiresIn', code: 'required' }] },
    });
    const { value } = await tokens.create(id, { ...admin, expiresIn: '90d' });
    const path = '/backend/internal/v1/tokens';
    await new Client(host.url, { value }).post(path, { ...admin, expiresIn: '91d' }).expect(400);
  } finally {
    await host.close();
  }
});
