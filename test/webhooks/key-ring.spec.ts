/**
 * @only embedded: it uses no database
 */
import { randomBytes } from 'node:crypto';
import { isKeyList, KeyRing, newKey } from '../../src/webhooks/secrets/key-ring';

const OWNER = 'org_1 whk_1';
const UNKNOWN_KEY = 'which is not in WEBHOOK_ENCRYPTION_KEY';

describe('a sealed secret', () => {
  const [key, otherKey] = [newKey(), newKey()];
  const ring = new KeyRing(key);
  const secret = randomBytes(32);
  const sealed = ring.seal(secret, OWNER);

  it('shows nothing of the secret, and is another one each time', () => {
    expect(secret).toHaveLength(32);
    for (const encoding of ['base64', 'base64url', 'hex', 'latin1'] as const)
      expect(sealed).not.toContain(secret.toString(encoding));
    expect(ring.seal(secret, OWNER)).not.toBe(sealed);
    expect(sealed).not.toContain(key);
  });

  it('is opened for its owner alone', () => {
    expect(ring.open(sealed, OWNER)).toEqual(secret);
    expect(() => ring.open(sealed, 'org_2 whk_1')).toThrow();
  });

  it('is not opened after a change', () => {
    const [id, box] = sealed.split('.');
    const bytes = Buffer.from(box, 'base64');
    bytes[bytes.length - 1] ^= 1;
    expect(() => ring.open(`${id}.${bytes.toString('base64')}`, OWNER)).toThrow();
  });

  it('is opened with its key, wherever that stands in the list, and with no other', () => {
    expect(new KeyRing(`${otherKey}, ${key}`).open(sealed, OWNER)).toEqual(secret);
    expect(new KeyRing(`${otherKey},${key}`).seal(secret, OWNER).split('.')[0]).toBe(
      new KeyRing(otherKey).currentId,
    );
    expect(() => new KeyRing(otherKey).open(sealed, OWNER)).toThrow(UNKNOWN_KEY);
    expect(() => new KeyRing(undefined).open(sealed, OWNER)).toThrow(UNKNOWN_KEY);
  });
});

it.each([
  [newKey(), true],
  [`${newKey()},${newKey()}`, true],
  [Buffer.alloc(32, 0xff).toString('base64url'), true],
  ['', false],
  [`${newKey()},`, false],
  [Buffer.alloc(31).toString('base64'), false],
  [Buffer.alloc(33).toString('base64'), false],
  ['x'.repeat(32), false],
])('%j is a list of keys: %s', (text, isList) => expect(isKeyList(text)).toBe(isList));
