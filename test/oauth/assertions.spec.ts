import { createHmac, generateKeyPairSync, KeyObject, sign as signBytes } from 'node:crypto';
import { type CryptoKey, EncryptJWT, type JWK } from 'jose';
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
  `${other.url} sub=${SUBJECT} env=x -> ${ACME} admin`,
]);

const signatures: Record<string, Signature> = {};
beforeAll(async () => {
  signatures.RS256 = issuer.signature;
  for (const alg of ['PS256', 'ES256', 'EdDSA']) signatures[alg] = await issuer.addKey(alg);
  issuer.keys.at(-1)!.alg = 'EdDSA';
});

const clock = useMonotonicClock();

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

type Make = () => string | Promise<string>;

/** Each assertion is refused with its description, and makes no token. */
async function expectRefused(rows: [what: string, make: Make, description: string][]): Promise<void> {
  const tokens = async () => (await service.dataSource.query('SELECT id FROM tokens')).length;
  const before = await tokens();
  for (const [what, make, error_description] of rows) {
    clock.pass(11_000); // the issuers may be asked for new keys
    const { status, body } = await present(service, await make());
    expect({ what, status, ...body }).toEqual({
      what,
      status: 400,
      error: 'invalid_grant',
      error_description,
    });
  }
  expect(await tokens()).toBe(before);
}

describe('an assertion', () => {
  it('may have any of the algorithms, and what does not count', async () => {
    const rows: Record<string, Make> = {
      RS256: () => assertionOf(issuer),
      PS256: () => assertionOf(issuer, {}, signatures.PS256),
      ES256: () => assertionOf(issuer, {}, signatures.ES256),
      EdDSA: () => assertionOf(issuer, {}, signatures.EdDSA),
      'no key id, if only one key suits': () => byHand({ alg: 'ES256' }, signatures.ES256.key),
      'a type, and parameters of the header that are not read': () =>
        byHand({ alg: 'ES256', kid: 'ES256', typ: 'at+jwt', jku: 'http://x' }, signatures.ES256.key),
      'a list of audiences': () => assertionOf(issuer, { aud: ['https://other.example', AUDIENCE] }),
      'neither nbf nor iat': () => assertionOf(issuer, { nbf: undefined, iat: undefined }),
      'nbf and iat in 20 s': () => assertionOf(issuer, { nbf: inSeconds(20), iat: inSeconds(20) }),
      'nbf and iat long ago': () => assertionOf(issuer, { nbf: 1, iat: 1 }),
      'an end in almost 24 hours': () => assertionOf(issuer, { exp: inSeconds(24 * 3600 - 60) }),
      'an end with a fraction': () => assertionOf(issuer, { exp: inSeconds(600) + 0.5 }),
      'claims that no rule looks at': () => assertionOf(issuer, { azp: 'x', deep: { er: [null, { x: 1 }] } }),
    };
    for (const [what, make] of Object.entries(rows)) {
      const { status, body } = await present(service, await make());
      expect({ what, status, scope: body.scope }).toEqual({ what, status: 200, scope: 'users:read' });
    }
  });

  it('may be used again until it ends', async () => {
    const assertion = await assertionOf(issuer);
    const answers = await Promise.all([1, 2, 3].map(() => present(service, assertion)));
    expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(3);
  });

  it('is refused for each claim that is not right, whose value is not told', async () => {
    const wrong: Record<string, unknown[]> = {
      iss: ['https://evil.example', [issuer.url], `${issuer.url}/`, undefined],
      aud: [
        'https://other.example',
        ['https://other.example', 'b'],
        `${AUDIENCE}/`,
        { [AUDIENCE]: AUDIENCE },
        undefined,
      ],
      exp: [inSeconds(-1), inSeconds(25 * 3600), 1e300, `${inSeconds(600)}`, undefined],
      nbf: [inSeconds(600), '1234567'],
      iat: [inSeconds(600), '1234567'],
      sub: [[SUBJECT], 1234567, undefined],
    };
    await expectRefused(
      Object.entries(wrong).flatMap(([claim, values]) =>
        values.map((value): [string, Make, string] => [
          `${claim}: ${JSON.stringify(value)}`,
          () => assertionOf(issuer, { [claim]: value }),
          `The claim ${claim} of the assertion is missing or not acceptable.`,
        ]),
      ),
    );
  });

  it('is refused with a signature that is not valid', async () => {
    const signedWith = (change: Partial<Signature>) =>
      assertionOf(issuer, {}, { ...issuer.signature, ...change });
    const show = (publicKey: KeyObject, kid: string) =>
      issuer.keys.push({ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' } as JWK);
    const rows: Record<string, Make> = {
      'of no algorithm': () => signedWith({ alg: 'none', key: null }),
      'of no algorithm, with that of a good one': () => byHand({ alg: 'none', kid: 'key' }),
      'of the public key as a secret': () => {
        const text = `${encoded({ alg: 'HS256', kid: 'key' })}.${encoded(goodClaims(issuer.url))}`;
        return `${text}.${createHmac('sha256', issuer.publicKey).update(text).digest('base64url')}`;
      },
      'with RS512': () => byHand({ alg: 'RS512', kid: 'key' }, undefined, 'sha512'),
      'that is called another algorithm': () => byHand({ alg: 'ES256', kid: 'key' }),
      'of another key with the same id': async () => signedWith({ key: await strangeKey() }),
      'of the right key with an id that is unknown': () => signedWith({ kid: 'x' }),
      'of another issuer': () => signedWith(other.signature),
      'of another issuer, with an id that only it has': async () =>
        signedWith(await other.addKey('ES256', 'y')),
      'of an RSA key of 1024 bits': () => {
        const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
        show(publicKey, 'weak');
        return byHand({ alg: 'RS256', kid: 'weak' }, privateKey);
      },
      'of a key that is for encryption': async () => {
        const signature = await issuer.addKey('RS256', 'enc');
        issuer.keys.at(-1)!.use = 'enc';
        return signedWith(signature);
      },
      'of a key whose private half is shown as well': () => {
        const { privateKey } = generateKeyPairSync('ed25519');
        show(privateKey, 'private');
        return byHand({ alg: 'EdDSA', kid: 'private' }, privateKey, null);
      },
      'with a header that must be understood': () =>
        byHand({ alg: 'RS256', kid: 'key', crit: ['b64'], b64: false }),
      'with a header without an algorithm': () => byHand({ kid: 'key' }),
      'of other claims': async () => {
        const [header, , signature] = (await assertionOf(issuer)).split('.');
        return [header, encoded({ ...goodClaims(issuer.url), marker: 1 }), signature].join('.');
      },
      'that is empty': async () => (await assertionOf(issuer)).replace(/[^.]*$/, ''),
    };
    const algorithms = 'RS256, PS256, ES256, EdDSA';
    const description = `The assertion has no valid signature by a key of its issuer, with one of ${algorithms}.`;
    expect((await present(service, await assertionOf(other))).status).toBe(200); // its keys are known, too
    await expectRefused(Object.entries(rows).map(([what, make]) => [what, make, description]));
    expect((await exchanged()).status).toBe(200); // the good keys still work
  });

  it('is refused if it is no signed JWT', async () => {
    const body = (text: string) =>
      `${encoded({ alg: 'RS256' })}.${Buffer.from(text, 'latin1').toString('base64url')}.c2ln`;
    const rows: Record<string, Make> = {
      encrypted: () =>
        new EncryptJWT(goodClaims(issuer.url))
          .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
          .encrypt(new Uint8Array(32)),
      'a word': () => 'garbage',
      'three times nothing': () => '..',
      'four parts': async () => `${await assertionOf(issuer)}.x`,
      'JSON of a signature': () => JSON.stringify({ payload: 'e30', protected: 'e30', signature: 'e30' }),
      'claims of null': () => body('null'),
      'claims that are no JSON': () => body('{"iss":'),
      'claims that are no UTF-8': () => body('"\xff"'),
      'an issuer that cannot be a text': () => body('{"iss":{"toString":1}}'),
      '60,000 characters': () => 'x'.repeat(60_000),
      'control characters': () => 'a\u0000b.\ud83d.c',
    };
    await expectRefused(
      Object.entries(rows).map(([what, make]) => [what, make, 'The assertion is no signed JWT.']),
    );
  });
});

describe('a rule', () => {
  const email = 'ci@acme.example';

  it('matches its conditions and nothing else', () => {
    const rows: [string, object[], object[]][] = [
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
          ...[undefined, false, 'true', 1, null].map((email_verified) => ({
            sub: 'a',
            email,
            email_verified,
          })),
          { sub: 'a', email: [email], email_verified: true },
          { sub: 'a', email: 'CI@acme.example', email_verified: true },
        ],
      ],
      // Only what the assertion itself says.
      ['sub=a __proto__=x', [JSON.parse('{ "sub": "a", "__proto__": "x" }')], [{ sub: 'a' }]],
    ];
    for (const [conditions, matching, others] of rows) {
      const rules = parseIssuerRules([`https://a.example ${conditions} -> ${ACME} users:read`]);
      const matches = (claims: object) => grantsOf(rules, { ...claims }).length === 1;
      const found = [matching.filter(matches), others.filter(matches)];
      expect({ conditions, found }).toEqual({ conditions, found: [matching, []] });
    }
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

  it('has rules in any layout, with any claims', () => {
    for (const rules of [
      [RULE],
      [RULE, `${ISSUER} sub=b -> ${GLOBEX} users:read`, `http://[::1] sub=a -> ${ACME} admin users:read`],
      [`${ISSUER} ref=refs/heads/main sub=a repository_id=74 -> ${ACME} users:read`],
      [`${ISSUER} sub=a=b:c;d*e/f|g https://x.example/claim=x -> ${ACME} users:read`],
      [`${ISSUER}\t sub=a \n ref=b\n->\n  ${ACME}\n users:read`],
      [`https://login.example.com/tenant/ sub=a -> ${ACME} users:read`],
    ])
      expect(readConfig({ PUBLIC_URL, TOKEN_ISSUERS: rules.join(' , ') }).tokenIssuers).toEqual({
        audience: PUBLIC_URL,
        rules,
      });
  });

  it('stops the start if a rule is malformed', () => {
    const NO_RULE = 'must be rules separated by commas';
    const rows = [
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
      [`${ISSUER} sub=a -> ${ACME} users:*`, 'has a rule with an unknown scope, "users:\\*"'],
      [`${ISSUER} sub=a -> Acme users:read`, 'has a rule without the id of an organization'],
      [`http://127.0.0.1.example.com sub=a -> ${ACME} users:read`, 'whose issuer must be an https:// URL'],
      [`login.example.com sub=a -> ${ACME} users:read`, 'whose issuer must be an https:// URL'],
      [`https://a:b@a.example sub=a -> ${ACME} users:read`, 'whose issuer must be a URL without a user'],
      [`https://a.example?x sub=a -> ${ACME} users:read`, 'whose issuer must be a URL without a user'],
      [
        `${ISSUER}/.well-known/openid-configuration sub=a -> ${ACME} users:read`,
        'whose issuer must be the issuer itself, without /.well-known/',
      ],
    ];
    for (const [TOKEN_ISSUERS, message] of rows) {
      const faults = faultsOf({ PUBLIC_URL, TOKEN_ISSUERS }).join('\n');
      expect({ TOKEN_ISSUERS, faults }).toEqual({
        TOKEN_ISSUERS,
        faults: expect.stringMatching(new RegExp(`^  TOKEN_ISSUERS .*${message}`)),
      });
    }
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

  it('lets an issuer name a safe address of its keys', () => {
    const rows: [string, unknown, boolean][] = [
      ['https://a.example', 'https://keys.a.example/jwks', true],
      ['https://a.example', 'http://127.0.0.1:3000/metrics', false],
      ['https://a.example', 'HTTP://localhost/keys', false],
      ['http://127.0.0.1:8080', 'http://localhost:8081/keys', true],
      ['http://127.0.0.1:8080', 'http://a.example/keys', false],
      ['http://127.0.0.1:8080', 'https://a.example/keys', true],
      ['https://a.example', '/keys', false],
      ['https://a.example', 'file:///keys', false],
      ['https://a.example', ['https://a.example/keys'], false],
    ];
    for (const [issuer, keys, may] of rows)
      expect({ issuer, keys, may: mayName(issuer, keys) }).toEqual({ issuer, keys, may });
  });
});
