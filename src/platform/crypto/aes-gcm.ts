import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts with a key of 32 bytes, for one purpose or owner. Returns initialization vector, tag and text. */
export function encrypt(key: Buffer, content: string | Buffer, purpose: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(purpose));
  const text = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]);
}

/** Throws unless it was encrypted with this key for this purpose. */
export function decrypt(key: Buffer, encrypted: Buffer, purpose: string): Buffer {
  const tag = encrypted.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, encrypted.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES, // or a shorter tag would be accepted, too
  });
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(tag);
  return Buffer.concat([decipher.update(encrypted.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
}
