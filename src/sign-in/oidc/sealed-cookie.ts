import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

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
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.key, iv).setAAD(Buffer.from(purpose));
    const encrypted = Buffer.concat([cipher.update(JSON.stringify(content)), cipher.final()]);
    const value = Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url');
    return value.length > MAX_LENGTH ? undefined : value;
  }

  /** The content; undefined if the value was not sealed with this key for this purpose. */
  open<Content>(purpose: string, value: string): Content | undefined {
    const bytes = Buffer.from(value, 'base64url');
    try {
      const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
      const decipher = createDecipheriv(ALGORITHM, this.key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(tag);
      const content = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
      return JSON.parse(Buffer.concat([content, decipher.final()]).toString()) as Content;
    } catch {
      return undefined;
    }
  }
}
