import { hash, randomBytes } from 'node:crypto';
import { decrypt, encrypt } from '../../platform/crypto/aes-gcm';

const KEY_BYTES = 32;

/** 32 bytes in base64, with or without padding, also in the alphabet of URLs. */
const KEY = /^[A-Za-z0-9+/_-]{43}=?$/;

/** Whether the value is a list of keys, separated by commas. */
export const isKeyList = (text: unknown): boolean =>
  typeof text === 'string' && text.split(',').every((key) => KEY.test(key.trim()));

/** A new key in base64. */
export const newKey = (): string => randomBytes(KEY_BYTES).toString('base64');

/**
 * Encrypts secrets with AES-256-GCM and the first key of the list. The other keys only decrypt, so a key can be
 * replaced: put the new one before it, and rewrap. Each begins with the id of its key, a hash.
 */
export class KeyRing {
  private readonly keys = new Map<string, Buffer>();
  readonly currentId: string | undefined;

  /** Keys in base64, separated by commas; undefined if there is none. */
  constructor(list: string | undefined) {
    for (const text of list?.split(',') ?? []) {
      const key = Buffer.from(text.trim(), 'base64');
      this.keys.set(hash('sha256', Buffer.concat([Buffer.from('ums webhook key'), key])).slice(0, 8), key);
    }
    [this.currentId] = this.keys.keys();
  }

  /** Encrypts a secret for one owner; it cannot be decrypted for another. There must be a key. */
  seal(secret: Buffer, owner: string): string {
    const id = this.currentId!;
    return `${id}.${encrypt(this.keys.get(id)!, secret, owner).toString('base64')}`;
  }

  /** Throws if its key is missing. */
  open(sealed: string, owner: string): Buffer {
    const [id, box] = sealed.split('.');
    const key = this.keys.get(id);
    if (!key)
      throw new Error(
        `A webhook's secret is encrypted with the key ${id}, which is not in WEBHOOK_ENCRYPTION_KEY.`,
      );
    return decrypt(key, Buffer.from(box, 'base64'), owner);
  }
}
