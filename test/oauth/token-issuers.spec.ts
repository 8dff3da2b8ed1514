/**
 * @only embedded: it uses no database
 */
import { readConfig } from '../../src/entry/process/config';
import { newId } from '../../src/platform/database/id';
import { mayName } from '../../src/platform/issuers/urls';

const [ACME, GLOBEX] = [newId('org'), newId('org')];
const ISSUER = 'https://token.actions.githubusercontent.com';
const PUBLIC_URL = 'https://users.example.com';
const RULE = `${ISSUER} sub=repo:acme/crm:ref:refs/heads/main -> ${ACME} users:read users:write`;

/** The faults with these variables. */
function faultsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    return readConfig(env) && [];
  } catch (error) {
    return (error as Error).message.split('\n').slice(1);
  }
}

describe('TOKEN_ISSUERS', () => {
  it.each([
    ['a rule', [RULE]],
    [
      'several rules',
      [RULE, `${ISSUER} sub=b -> ${GLOBEX} users:read`, `https://b.example sub=a -> ${ACME} admin`],
    ],
    ['several claims', [`${ISSUER} sub=a ref=refs/heads/main repository_id=74 -> ${ACME} users:read`]],
    ['sub behind another claim', [`${ISSUER} ref=main sub=a -> ${ACME} users:read`]],
    ['values with signs', [`${ISSUER} sub=a=b:c;d*e/f|g https://x.example/claim=x -> ${ACME} users:read`]],
    ['spaces and lines', [`${ISSUER}\t sub=a \n ref=b\n->\n  ${ACME}\n users:read`]],
    ['admin by name', [`${ISSUER} sub=a -> ${ACME} admin users:read`]],
    [
      'http on loopback',
      [`http://127.0.0.1:8080 sub=a -> ${ACME} users:read`, `http://[::1] sub=a -> ${ACME} users:read`],
    ],
    ['a path, and a slash at the end', [`https://login.example.com/tenant/ sub=a -> ${ACME} users:read`]],
  ])('may be %s', (_what, rules) => {
    const config = readConfig({ PUBLIC_URL, TOKEN_ISSUERS: rules.join(' , ') });
    expect(config.tokenIssuers).toEqual({ audience: PUBLIC_URL, rules });
  });

  it.each([
    ['', 'must be rules separated by commas'],
    ['acme', 'must be rules separated by commas'],
    [ISSUER, 'must be rules separated by commas'],
    [`${ISSUER} sub=a`, 'must be rules separated by commas'],
    [`${ISSUER} -> ${ACME} users:read`, 'must be rules separated by commas'],
    [`sub=a -> ${ACME} users:read`, 'must be rules separated by commas'],
    [`${ISSUER} sub -> ${ACME} users:read`, 'must be rules separated by commas'],
    [`${ISSUER} sub= -> ${ACME} users:read`, 'must be rules separated by commas'],
    [`${ISSUER} =a -> ${ACME} users:read`, 'must be rules separated by commas'],
    [`${ISSUER} sub=a b -> ${ACME} users:read`, 'must be rules separated by commas'],
    [`${RULE},`, 'must be rules separated by commas'],
    [`${ISSUER} ref=main -> ${ACME} users:read`, 'has a rule without a sub'],
    [`${ISSUER} sub=a\u0000b -> ${ACME} users:read`, 'has a rule without a sub'],
    [`${ISSUER} sub=a -> ${ACME}`, 'has a rule without scopes'],
    [`${ISSUER} sub=a -> ${ACME} users:all`, 'has a rule with an unknown scope, "users:all"'],
    [`${ISSUER} sub=a -> ${ACME} users:*`, 'has a rule with an unknown scope, "users:*"'],
    [`${ISSUER} sub=a -> Acme users:read`, 'has a rule without the id of an organization'],
    [`${ISSUER} sub=a -> users:read`, 'has a rule without the id of an organization'],
    [`http://login.example.com sub=a -> ${ACME} users:read`, 'whose issuer must be an https:// URL'],
    [`http://127.0.0.1.example.com sub=a -> ${ACME} users:read`, 'whose issuer must be an https:// URL'],
    [`login.example.com sub=a -> ${ACME} users:read`, 'whose issuer must be an https:// URL'],
    [
      `https://a:b@login.example.com sub=a -> ${ACME} users:read`,
      'whose issuer must be a URL without a user',
    ],
    [`https://login.example.com?x sub=a -> ${ACME} users:read`, 'whose issuer must be a URL without a user'],
    [
      `${ISSUER}/.well-known/openid-configuration sub=a -> ${ACME} users:read`,
      'whose issuer must be the issuer itself, without /.well-known/',
    ],
  ])('stops the start if it is %j', (rule, message) => {
    const TOKEN_ISSUERS = rule === '' ? ' ' : rule;
    const faults = faultsOf({ PUBLIC_URL, TOKEN_ISSUERS }).join('\n');
    expect(faults).toMatch(/^ {2}TOKEN_ISSUERS /);
    expect(faults).toContain(message);
  });

  it('stops the start with all faults at once, each with its rule', () => {
    const wrong = [
      `http://a.example sub=a -> ${ACME} users:read`,
      `${ISSUER} sub=b -> ${ACME}`,
      `${ISSUER} ref=c -> ${ACME} users:read`,
    ];
    const TOKEN_ISSUERS = [wrong[0], RULE, wrong[1], wrong[2]].join();
    const faults = faultsOf({ PUBLIC_URL: 'http://users.example.com', TOKEN_ISSUERS, PORT: 'x' });
    const ofIssuers = faults.filter((fault) => fault.startsWith('  TOKEN_ISSUERS '));
    expect(ofIssuers).toEqual([expect.stringMatching(/a\.example.*; .*without scopes.*; .*without a sub/)]);
    for (const rule of wrong) expect(ofIssuers[0]).toContain(JSON.stringify(rule));
    expect(faults.map((fault) => fault.trim().split(' ')[0]).sort()).toEqual([
      'PORT',
      'PUBLIC_URL',
      'TOKEN_ISSUERS',
    ]);
  });

  it('stops the start without PUBLIC_URL', () => {
    const missing =
      '  PUBLIC_URL must be set with TOKEN_ISSUERS: the URL of the service, which assertions name as their audience';
    for (const empty of ['', undefined])
      expect(faultsOf({ TOKEN_ISSUERS: RULE, PUBLIC_URL: empty })).toEqual([missing]);
    expect(faultsOf({ TOKEN_ISSUERS: 'acme' })).toEqual([expect.stringContaining('TOKEN_ISSUERS'), missing]);
  });

  it('is off by default, whatever PUBLIC_URL is', () => {
    for (const TOKEN_ISSUERS of ['', undefined])
      expect(readConfig({ PUBLIC_URL, TOKEN_ISSUERS }).tokenIssuers).toBe(undefined);
  });
});

it('the audience has no slash at its end', () => {
  for (const url of [PUBLIC_URL, `${PUBLIC_URL}/`, `${PUBLIC_URL}:443`])
    expect(readConfig({ PUBLIC_URL: url, TOKEN_ISSUERS: RULE }).tokenIssuers?.audience).toBe(PUBLIC_URL);
});

it.each([
  ['https://a.example', 'https://keys.a.example/jwks', true],
  ['https://a.example', 'http://127.0.0.1:3000/metrics', false],
  ['https://a.example', 'HTTP://localhost/keys', false],
  ['http://127.0.0.1:8080', 'http://localhost:8081/keys', true],
  ['http://127.0.0.1:8080', 'http://a.example/keys', false],
  ['http://127.0.0.1:8080', 'https://a.example/keys', true],
  ['https://a.example', '/keys', false],
  ['https://a.example', ['https://a.example/keys'], false],
])('the issuer %s may have its keys at %j: %s', (issuer, keys, may) => {
  expect(mayName(issuer, keys)).toBe(may);
});
