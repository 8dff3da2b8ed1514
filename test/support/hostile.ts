import fc from 'fast-check';

export const long = (length: number) => 'é'.repeat(length);
export const nested = (levels: number): unknown => (levels === 0 ? 'x' : { x: nested(levels - 1) });
export const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i]));
export const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');

/** Sent as every query parameter, and as every field of every body. */
export const TEXTS = [
  ...['', ' ', '\t\n', 'a', ' a ', '字', '😀', 'ab', ' ab ', 'a b', 'null', 'true'],
  ...['%', '%00', 'a%_\\"\'', "'; DROP TABLE users; --", '../..', '\u202e', '\u0301', '1e999', words(10)],
  ...[100, 101, 199, 200, 201, 254, 255].map(long),
  ...['😀'.repeat(100), '😀'.repeat(200), '😀'.repeat(201), 'x'.repeat(5_000)],
  ...['member', 'admin', 'viewer', 'Admin', ' admin', 'owner', 'active', 'expired', 'revoked', 'users:read'],
  ...['createdAt', 'updatedAt', 'name', 'email', 'role', 'asc', 'desc', 'ASC'],
  ...['0', '1', '-1', '50', '007', '200', '201', '1.5', '1e2', '+5', ' 5', '0x10'],
  ...['9007199254740993', '99999999999999999999'],
  ...['1d', '90d', '3650d', '3651d', '9999d', '0d', '01d', '090d'],
  ...['1D', '1.5d', '-1d', 'd', ' 1d', '1d\n', '1h', '٣d'],
];

/** Also sent as `email`. */
export const EMAILS = [
  ...['ada@example.com', 'ADA@Example.COM', ' ada@example.com ', 'a@b.co', 'a+b@example.com'],
  ...["o'hara@example.com", 'b@exämple.com', 'bé@exämple.com', '用户@例子.广告', 'a@b.xn--p1ai'],
  ...['a@xn--80ak6aa92e.com', 'a@1.2.3.com', 'a@b😀.com', '"a b"@example.com', '"a@b"@example.com'],
  ...['a.b.c@d-e.example', 'a@b-.com', 'a@-b.com', 'a@b_c.com', 'a@b..com', 'a', 'a@', '@b.com', 'a@b'],
  ...['a@b.c', 'a@b.12', 'a@1.2.3.4', 'a@[1.2.3.4]', 'a..b@c.com', '.a@b.com', 'a.@b.com', 'a b@c.com'],
  ...['a@b c.com', 'a@b@c.com', 'Ada <ada@example.com>', 'a(b)@c.com', 'a,b@c.com', 'a@b,com', 'a@b.com.'],
  ...['a\u00a0b@c.com', 'a@b\u00a0.com', 'a\u200bb@c.com'],
  ...[`${'a'.repeat(64)}@b.com`, `a@${'b'.repeat(63)}.com`],
  ...[124, 125, 126].map((labels) => `a@${'b.'.repeat(labels)}com`),
];

/** Sent as every field of every body. */
export const VALUES = [
  ...[null, true, false, 0, 1, -1, 1.5, 50, 2 ** 53 - 1, [], {}, [null], [''], ['a'], [[]], [{}]],
  ...[['users:read'], ['users:read', 'admin'], ['users:read', 'users:read'], ['users'], ['admin', null]],
  ...[['admin', 'users:delete', 'users:write', 'users:read'], { plan: 'pro' }],
  ...[{ plan: null, seats: [1, { a: 1.5 }] }, keys(16), keys(17), { [long(64)]: 1 }, { [long(65)]: 1 }],
  ...[{ '': 1 }, { ' ': 1 }, nested(8), { length: 1 }],
];

/** Ids that nobody has, as they are written in a path. */
export const IDS = [
  '%00',
  '%F0%9F%98%80',
  '%ff',
  '%',
  'usr_',
  '..%2F..',
  '__proto__',
  'constructor',
  'x'.repeat(3_000),
];

const ada = (fields: string) => `{"name":"Ada","email":"nul@example.com",${fields}}`;

/** Bodies with a value that must not be stored, the field that a refusal names, and what is wrong. */
export const HOSTILE_BODIES: [what: string, body: string, field: string][] = [
  ['a NUL in a name', '{"name":"A\\u0000da","email":"nul@example.com"}', 'name'],
  ['a NUL in an email', '{"name":"Ada","email":"n\\u0000l@example.com"}', 'email'],
  ['a lone surrogate', '{"name":"\\ud800","email":"nul@example.com"}', 'name'],
  ['a NUL deep inside', ada('"metadata":{"a":[{"b":"\\u0000"}]}'), 'metadata.a.0.b'],
  ['a NUL in a key', ada('"metadata":{"a\\u0000":1}'), 'metadata.a\0'],
  ['an infinite number', ada('"metadata":{"a":1e999}'), 'metadata.a'],
  ['an integer that JavaScript would round', ada('"metadata":{"a":9007199254740993}'), 'metadata.a'],
  ['a negative one', ada('"metadata":{"a":-9007199254740992}'), 'metadata.a'],
  ['the key __proto__', ada('"__proto__":{"role":"admin"}'), '__proto__'],
  ['the key constructor', ada('"constructor":1'), 'constructor'],
  ['the key prototype deep inside', ada('"metadata":{"a":{"prototype":1}}'), 'metadata.a.prototype'],
  ['the key __proto__ in metadata', ada('"metadata":{"__proto__":{}}'), 'metadata.__proto__'],
];

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('\0', '\ud800', '__proto__', 'constructor', "';--"),
);
/** Any JSON, with texts and keys that are known to break programs. */
export const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 10 }),
  text,
  fc.double(),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(Number),
);
const metadata = fc.dictionary(text, anyValue, { maxKeys: 18 });
// Most bodies have at most one fault, so that many are stored.
const mostly = <T>(valid: fc.Arbitrary<T>, hostile: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 6, arbitrary: valid as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: hostile });
const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((word) => `x${word}`);

/** The fields of a user, any of which may be hostile. */
export const anyUser = fc.record(
  {
    name: mostly(word, fc.oneof(text, anyValue)),
    email: mostly(fc.emailAddress(), text),
    role: mostly(fc.constantFrom('member', 'admin'), anyValue),
    metadata: mostly(
      fc.dictionary(word, fc.oneof(word, fc.integer(), fc.jsonValue({ maxDepth: 3 }))),
      fc.oneof(metadata, anyValue),
    ),
  },
  { requiredKeys: ['name', 'email'] },
);
