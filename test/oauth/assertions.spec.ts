import { createHmac, generateKeyPairSync, KeyObject, sign as signBytes } from 'node:crypto';
import { type CryptoKey, EncryptJWT, type JWK, type JWTPayload, SignJWT } from 'jose';
import { readConfig } from '../../src/entry/process/config';
import { parseIssuerRules } from '../../src/oauth/token-issuers';
import { newId } from '../../src/platform/database/id';
import { grantsOf } from '../../src/platform/issuers/claim-rules';
import { mayName } from '../../src/platform/issuers/urls';
import {
  ACME,
  assertionOf,
  AUDIENCE,
  GLOBEX,
  goodClaims,
  inSeconds,
  present,
  SUBJECT,
  useAssertions,
} from '../support/assertions';
import { useMonotonicClock } from '../support/clock';
import { type FakeIssuer, type Signature, startIssuer, strangeKey } from '../support/issuer';
import { expectFailure } from '../support/oauth';

/** What a platform signs for a workload, and where it shows its keys. */
interface Platform {
  name: string;
  issuer: string;
  jwksUri: string;
  /** Beside the algorithm and the id of the key. */
  header: object;
  /** Beside the issuer and the times. */
  claims: JWTPayload;
  /** The life of an assertion. */
  seconds: number;
  rule: string;
  /** Claims of another workload. */
  other: object;
}

const PLATFORMS: Platform[] = [
  {
    name: 'Kubernetes',
    issuer: 'https://kubernetes.default.svc.cluster.local',
    jwksUri: 'https://172.20.0.3:6443/openid/v1/jwks',
    header: {},
    seconds: 3607,
    claims: {
      aud: [AUDIENCE],
      jti: 'e51f1fbc-4733-4b85-a59f-ba80c0523874',
      'kubernetes.io': {
        namespace: 'crm',
        pod: { name: 'sync-7d9c', uid: '0d8b260e-ef0e-45fb-be8e-ff44f97722e8' },
        serviceaccount: { name: 'sync', uid: 'e6a8680e-d103-4cce-80ea-03acbbeacf7d' },
      },
      sub: 'system:serviceaccount:crm:sync',
    },
    rule: 'sub=system:serviceaccount:crm:sync',
    other: { sub: 'system:serviceaccount:crm:default' },
  },
  {
    name: 'GitHub',
    issuer: 'https://token.actions.githubusercontent.com',
    jwksUri: 'https://token.actions.githubusercontent.com/.well-known/jwks',
    header: { typ: 'JWT', x5t: 'a-thumbprint' },
    seconds: 300,
    claims: {
      aud: AUDIENCE,
      sub: 'repo:acme/crm:ref:refs/heads/main',
      ref: 'refs/heads/main',
      repository: 'acme/crm',
      repository_id: '74',
      head_ref: '',
      event_name: 'push',
      ref_protected: 'true',
      job_workflow_ref: 'acme/crm/.github/workflows/deploy.yml@refs/heads/main',
    },
    rule: 'sub=repo:acme/crm:ref:refs/heads/main repository_id=74 event_name=push',
    other: { sub: 'repo:acme/crm:pull_request', event_name: 'pull_request' },
  },
  {
    name: 'GitLab',
    issuer: 'https://gitlab.com',
    jwksUri: 'https://gitlab.com/oauth/discovery/keys',
    header: { typ: 'JWT' },
    seconds: 3600,
    claims: {
      aud: AUDIENCE,
      sub: 'project_path:acme/crm:ref_type:branch:ref:main',
      project_id: '20',
      user_identities: [{ provider: 'github', extern_uid: '2435223452345' }],
      groups_direct: ['acme', 'acme/deployers'],
      ref_protected: 'true',
      runner_id: 1,
    },
    rule: 'sub=project_path:acme/crm:ref_type:branch:ref:main ref_protected=true groups_direct=acme/deployers runner_id=1',
    other: { ref_protected: 'false' },
  },
];

let other: FakeIssuer;
beforeAll(async () => (other = await startIssuer()));
afterAll(() => other.down());

const { issuer, service, exchanged, clientWith } = useAssertions((url) => [
  `${url} sub=${SUBJECT} -> ${ACME} users:read`,
  `${url} sub=${SUBJECT} ref=main -> ${ACME} users:write users:read`,
  `${url} sub=several -> ${ACME} users:read`,
  `${url} sub=several -> ${GLOBEX} users:write`,
  `${url} sub=boss -> ${GLOBEX} admin`,
  `${other.url} sub=${SUBJECT} -> ${ACME} users:read`,
  ...PLATFORMS.map(({ issuer, rule }) => `${issuer} ${rule} -> ${ACME} users:read`),
]);

const signatures: Record<string, Signature> = {};
beforeAll(async () => {
  signatures.RS256 = issuer.signature;
  for (const alg of ['PS256', 'ES256', 'EdDSA']) signatures[alg] = await issuer.addKey(alg);
});

// Before each test, the issuers may be asked for new keys.
const clock = useMonotonicClock();
beforeEach(() => clock.pass(11_000));

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** An assertion with good claims and any header, which no library would make. */
function byHand(
  header: object,
  key: Signature['key'] | KeyObject = issuer.signature.key,
  hash: string | null = 'sha256',
) {
  const text = `${encoded(header)}.${encoded(goodClaims(issuer.url))}`;
  const privateKey = key instanceof KeyObject ? key : KeyObject.from(key as CryptoKey);
  const bytes = signBytes(hash, Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${bytes.toString('base64url')}`;
}

/** The assertion is refused with this description, and makes no token. */
async function expectRefused(assertion: string, description: string): Promise<void> {
  const tokens = async () => (await service.dataSource.query('SELECT id FROM tokens')).length;
  const before = await tokens();
  const answer = await present(service, assertion);
  expectFailure(answer, 'invalid_grant');
  expect(answer.body.error_description).toBe(description);
  expect(await tokens()).toBe(before);
}

describe('an assertion', () => {
  it.each<[string, () => string | Promise<string>]>([
    ['RS256', () => assertionOf(issuer)],
    ['PS256', () => assertionOf(issuer, {}, signatures.PS256)],
    ['ES256', () => assertionOf(issuer, {}, signatures.ES256)],
    ['EdDSA', () => assertionOf(issuer, {}, signatures.EdDSA)],
    ['no key id, if only one key suits', () => byHand({ alg: 'ES256' }, signatures.ES256.key)],
    [
      'a type, and parameters of the header that are not read',
      () => byHand({ alg: 'ES256', kid: 'ES256', typ: 'at+jwt', jku: 'http://x' }, signatures.ES256.key),
    ],
    ['a list of audiences', () => assertionOf(issuer, { aud: ['https://other.example', AUDIENCE] })],
    ['neither nbf nor iat', () => assertionOf(issuer, { nbf: undefined, iat: undefined })],
    ['nbf and iat in 20 s', () => assertionOf(issuer, { nbf: inSeconds(20), iat: inSeconds(20) })],
    ['nbf and iat long ago', () => assertionOf(issuer, { nbf: 1, iat: 1 })],
    ['an end in almost 24 hours', () => assertionOf(issuer, { exp: inSeconds(24 * 3600 - 60) })],
    ['an end with a fraction', () => assertionOf(issuer, { exp: inSeconds(600) + 0.5 })],
    ['claims that no rule looks at', () => assertionOf(issuer, { azp: 'x', deep: { er: [null, { x: 1 }] } })],
  ])('may have %s', async (_what, make) => {
    expect((await present(service, await make())).body).toMatchObject({ scope: 'users:read' });
  });

  it('may be used again until it ends', async () => {
    const assertion = await assertionOf(issuer);
    const answers = await Promise.all([1, 2, 3].map(() => present(service, assertion)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(3);
  });

  it.each<[string, string, () => object]>([
    ['iss', 'of another', () => ({ iss: 'https://evil.example' })],
    ['iss', 'in a list', () => ({ iss: [issuer.url] })],
    ['iss', 'with a slash at its end', () => ({ iss: `${issuer.url}/` })],
    ['iss', 'missing', () => ({ iss: undefined })],
    ['aud', 'of another', () => ({ aud: 'https://other.example' })],
    ['aud', 'in a list without it', () => ({ aud: ['https://other.example', 'b'] })],
    ['aud', 'with a slash at its end', () => ({ aud: `${AUDIENCE}/` })],
    ['aud', 'in an object', () => ({ aud: { [AUDIENCE]: AUDIENCE } })],
    ['aud', 'missing', () => ({ aud: undefined })],
    ['exp', 'over by a second', () => ({ exp: inSeconds(-1) })],
    ['exp', '25 hours away', () => ({ exp: inSeconds(25 * 3600) })],
    ['exp', 'beyond all dates', () => ({ exp: 1e300 })],
    ['exp', 'in a text', () => ({ exp: `${inSeconds(600)}` })],
    ['exp', 'missing', () => ({ exp: undefined })],
    ['nbf', 'in 60 s', () => ({ nbf: inSeconds(60) })],
    ['nbf', 'in a text', () => ({ nbf: '1234567' })],
    ['iat', 'in 60 s', () => ({ iat: inSeconds(60) })],
    ['iat', 'in a text', () => ({ iat: '1234567' })],
    ['sub', 'in a list', () => ({ sub: [SUBJECT] })],
    ['sub', 'that is a number', () => ({ sub: 1234567 })],
    ['sub', 'missing', () => ({ sub: undefined })],
  ])('is refused for its %s, whose value is not told: %s', async (claim, _how, change) => {
    const description = `The claim ${claim} of the assertion is missing or not acceptable.`;
    await expectRefused(await assertionOf(issuer, change()), description);
  });
});

describe('a signature that is not valid', () => {
  const signedWith = async (change: Partial<Signature>) =>
    assertionOf(issuer, {}, { ...issuer.signature, ...change });
  const show = (publicKey: KeyObject, kid: string) =>
    issuer.keys.push({ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' } as JWK);

  it.each<[string, () => string | Promise<string>]>([
    ['of no algorithm', () => signedWith({ alg: 'none', key: null })],
    ['of no algorithm, with that of a good one', () => byHand({ alg: 'none', kid: 'key' })],
    [
      'of the public key as a secret',
      () => {
        const text = `${encoded({ alg: 'HS256', kid: 'key' })}.${encoded(goodClaims(issuer.url))}`;
        return `${text}.${createHmac('sha256', issuer.publicKey).update(text).digest('base64url')}`;
      },
    ],
    ['with RS512', () => byHand({ alg: 'RS512', kid: 'key' }, undefined, 'sha512')],
    [
      'with ES384',
      () => {
        const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
        show(publicKey, 'P-384');
        return byHand({ alg: 'ES384', kid: 'P-384' }, privateKey, 'sha384');
      },
    ],
    ['that is called another algorithm', () => byHand({ alg: 'ES256', kid: 'key' })],
    ['of another key with the same id', async () => signedWith({ key: await strangeKey() })],
    ['of the right key with an id that is unknown', () => signedWith({ kid: 'x' })],
    ['of another issuer', () => signedWith(other.signature)],
    [
      'of another issuer, with an id that only it has',
      async () => signedWith(await other.addKey('ES256', 'y')),
    ],
    [
      'of an RSA key of 1024 bits',
      () => {
        const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
        show(publicKey, 'weak');
        return byHand({ alg: 'RS256', kid: 'weak' }, privateKey);
      },
    ],
    [
      'of a key that is for encryption',
      async () => {
        const signature = await issuer.addKey('RS256', 'enc');
        issuer.keys.at(-1)!.use = 'enc';
        return signedWith(signature);
      },
    ],
    [
      'of a key whose private half is shown as well',
      async () => {
        const { privateKey } = generateKeyPairSync('ed25519');
        show(privateKey, 'private');
        return byHand({ alg: 'EdDSA', kid: 'private' }, privateKey, null);
      },
    ],
    ['with a header that must be understood', () => byHand({ alg: 'RS256', kid: 'key', crit: ['x'], x: 1 })],
    [
      'with a body that is not encoded',
      () => byHand({ alg: 'RS256', kid: 'key', crit: ['b64'], b64: false }),
    ],
    ['with a header without an algorithm', () => byHand({ kid: 'key' })],
    [
      'of other claims',
      async () => {
        const [header, , signature] = (await assertionOf(issuer)).split('.');
        return [header, encoded({ ...goodClaims(issuer.url), marker: 1 }), signature].join('.');
      },
    ],
    ['that is empty', async () => (await assertionOf(issuer)).replace(/[^.]*$/, '')],
  ])('is refused: %s', async (_what, make) => {
    // The other issuer's keys are known, too.
    expect((await present(service, await assertionOf(other))).status).toBe(200);
    await expectRefused(
      await make(),
      'The assertion has no valid signature by a key of its issuer, with one of RS256, PS256, ES256, EdDSA.',
    );
    // The good keys still work.
    expect((await exchanged()).status).toBe(200);
  });
});

describe('what is no signed JWT', () => {
  const encrypted = () =>
    new EncryptJWT(goodClaims(issuer.url))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .encrypt(new Uint8Array(32));
  const body = (text: string) =>
    `${encoded({ alg: 'RS256' })}.${Buffer.from(text, 'latin1').toString('base64url')}.c2ln`;

  it.each<[string, () => string | Promise<string>]>([
    ['encrypted', encrypted],
    ['a word', () => 'garbage'],
    ['three times nothing', () => '..'],
    ['four parts', async () => `${await assertionOf(issuer)}.x`],
    ['JSON of a signature', () => JSON.stringify({ payload: 'e30', protected: 'e30', signature: 'e30' })],
    ['claims of null', () => body('null')],
    ['claims that are no JSON', () => body('{"iss":')],
    ['claims that are no UTF-8', () => body('"\xff"')],
    ['an issuer that cannot be a text', () => body('{"iss":{"toString":1}}')],
    ['60,000 characters', () => 'x'.repeat(60_000)],
    ['control characters', () => 'a\u0000b.\ud83d.c'],
  ])('is refused: %s', async (_what, make) => {
    await expectRefused(await make(), 'The assertion is no signed JWT.');
  });
});

describe('a rule', () => {
  const email = 'ci@acme.example';

  it.each<[string, object[], object[]]>([
    // A subject as a whole, and no pattern.
    ['sub=main', [{ sub: 'main' }], ['mai', 'main2', 'Main', ' main', 'main ', ''].map((sub) => ({ sub }))],
    ['sub=repo:acme/*', [{ sub: 'repo:acme/*' }], [{ sub: 'repo:acme/crm' }]],
    ['sub=^.*$', [{ sub: '^.*$' }], [{ sub: 'main' }]],
    // All claims.
    [
      'sub=a ref=main env=x',
      [{ sub: 'a', ref: 'main', env: 'x' }],
      [
        { sub: 'b', ref: 'main', env: 'x' },
        { sub: 'a', ref: 'other', env: 'x' },
        { sub: 'a', ref: 'main' },
        { sub: 'a', ref: 'main', env: null },
        { sub: 'a', ref: 'main', env: { x: 'x' } },
      ],
    ],
    // A list by any of its elements.
    [
      'sub=a groups=b',
      [
        { sub: 'a', groups: ['a', 'b', 'c'] },
        { sub: 'a', groups: 'b' },
      ],
      [[], ['a'], ['b2'], [['b']], [{ b: true }], 'a b'].map((groups) => ({ sub: 'a', groups })),
    ],
    // Numbers and booleans as they are written.
    [
      'sub=a run=7 protected=true',
      [
        { sub: 'a', run: 7, protected: true },
        { sub: 'a', run: '7', protected: 'true' },
      ],
      [
        { sub: 'a', run: 70, protected: true },
        { sub: 'a', run: 7, protected: 1 },
      ],
    ],
    // An address only if it is verified, and one.
    [
      `sub=a email=${email}`,
      [{ sub: 'a', email, email_verified: true }],
      [
        ...[undefined, false, 'true', 1, null].map((email_verified) => ({ sub: 'a', email, email_verified })),
        { sub: 'a', email: [email], email_verified: true },
        { sub: 'a', email: 'CI@acme.example', email_verified: true },
      ],
    ],
    // Only what the assertion itself says.
    ['sub=a __proto__=x', [JSON.parse('{ "sub": "a", "__proto__": "x" }')], [{ sub: 'a' }]],
  ])('%s matches %j and nothing else', (conditions, matching, others) => {
    const rules = parseIssuerRules([`https://a.example ${conditions} -> ${ACME} users:read`]);
    const matches = (claims: object) => grantsOf(rules, { ...claims }).length === 1;
    expect([matching.filter(matches), others.filter(matches)]).toEqual([matching, []]);
  });

  it('that matches is needed; which claims were looked at is told', async () => {
    for (const sub of ['other', '', 'main2']) {
      const answer = await exchanged({ sub });
      expectFailure(answer, 'invalid_grant', /^No rule of this service matches the assertion\. /);
      expect(answer.body.error_description).toMatch(/ These claims were looked at: sub, ref\.$/);
    }
  });

  it('adds its scopes to those of others, for its organization', async () => {
    const united = { ref: 'main' };
    expect((await exchanged(united)).body.scope).toBe('users:read users:write');
    expect((await exchanged(united, { scope: 'users:write' })).body.scope).toBe('users:write');
    const reader = clientWith(await exchanged(united, { scope: 'users:read' }));
    await reader.get('/api/v1/users').expect(200);
    await reader.post('/api/v1/users', {}).expect(403);
    for (const scope of ['users:delete', 'admin', 'users:*'])
      expectFailure(
        await exchanged(united, { scope }),
        'invalid_scope',
        /^The scope must name some of users:read, users:write\.$/,
      );
    expect((await exchanged({ sub: 'boss' })).body.scope).toBe('admin');
    expect((await exchanged({ sub: 'boss' }, { scope: 'users:delete' })).body.scope).toBe('users:delete');
  });

  it('of another organization leaves the choice to organization_id', async () => {
    const unchosen = await exchanged({ sub: 'several' });
    expectFailure(unchosen, 'invalid_request', /^The field organization_id must be one of /);
    expect(unchosen.body.error_description).toContain(`${ACME}, ${GLOBEX}.`);
    for (const [organization_id, scope, status] of [
      [ACME, 'users:read', 200],
      [GLOBEX, 'users:write', 403],
    ] as const) {
      const answer = await exchanged({ sub: 'several' }, { organization_id });
      expect([answer.status, answer.body]).toMatchObject([200, { scope }]);
      await clientWith(answer).get('/api/v1/users').expect(status);
    }
    expect((await exchanged({}, { organization_id: ACME })).status).toBe(200);
    for (const organization_id of [GLOBEX, newId('org'), 'Acme'])
      expectFailure(
        await exchanged({}, { organization_id }),
        'invalid_grant',
        /^No rule gives access to the organization_id\.$/,
      );
  });
});

describe('an assertion of', () => {
  // In this network, the names of the platforms lead to the issuer of the test.
  const pathOf = (url: string) => url.replace('https:/', '');
  beforeEach(() => {
    const fetchAny = globalThis.fetch;
    jest
      .spyOn(globalThis, 'fetch')
      .mockImplementation((url, options) =>
        fetchAny(`${url}`.startsWith('https:') ? issuer.url + pathOf(`${url}`) : url, options),
      );
  });
  beforeAll(() => {
    for (const { issuer: iss, jwksUri } of PLATFORMS) {
      const discovery = { issuer: iss, jwks_uri: jwksUri, id_token_signing_alg_values_supported: ['RS256'] };
      issuer.answerAt(pathOf(`${iss}/.well-known/openid-configuration`), (response) =>
        response.end(JSON.stringify(discovery)),
      );
      issuer.answerAt(pathOf(jwksUri), (response) => {
        response.setHeader('Content-Type', 'application/jwk-set+json');
        response.end(JSON.stringify({ keys: issuer.keys.map((key) => ({ ...key, alg: 'RS256' })) }));
      });
    }
  });

  it.each(PLATFORMS)(
    '$name is exchanged, but for none of another workload and none for the platform itself',
    async ({ issuer: iss, header, seconds, claims, other }) => {
      const signed = (changes: object = {}) => {
        const times = { iat: inSeconds(0), nbf: inSeconds(0), exp: inSeconds(seconds) };
        const { alg, kid, key } = issuer.signature;
        return new SignJWT({ iss, ...times, ...claims, ...changes })
          .setProtectedHeader({ alg, kid, ...header })
          .sign(key!);
      };
      const signedAt = Date.now();
      const { status, body } = await present(service, await signed());
      expect([status, body]).toMatchObject([200, { token_type: 'Bearer', scope: 'users:read' }]);
      const left = Math.min(seconds, 3600) - body.expires_in;
      expect(left).toBeGreaterThanOrEqual(0);
      expect(left).toBeLessThan(2 + (Date.now() - signedAt) / 1000); // both times are rounded down
      expectFailure(await present(service, await signed(other)), 'invalid_grant', /^No rule of this service/);
      expectFailure(await present(service, await signed({ aud: [iss] })), 'invalid_grant', / aud /);
    },
  );
});

describe('TOKEN_ISSUERS', () => {
  const ISSUER = 'https://token.actions.githubusercontent.com';
  const RULE = `${ISSUER} sub=repo:acme/crm:ref:refs/heads/main -> ${ACME} users:read users:write`;
  const PUBLIC_URL = AUDIENCE;

  /** The faults with these variables. */
  function faultsOf(env: NodeJS.ProcessEnv): string[] {
    try {
      return readConfig(env) && [];
    } catch (error) {
      return (error as Error).message.split('\n').slice(1);
    }
  }

  it.each([
    ['a rule', [RULE]],
    [
      'several rules',
      [RULE, `${ISSUER} sub=b -> ${GLOBEX} users:read`, `http://[::1] sub=a -> ${ACME} admin users:read`],
    ],
    ['several claims', [`${ISSUER} ref=refs/heads/main sub=a repository_id=74 -> ${ACME} users:read`]],
    ['values with signs', [`${ISSUER} sub=a=b:c;d*e/f|g https://x.example/claim=x -> ${ACME} users:read`]],
    ['spaces and lines', [`${ISSUER}\t sub=a \n ref=b\n->\n  ${ACME}\n users:read`]],
    ['a path, and a slash at the end', [`https://login.example.com/tenant/ sub=a -> ${ACME} users:read`]],
  ])('may be %s', (_what, rules) => {
    const config = readConfig({ PUBLIC_URL, TOKEN_ISSUERS: rules.join(' , ') });
    expect(config.tokenIssuers).toEqual({ audience: PUBLIC_URL, rules });
  });

  const NO_RULE = 'must be rules separated by commas';

  it.each([
    [' ', NO_RULE],
    ['acme', NO_RULE],
    [`${ISSUER} sub=a`, NO_RULE],
    [`${ISSUER} -> ${ACME} users:read`, NO_RULE],
    [`sub=a -> ${ACME} users:read`, NO_RULE],
    [`${ISSUER} sub= -> ${ACME} users:read`, NO_RULE],
    [`${ISSUER} =a -> ${ACME} users:read`, NO_RULE],
    [`${ISSUER} sub=a b -> ${ACME} users:read`, NO_RULE],
    [`${RULE},`, NO_RULE],
    [`${ISSUER} ref=main -> ${ACME} users:read`, 'has a rule without a sub'],
    [`${ISSUER} sub=a\u0000b -> ${ACME} users:read`, 'has a rule without a sub'],
    [`${ISSUER} sub=a -> ${ACME}`, 'has a rule without scopes'],
    [`${ISSUER} sub=a -> ${ACME} users:*`, 'has a rule with an unknown scope, "users:*"'],
    [`${ISSUER} sub=a -> Acme users:read`, 'has a rule without the id of an organization'],
    [`http://127.0.0.1.example.com sub=a -> ${ACME} users:read`, 'whose issuer must be an https:// URL'],
    [`login.example.com sub=a -> ${ACME} users:read`, 'whose issuer must be an https:// URL'],
    [`https://a:b@a.example sub=a -> ${ACME} users:read`, 'whose issuer must be a URL without a user'],
    [`https://a.example?x sub=a -> ${ACME} users:read`, 'whose issuer must be a URL without a user'],
    [
      `${ISSUER}/.well-known/openid-configuration sub=a -> ${ACME} users:read`,
      'whose issuer must be the issuer itself, without /.well-known/',
    ],
  ])('stops the start if it is %j', (TOKEN_ISSUERS, message) => {
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
    const variables = faults.map((fault) => fault.trim().split(' ')[0]).sort();
    expect(variables).toEqual(['PORT', 'PUBLIC_URL', 'TOKEN_ISSUERS']);
  });

  it('stops the start without PUBLIC_URL, which alone switches nothing on', () => {
    const missing =
      '  PUBLIC_URL must be set with TOKEN_ISSUERS: the URL of the service, which assertions name as their audience';
    for (const empty of ['', undefined]) {
      expect(faultsOf({ TOKEN_ISSUERS: RULE, PUBLIC_URL: empty })).toEqual([missing]);
      expect(readConfig({ PUBLIC_URL, TOKEN_ISSUERS: empty }).tokenIssuers).toBe(undefined);
    }
    expect(faultsOf({ TOKEN_ISSUERS: 'acme' })).toEqual([expect.stringContaining('TOKEN_ISSUERS'), missing]);
  });

  it('has an audience without a slash at its end', () => {
    for (const url of [`${PUBLIC_URL}/`, `${PUBLIC_URL}:443`])
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
    ['https://a.example', 'file:///keys', false],
    ['https://a.example', ['https://a.example/keys'], false],
  ])('lets the issuer %s have its keys at %j: %s', (issuer, keys, may) => {
    expect(mayName(issuer, keys)).toBe(may);
  });
});
