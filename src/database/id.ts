import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'; // Crockford base32
export const ID_SUFFIX = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const SUFFIX = new RegExp(`^${ID_SUFFIX}$`);

export type IdPrefix = 'usr' | 'tok' | 'org' | 'evt';

/** A new id: 48 bits of time, then 80 bits of randomness, so that ids sort by their time of creation. */
export function newId(prefix: IdPrefix): string {
  let bits = (BigInt(Date.now()) << 80n) | BigInt(`0x${randomBytes(10).toString('hex')}`);
  let suffix = '';
  for (let i = 0; i < 26; i++) {
    suffix = ALPHABET[Number(bits & 31n)] + suffix;
    bits >>= 5n;
  }
  return `${prefix}_${suffix}`;
}

/** Whether this can be an id with this prefix. Other strings need no database query. */
export const isId = (prefix: IdPrefix, id: string) => id.startsWith(`${prefix}_`) && SUFFIX.test(id.slice(4));
