/**
 * @slow it starts processes
 * @only embedded postgres: a process starts the same way on a cluster
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../src/platform/database/id';
import { assertionOf, AUDIENCE, present, SUBJECT } from '../support/assertions';
import { copyOfTemplate, type TestDatabase } from '../support/database';
import { type FakeIssuer, startIssuer } from '../support/issuer';
import { run, start, stop } from '../support/process';

let issuer: FakeIssuer;
let database: TestDatabase;
let directory: string;
beforeAll(async () => {
  issuer = await startIssuer();
  database = await copyOfTemplate();
  directory = mkdtempSync(join(tmpdir(), 'ums-oauth-'));
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await database.drop();
  await issuer.down();
});

const ruleFor = (organizationId: string) => `${issuer.url} sub=${SUBJECT} -> ${organizationId} users:read`;

/** The variables that switch the exchange on for an organization, and sign-in. */
const variables = (organizationId: string) => ({
  ...database.env,
  PUBLIC_URL: AUDIENCE,
  TOKEN_ISSUERS: ruleFor(organizationId),
  OIDC_ISSUER: issuer.url,
  OIDC_CLIENT_ID: 'dashboard',
  OIDC_ADMINS: `groups=Admins -> ${organizationId}`,
  SIGN_IN_KEY: Buffer.alloc(32).toString('base64'),
  MIGRATE_ON_START: 'false',
  PORT: '0',
  HOST: '127.0.0.1',
});

const newOrganization = async (): Promise<string> =>
  JSON.parse((await run(['organizations', 'create', 'Acme', '--json'], database.env)).stdout).id;

/** The option of Node that makes a library seem not to be installed. */
function without(library: string): string {
  const file = join(directory, `without-${library}.cjs`);
  const hooks = `export const resolve = (name, context, next) => {
    if (name !== '${library}') return next(name, context);
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  };`;
  const url = `data:text/javascript,${encodeURIComponent(hooks)}`;
  writeFileSync(file, `require('node:module').register(${JSON.stringify(url)});`);
  return `--require ${file}`;
}

it('a process whose rules name an organization that is there exchanges assertions', async () => {
  const service = await start(variables(await newOrganization()));
  try {
    const { status, body } = await present(service, await assertionOf(issuer));
    expect([status, body]).toMatchObject([200, { scope: 'users:read' }]);
    const output = service.stdout() + service.stderr();
    for (const secret of ['eyJ', body.access_token]) expect(output).not.toContain(secret);
  } finally {
    await stop(service);
  }
});

it('a rule that names an organization that is not there stops the start, with all of these', async () => {
  const there = await newOrganization();
  const [gone, lost] = [newId('org'), newId('org')];
  const TOKEN_ISSUERS = [there, gone, lost].map(ruleFor).join();
  const OIDC_ADMINS = `groups=Admins -> ${gone}`;
  const ended = await run(['start'], { ...variables(there), TOKEN_ISSUERS, OIDC_ADMINS, LOG_LEVEL: 'fatal' });
  expect([ended.code, ended.stdout]).toEqual([1, '']);
  expect(ended.stderr).toContain(
    [
      'Invalid configuration:',
      `  OIDC_ADMINS names organizations that do not exist: ${gone}. See: ums organizations list`,
      `  TOKEN_ISSUERS names organizations that do not exist: ${gone}, ${lost}. See: ums organizations list`,
    ].join('\n'),
  );
});

it.each([
  ['jose', 'TOKEN_ISSUERS'],
  ['openid-client', 'OIDC_ISSUER'],
])('without %s, %s stops the start', async (library, variable) => {
  const env = { ...variables(await newOrganization()), NODE_OPTIONS: without(library), LOG_LEVEL: 'fatal' };
  const ended = await run(['start'], env);
  expect([ended.code, ended.stdout]).toEqual([1, '']);
  expect(ended.stderr).toContain(
    `${library} is not installed. Unset ${variable}, or run npm install ${library}.`,
  );
});

it('without jose, a service that exchanges no assertions starts', async () => {
  const env = { ...database.env, NODE_OPTIONS: without('jose') };
  expect(await stop(await start(env))).toBe(0);
});
