/**
 * @only embedded: it uses no database
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../src/platform/database/id';
import { readConfig, serviceOptions } from '../../src/entry/process/config';
import { grantsOf } from '../../src/platform/issuers/claim-rules';
import { matchingClaims, parseAdminRules } from '../../src/sign-in/oidc/admin-rules';

const ACME = newId('org');

/** Variables that make sense together. */
const ENV = {
  OIDC_ISSUER: 'https://login.example.com',
  OIDC_CLIENT_ID: 'dashboard',
  OIDC_CLIENT_SECRET: 'a secret of the client',
  PUBLIC_URL: 'https://people.example.com',
};

describe('the rules', () => {
  it('match whole values, of single claims and of lists', () => {
    const rules = `a=1 -> ${ACME}, https://x.example/b=x=y z -> ${ACME} users:read users:write`;
    expect(parseAdminRules(rules)).toEqual([
      { conditions: [{ claim: 'a', value: '1' }], organizationId: ACME, scopes: ['admin'] },
      {
        conditions: [{ claim: 'https://x.example/b', value: 'x=y z' }],
        organizationId: ACME,
        scopes: ['users:read', 'users:write'],
      },
    ]);
  });

  it.each([
    ['groups', 'must be rules'],
    ['groups=Admins', 'must be rules'],
    [`=Admins -> ${ACME}`, 'must be rules'],
    [`groups= -> ${ACME}`, 'must be rules'],
    [`groups=Admins -> ${ACME},`, 'must be rules'],
    ['groups=Admins -> Acme', 'without the id of an organization'],
    ['groups=Admins -> org_1', 'without the id of an organization'],
    [`groups=Admins -> ${ACME} users:all`, 'unknown scope'],
    [`groups=Admins -> ${ACME} admin; x=y -> ${ACME}`, 'unknown scope'],
    [' ', 'must not be blank'],
  ])('%j stops the start', (OIDC_ADMINS, message) => {
    expect(() => readConfig({ ...ENV, OIDC_ADMINS })).toThrow(`OIDC_ADMINS`);
    expect(() => readConfig({ ...ENV, OIDC_ADMINS })).toThrow(message);
  });

  it('give the same for the claims that match as for all of them', () => {
    const rules = parseAdminRules(
      `groups=A -> ${ACME}, groups=B -> ${newId('org')}, email=a@x.org -> ${ACME} users:read, email_verified=true -> ${newId('org')}, __proto__=x -> ${newId('org')}`,
    );
    const claims = {
      ...JSON.parse('{ "__proto__": "x" }'),
      groups: ['B', 'C', 'B'],
      name: 'Ada',
      email: 'a@x.org',
    };
    for (const email_verified of [true, false, 'true', undefined]) {
      const all = { ...claims, email_verified };
      const matching = matchingClaims(rules, all);
      expect(grantsOf(rules, matching)).toEqual(grantsOf(rules, all));
      expect(JSON.stringify(matching)).not.toMatch(/Ada|"C"|"B","B"/);
    }
  });
});

describe('the settings', () => {
  it.each([
    ['OIDC_ISSUER', 'http://login.example.com', 'https'],
    ['OIDC_ISSUER', 'http://127.0.0.1.example.com', 'https'],
    ['OIDC_ISSUER', 'login.example.com', 'https'],
    ['OIDC_ISSUER', 'https://login.example.com/.well-known/openid-configuration', 'without /.well-known/'],
    ['OIDC_CLIENT_ID', ' ', 'must not be blank'],
    ['PUBLIC_URL', 'http://people.example.com', 'https'],
    ['PUBLIC_URL', 'https://people.example.com/?x=1', 'without'],
    ['SIGN_IN_KEY', 'short', 'must be 32 bytes in base64; generate it with: openssl rand -base64 32'],
    ['SIGN_IN_KEY', Buffer.alloc(31).toString('base64'), '32 bytes'],
  ])('refuse %s=%s', (name, value, message) => {
    expect(() => readConfig({ ...ENV, [name]: value })).toThrow(`${name} `);
    expect(() => readConfig({ ...ENV, [name]: value })).toThrow(message);
  });

  it.each([
    'http://127.0.0.1:8080',
    'http://localhost',
    'http://[::1]:1',
    'https://login.example.com/tenant/',
  ])('take %s for an issuer', (OIDC_ISSUER) =>
    expect(readConfig({ ...ENV, OIDC_ISSUER }).oidc?.issuer).toBe(OIDC_ISSUER),
  );

  it.each(['OIDC_CLIENT_ID', 'PUBLIC_URL'])('stop the start with an issuer, but without %s', (name) => {
    for (const value of ['', undefined])
      expect(() => readConfig({ ...ENV, [name]: value })).toThrow(
        new RegExp(`^Invalid configuration:\\n  ${name} must be set with OIDC_ISSUER: the .+$`),
      );
  });

  it.each([
    ['OIDC_CLIENT_ID', 'dashboard'],
    ['OIDC_CLIENT_SECRET', 'a secret of the client'],
    ['OIDC_ADMINS', `groups=Admins -> ${ACME}`],
    ['SIGN_IN_KEY', Buffer.alloc(32).toString('base64')],
  ])('stop the start with %s, but without an issuer', (name, value) => {
    for (const PUBLIC_URL of ['', ENV.PUBLIC_URL])
      expect(() => readConfig({ PUBLIC_URL, [name]: value })).toThrow(
        `${name} has no effect without OIDC_ISSUER; set OIDC_ISSUER, or unset ${name}`,
      );
  });

  it('name all that is missing at once, and nothing that only follows from another fault', () => {
    const faultsOf = (env: NodeJS.ProcessEnv) => {
      try {
        return readConfig(env) && [];
      } catch (error) {
        return (error as Error).message.split('\n').slice(1);
      }
    };
    expect(faultsOf({ OIDC_ISSUER: ENV.OIDC_ISSUER })).toHaveLength(2);
    expect(faultsOf({ ...ENV, OIDC_ISSUER: 'http://login.example.com' })).toHaveLength(1);
    expect(faultsOf(ENV)).toEqual([]);
  });

  it('are off without an issuer, whatever PUBLIC_URL is', () => {
    expect(
      serviceOptions(readConfig({ PUBLIC_URL: ENV.PUBLIC_URL, DATABASE_URL: 'postgres://x' })).oidc,
    ).toBe(undefined);
    const { oidc } = serviceOptions(readConfig({ ...ENV, DATABASE_URL: 'postgres://x' }));
    expect(oidc).toMatchObject({ issuer: ENV.OIDC_ISSUER, clientId: 'dashboard', publicUrl: ENV.PUBLIC_URL });
  });

  it('want a secret that nobody guesses, or a key', () => {
    const short = { ...ENV, OIDC_CLIENT_SECRET: '123456789012345' };
    expect(() => readConfig(short)).toThrow(
      'OIDC_CLIENT_SECRET has fewer than 16 characters, too few to encrypt cookies with; set SIGN_IN_KEY, too',
    );
    readConfig({ ...short, SIGN_IN_KEY: Buffer.alloc(32).toString('base64') });
    readConfig({ ...short, OIDC_CLIENT_SECRET: '' }); // a public client
    readConfig({ ...short, OIDC_CLIENT_SECRET: '1234567890123456' });
  });

  it('come from files, too', () => {
    const directory = mkdtempSync(join(tmpdir(), 'ums-sign-in-'));
    const file = join(directory, 'secret');
    writeFileSync(file, `${ENV.OIDC_CLIENT_SECRET}\n`);
    try {
      const env = { ...ENV, OIDC_CLIENT_SECRET: '', OIDC_CLIENT_SECRET_FILE: file };
      expect(readConfig(env).oidc?.clientSecret).toBe(ENV.OIDC_CLIENT_SECRET);
      expect(() => readConfig({ OIDC_CLIENT_SECRET_FILE: file })).toThrow(
        'OIDC_CLIENT_SECRET has no effect without OIDC_ISSUER',
      );
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
