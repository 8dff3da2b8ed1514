/**
 * @only embedded: an assertion is judged before the database is asked
 */
import { createHmac, generateKeyPairSync, KeyObject, sign as signBytes } from 'node:crypto';
import { type CryptoKey, EncryptJWT, type JWK } from 'jose';
import {
  ACME,
  assertionOf,
  AUDIENCE,
  expectFailure,
  goodClaims,
  inSeconds,
  present,
  SUBJECT,
  useAssertions,
} from '../support/assertions';
import { useMonotonicClock } from '../support/clock';
import { type FakeIssuer, type Signature, startIssuer, strangeKey } from '../support/issuer';

let other: FakeIssuer;
beforeAll(async () => (other = await startIssuer()));
afterAll(() => other.down());

const { issuer, service, exchanged } = useAssertions((url) => [
  `${url} sub=${SUBJECT} -> ${ACME} users:read`,
  `${other.url} sub=${SUBJECT} -> ${ACME} users:read`,
]);

const ALGORITHMS = ['PS256', 'ES256', 'EdDSA'];
const signatures: Record<string, Signature> = {};
beforeAll(async () => {
  signatures.RS256 = issuer.signature;
  for (const alg of ALGORITHMS) signatures[alg] = await issuer.addKey(alg);
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

describe('an assertion', () => {
  it.each(['RS256', ...ALGORITHMS])('may be signed with %s', async (alg) => {
    expect((await present(service, await assertionOf(issuer, {}, signatures[alg]))).status).toBe(200);
  });

  it.each([
    ['no key id, if only one key suits', { alg: 'ES256' }],
    ['a type', { alg: 'ES256', typ: 'at+jwt', kid: 'ES256' }],
    ['parameters of the header that are not read', { alg: 'ES256', kid: 'ES256', x5t: 'x', jku: 'http://x' }],
  ])('may have %s', async (_what, header) => {
    expect((await present(service, byHand(header, signatures.ES256.key))).status).toBe(200);
  });

  it.each<[string, () => object]>([
    ['a list of audiences', () => ({ aud: ['https://other.example', AUDIENCE] })],
    ['neither nbf nor iat', () => ({ nbf: undefined, iat: undefined })],
    ['nbf in 20 s', () => ({ nbf: inSeconds(20) })],
    ['iat in 20 s', () => ({ iat: inSeconds(20) })],
    ['nbf and iat long ago', () => ({ nbf: 1, iat: 1 })],
    ['an end in almost 24 hours', () => ({ exp: inSeconds(24 * 3600 - 60) })],
    ['an end with a fraction', () => ({ exp: inSeconds(600) + 0.5 })],
    ['claims that no rule looks at', () => ({ azp: 'x', deep: { er: [null, { x: 1 }] } })],
  ])('may have %s', async (_what, change) => {
    expect((await exchanged(change())).body).toMatchObject({ scope: 'users:read' });
  });

  it('may be used again until it ends', async () => {
    const assertion = await assertionOf(issuer);
    const answers = await Promise.all([1, 2, 3].map(() => present(service, assertion)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(3);
  });
});

/** How many tokens there are. */
const tokens = async (): Promise<number> =>
  (await service.dataSource.query('SELECT count(*)::int AS count FROM tokens'))[0].count;

describe('a claim that is not acceptable', () => {
  it.each<[string, string, () => object]>([
    ['iss', 'of another', () => ({ iss: 'https://evil.example' })],
    ['iss', 'in a list', () => ({ iss: [issuer.url] })],
    ['iss', 'with a slash at its end', () => ({ iss: `${issuer.url}/` })],
    ['iss', 'in upper case', () => ({ iss: issuer.url.toUpperCase() })],
    ['iss', 'that is a number', () => ({ iss: 1234567 })],
    ['iss', 'missing', () => ({ iss: undefined })],
    ['iss', 'of null', () => ({ iss: null })],
    ['aud', 'of another', () => ({ aud: 'https://other.example' })],
    ['aud', 'in a list without it', () => ({ aud: ['https://other.example', 'b'] })],
    ['aud', 'in an empty list', () => ({ aud: [] })],
    ['aud', 'with a slash at its end', () => ({ aud: `${AUDIENCE}/` })],
    ['aud', 'that begins like it', () => ({ aud: `${AUDIENCE}.evil.example` })],
    ['aud', 'in an object', () => ({ aud: { [AUDIENCE]: AUDIENCE } })],
    ['aud', 'missing', () => ({ aud: undefined })],
    ['exp', 'over by a second', () => ({ exp: inSeconds(-1) })],
    ['exp', 'over by an hour', () => ({ exp: inSeconds(-3600) })],
    ['exp', '25 hours away', () => ({ exp: inSeconds(25 * 3600) })],
    ['exp', 'beyond all dates', () => ({ exp: 1e300 })],
    ['exp', 'in a text', () => ({ exp: `${inSeconds(600)}` })],
    ['exp', 'missing', () => ({ exp: undefined })],
    ['exp', 'of null', () => ({ exp: null })],
    ['nbf', 'in 60 s', () => ({ nbf: inSeconds(60) })],
    ['nbf', 'in a text', () => ({ nbf: '1234567' })],
    ['iat', 'in 60 s', () => ({ iat: inSeconds(60) })],
    ['iat', 'in a text', () => ({ iat: '1234567' })],
    ['sub', 'in a list', () => ({ sub: [SUBJECT] })],
    ['sub', 'that is a number', () => ({ sub: 1234567 })],
    ['sub', 'missing', () => ({ sub: undefined })],
    ['sub', 'of null', () => ({ sub: null })],
  ])('is named, without a value: %s %s', async (claim, _how, change) => {
    const before = await tokens();
    const answer = await exchanged(change());
    expectFailure(answer, 'invalid_grant', /./);
    const { error_description: description } = answer.body;
    expect(description).toBe(`The claim ${claim} of the assertion is missing or not acceptable.`);
    expect(await tokens()).toBe(before);
  });
});

describe('a signature that is not valid', () => {
  const refusal =
    'The assertion has no valid signature by a key of its issuer, with one of RS256, PS256, ES256, EdDSA.';
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
    ['with RS384', () => byHand({ alg: 'RS384', kid: 'key' }, undefined, 'sha384')],
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
    [
      'of another key with an id that is unknown',
      async () => signedWith({ key: await strangeKey(), kid: 'x' }),
    ],
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
    ['with an algorithm that is no text', () => byHand({ alg: ['RS256'], kid: 'key' })],
    [
      'of other claims',
      async () => {
        const [header, , signature] = (await assertionOf(issuer)).split('.');
        return [header, encoded({ ...goodClaims(issuer.url), marker: 1 }), signature].join('.');
      },
    ],
    ['that is empty', async () => (await assertionOf(issuer)).replace(/[^.]*$/, '')],
    ['that is cut', async () => (await assertionOf(issuer)).slice(0, -10)],
  ])('is refused: %s', async (_what, make) => {
    // The other issuer's keys are known, too.
    expect((await present(service, await assertionOf(other))).status).toBe(200);
    const answer = await present(service, await make());
    expectFailure(answer, 'invalid_grant', /./);
    expect(answer.body.error_description).toBe(refusal);
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
    `${encoded({ alg: 'RS256' })}.${Buffer.from(text).toString('base64url')}.c2ln`;

  it.each<[string, () => string | Promise<string>]>([
    ['encrypted', encrypted],
    ['a word', () => 'garbage'],
    ['three words', () => 'a.b.c'],
    ['three times nothing', () => '..'],
    ['two parts', async () => (await assertionOf(issuer)).replace(/\.[^.]*$/, '')],
    ['four parts', async () => `${await assertionOf(issuer)}.x`],
    ['JSON of a signature', () => JSON.stringify({ payload: 'e30', protected: 'e30', signature: 'e30' })],
    ['claims in a list', () => body('[]')],
    ['claims of null', () => body('null')],
    ['claims that are no JSON', () => body('{"iss":')],
    [
      'claims that are no UTF-8',
      () => `${encoded({ alg: 'RS256' })}.${Buffer.from('"\xff"', 'latin1').toString('base64url')}.c2ln`,
    ],
    ['an issuer that cannot be a text', () => body('{"iss":{"toString":1}}')],
    ['60,000 characters', () => 'x'.repeat(60_000)],
    ['control characters', () => 'a\u0000b.\ud83d.c'],
  ])('is refused: %s', async (_what, make) => {
    expectFailure(
      await present(service, await make()),
      'invalid_grant',
      /^The assertion is no signed JWT\.$/,
    );
  });
});
