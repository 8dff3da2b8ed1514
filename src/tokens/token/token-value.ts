import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'umt_';
const SHAPE = /^umt_[0-9A-Za-z]{38}$/;
const CHECKSUM_LENGTH = 6;

/** A new token value: 190 bits of randomness, and a checksum that tells tokens from similar strings. */
export function newTokenValue(): string {
  const random = Array.from({ length: 32 }, () => BASE62[randomInt(62)]).join('');
  return PREFIX + random + checksum(PREFIX + random);
}

/** Whether this can be a token value. Other strings need no database query. */
export const isTokenValue = (value: string) =>
  SHAPE.test(value) && checksum(value.slice(0, -CHECKSUM_LENGTH)) === value.slice(-CHECKSUM_LENGTH);

/** The stored hash of a value. The value is random enough to need neither a salt nor a slow hash. */
export const hashOf = (value: string): Buffer => hash('sha256', value, 'buffer');

/** The visible part of a value, to tell tokens apart. */
export const hintOf = (value: string) => `${value.slice(0, 8)}…${value.slice(-4)}`;

function checksum(text: string): string {
  let remaining = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62[remaining % 62] + digits;
    remaining = Math.floor(remaining / 62);
  }
  return digits;
}
