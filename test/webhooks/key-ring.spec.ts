import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, serviceOptions } from '../../src/entry/process/config';
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

it('a list of keys has keys of 32 bytes alone', () => {
  const lists = [newKey(), `${newKey()},${newKey()}`, Buffer.alloc(32, 0xff).toString('base64url')];
  const others = ['', `${newKey()},`, ...[31, 33].map((length) => Buffer.alloc(length).toString('base64'))];
  expect([lists.filter(isKeyList), [...others, 'x'.repeat(32)].filter(isKeyList)]).toEqual([lists, []]);
});

describe('the embedded database', () => {
  let DATA_DIR: string;
  beforeEach(() => (DATA_DIR = mkdtempSync(join(tmpdir(), 'ums-key-'))));
  afterEach(() => rmSync(DATA_DIR, { recursive: true }));
  const keyIn = (env: NodeJS.ProcessEnv = {}) => {
    const { webhooks } = serviceOptions(readConfig({ DATA_DIR, ...env }));
    return webhooks && webhooks.encryptionKey;
  };

  it('makes a key for the secrets of webhooks, which nobody else can read, and keeps it', () => {
    const key = keyIn();
    expect(key).toMatch(/^[A-Za-z0-9+/]{43}=$/);
    expect(keyIn()).toBe(key);
    const file = join(DATA_DIR, 'webhook-key');
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([key, 0o600]);
    writeFileSync(file, 'damaged');
    expect(() => keyIn()).toThrow('Restore it from a backup');
  });

  it('has the key that is set, as a server has, which makes none', () => {
    const key = newKey();
    expect(keyIn({ WEBHOOK_ENCRYPTION_KEY: key })).toBe(key);
    expect(keyIn({ DATABASE_URL: 'postgres://localhost/ums' })).toBeUndefined();
  });
});
