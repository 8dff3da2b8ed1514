import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'umt_';
const SHAPE = /^umt_[0-9A-Za-z]{38}$/;
const CHECKSUM_LENGTH = 6;

/** A new token value: 190 bits of randomness, and a checksum that tells a token from a string like it. */
export function newTokenValue(): string {
  const random = Array.from({ length: 32 }, () => BASE62[randomInt(62)]).join('');
  return PREFIX + random + checksum(PREFIX + random);
}

/** Whether this could be a token, so that nothing else is looked for. */
export const isTokenValue = (value: string) =>
  SHAPE.test(value) && checksum(value.slice(0, -CHECKSUM_LENGTH)) === value.slice(-CHECKSUM_LENGTH);

/** What is stored of a value. Its randomness makes a salt or a slow hash needless. */
export const hashOf = (value: string): Buffer => hash('sha256', value, 'buffer');

/** What is shown of a value, to tell tokens apart. */
export const hintOf = (value: string) => `${value.slice(0, 8)}…${value.slice(-4)}`;

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
