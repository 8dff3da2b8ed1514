/**
 * @slow it starts processes
 * @only embedded postgres: a process starts the same way on a cluster
 */
import { copyOfTemplate, type TestDatabase } from '../support/database';
import { run, start, stop } from '../support/process';

const ISSUER = 'http://127.0.0.1:9'; // nobody answers there, which does not stop a start
const PUBLIC_URL = 'https://people.example.com';
const OIDC = { OIDC_ISSUER: ISSUER, OIDC_CLIENT_ID: 'dashboard', PUBLIC_URL };
const MISSING = 'There is no active admin token. Create one with: ums organizations create';

let database: TestDatabase;
let organization: string;
beforeAll(async () => {
  database = await copyOfTemplate();
  const { stdout } = await run(['organizations', 'create', 'Acme', '--json'], database.env);
  organization = JSON.parse(stdout).id;
});
afterAll(() => database.drop());

/** The report of a start in production, where no admin token is made. */
async function report(env: NodeJS.ProcessEnv): Promise<Record<string, unknown>> {
  const production = { NODE_ENV: 'production', DATABASE_URL: database.env.DATABASE_URL || 'embedded' };
  const service = await start({ ...database.env, ...production, ...env });
  await stop(service);
  const lines = service.stdout().trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line)).find(({ url }) => url !== undefined);
}

describe('a start without an admin token', () => {
  it('says where people sign in if a rule makes somebody an admin', async () => {
    const facts = await report({ ...OIDC, OIDC_ADMINS: `groups=Admins -> ${organization}` });
    expect(facts).toMatchObject({ msg: 'started', signIn: `${PUBLIC_URL}/dashboard`, admins: true });
  });

  it('also says that an admin token is missing if no rule grants the scope admin', async () => {
    const facts = await report({ ...OIDC, OIDC_ADMINS: `groups=Support -> ${organization} users:read` });
    expect(facts).toMatchObject({
      msg: expect.stringContaining(MISSING),
      signIn: `${PUBLIC_URL}/dashboard`,
      admins: false,
    });
  });

  it('says that an admin token is missing if the issuer has no rules', async () => {
    const facts = await report(OIDC);
    expect(facts).toMatchObject({ msg: expect.stringContaining(MISSING), admins: false });
    expect(facts).not.toHaveProperty('signIn');
  });

  it.each([
    ['users:read admin', { msg: 'started', admins: true }],
    ['users:read', { msg: expect.stringContaining(MISSING), admins: false }],
  ])('counts programs with the scope admin: TOKEN_ISSUERS grants %s', async (scopes, expected) => {
    const TOKEN_ISSUERS = `${ISSUER} sub=crm -> ${organization} ${scopes}`;
    expect(await report({ PUBLIC_URL, TOKEN_ISSUERS })).toMatchObject(expected);
  });
});

it('a start prints where people sign in as text, too', async () => {
  const service = await start({
    ...database.env,
    ...OIDC,
    OIDC_ADMINS: `groups=Admins -> ${organization}`,
  });
  await stop(service);
  expect(service.stdout()).toContain(
    `\nDashboard: ${service.url}/dashboard\nPeople sign in at ${PUBLIC_URL}/dashboard\n`,
  );
  expect(service.stdout()).not.toContain('There is no active admin token');
});
