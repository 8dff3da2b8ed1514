import { hkdfSync, randomBytes } from 'node:crypto';
import { decrypt, encrypt } from '../../crypto/aes-gcm';

const KEY_BYTES = 32;

/** Browsers drop a cookie whose name, value and attributes have more than 4096 bytes. */
const MAX_LENGTH = 3_800;

/** Encrypts data that a browser stores for the service, so that nobody can read or change it. */
export class SealedCookie {
  private readonly key: Buffer;

  /** Without a secret, values can be opened only by this process. */
  constructor(secret: string | Buffer = randomBytes(KEY_BYTES)) {
    this.key = Buffer.from(hkdfSync('sha256', secret, '', 'ums sign-in cookie', KEY_BYTES));
  }

  /** `purpose` keeps a value of one kind from being opened as another. Undefined if it is too long for a cookie. */
  seal(purpose: string, content: object): string | undefined {
    const value = encrypt(this.key, JSON.stringify(content), purpose).toString('base64url');
    return value.length > MAX_LENGTH ? undefined : value;
  }

  /** The content; undefined if the value was not sealed with this key for this purpose. */
  open<Content>(purpose: string, value: string): Content | undefined {
    try {
      return JSON.parse(decrypt(this.key, Buffer.from(value, 'base64url'), purpose).toString()) as Content;
    } catch {
      return undefined;
    }
  }
}
