import { hkdfSync, randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { decrypt, encrypt } from '../../platform/crypto/aes-gcm';
import type { OidcSettings } from './sign-in-settings';

const KEY_BYTES = 32;

const MAX_AGE_MS = 10 * 60_000;

/** Browsers drop a cookie whose name, value and attributes have more than 4096 bytes. */
const MAX_LENGTH = 3_800;

/** Data that a browser stores for the service during a sign-in, encrypted, so that nobody can read or change it. */
export class SignInCookie {
  private readonly key: Buffer;
  private readonly isSecure: boolean;

  /** Without a key and a secret, cookies can be read only by this process. */
  constructor({ publicUrl, key, clientSecret }: OidcSettings) {
    const secret = key ?? clientSecret ?? randomBytes(KEY_BYTES);
    this.key = Buffer.from(hkdfSync('sha256', secret, '', 'ums sign-in cookie', KEY_BYTES));
    this.isSecure = publicUrl.startsWith('https:');
  }

  /** With the prefix, browsers accept the cookie only from this host and over https. Loopback has no https. */
  private get name(): string {
    return this.isSecure ? '__Host-ums-sign-in' : 'ums-sign-in';
  }

  /** Undefined if the request has no cookie that was set with this key for this purpose. */
  read<Content>({ headers }: Request, purpose: string): Content | undefined {
    const begin = `${this.name}=`;
    const cookies = (headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
    const value = cookies.find((cookie) => cookie.startsWith(begin))?.slice(begin.length) ?? '';
    try {
      return JSON.parse(decrypt(this.key, Buffer.from(value, 'base64url'), purpose).toString()) as Content;
    } catch {
      return undefined;
    }
  }

  /** `purpose` keeps a cookie of one kind from being read as another. Returns false if the content is too long. */
  set(response: Response, purpose: string, content: object): boolean {
    const value = encrypt(this.key, JSON.stringify(content), purpose).toString('base64url');
    if (value.length > MAX_LENGTH) return false;
    this.send(response, value, MAX_AGE_MS);
    return true;
  }

  clear(response: Response): void {
    this.send(response, '', 0);
  }

  /** `Lax`: the browser sends it when the issuer redirects back. */
  private send(response: Response, value: string, maxAge: number): void {
    const { name, isSecure: secure } = this;
    response.cookie(name, value, { httpOnly: true, secure, sameSite: 'lax', path: '/', maxAge });
  }
}
