import type { Request, Response } from 'express';

const MAX_AGE_MS = 10 * 60_000;

const isSecure = (publicUrl: string) => publicUrl.startsWith('https:');

/** With the prefix, browsers accept the cookie only from this host and over https. Loopback has no https. */
const nameFor = (publicUrl: string) => (isSecure(publicUrl) ? '__Host-ums-sign-in' : 'ums-sign-in');

/** The value of the cookie; empty if the request has none. */
export function readCookie({ headers }: Request, publicUrl: string): string {
  const begin = `${nameFor(publicUrl)}=`;
  const cookies = (headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(begin))?.slice(begin.length) ?? '';
}

/** Sets the cookie, or removes it if the value is empty. `Lax`: the browser sends it when the issuer redirects back. */
export function setCookie(response: Response, publicUrl: string, value: string): void {
  response.cookie(nameFor(publicUrl), value, {
    httpOnly: true,
    secure: isSecure(publicUrl),
    sameSite: 'lax',
    path: '/',
    maxAge: value === '' ? 0 : MAX_AGE_MS,
  });
}
