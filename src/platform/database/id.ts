import { randomUUID } from 'node:crypto';

/** The digits of ids, in their order: Crockford base32. */
const ID_DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
export const ID_SUFFIX = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const SUFFIX = new RegExp(`^${ID_SUFFIX}$`);

/** A new id: 48 bits of time, then 80 bits of randomness, so that ids sort by their time of creation. */
export function newId(prefix: string): string {
  // Node keeps random bytes in store for UUIDs. Neither their first 8 nor their last 12 digits have a fixed bit.
  const uuid = randomUUID();
  const random = uuid.slice(0, 8) + uuid.slice(24);
  let suffix = digits(Date.now(), 10);
  for (let i = 0; i < random.length; i += 5) suffix += digits(parseInt(random.slice(i, i + 5), 16), 4);
  return `${prefix}_${suffix}`;
}

/** A text that sorts before all ids of this time and later ones, and behind earlier ones. */
export const firstId = (prefix: string, time: Date): string =>
  `${prefix}_${digits(Math.max(0, time.getTime()), 10)}`;

/** The last base32 digits of a number. */
function digits(number: number, length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) {
    text = ID_DIGITS[number % 32] + text;
    number = Math.floor(number / 32);
  }
  return text;
}

/** Whether this can be an id with this prefix. Other strings need no database query. */
export const isId = (prefix: string, id: string) =>
  id.startsWith(`${prefix}_`) && SUFFIX.test(id.slice(prefix.length + 1));
