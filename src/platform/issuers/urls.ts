import { reject } from '../feature/setting';

/** `localhost` and the addresses of this machine. */
const isLoopback = (hostname: string) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);

/** Whether nobody can listen: https, or http on loopback. */
const isSafe = ({ protocol, hostname }: URL) =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));

/** Whether an issuer may name this URL. It must be safe, and an https issuer must not send requests to this machine. */
export function mayName(issuer: string, text: unknown): text is string {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const url = new URL(text);
  return isSafe(url) && (url.protocol === 'https:' || new URL(issuer).protocol === 'http:');
}

function safeUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !isSafe(url)) return reject('must be an https:// URL; http:// is for loopback only');
  const isPlain = url.username === '' && url.password === '' && !/[?#]/.test(text);
  return isPlain ? url : reject('must be a URL without a user, a query and a fragment');
}

/** The URL at which browsers and other programs reach the service, without a slash at the end. */
export const publicUrl = (text: string): string => safeUrl(text).href.replace(/\/+$/, '');

/** An issuer exactly as it writes itself, with or without a slash at the end. */
export function issuerUrl(text: string): string {
  if (text.includes('/.well-known/')) reject('must be the issuer itself, without /.well-known/');
  safeUrl(text);
  return text;
}
