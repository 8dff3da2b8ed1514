import { fold } from '../user/fold';

/**
 * Inserts a space before each word of folded text, so that a plain LIKE can tell the start of a word from its inside.
 * The mark depends only on the character before it, so a part of a text has the same marks as the whole.
 */
const markWords = (folded: string): string => folded.replace(/[\p{L}\p{N}]+/gu, ' $&');

/**
 * Writes every character but a-z, 0-9 and white space as capital letters, of which folded text has none. Trigrams
 * contain only letters and digits, and in some locales only ASCII ones; in this form punctuation, emoji and the letters
 * of all scripts have trigrams too. No code begins inside another one.
 */
export const encode = (text: string): string => text.replace(/[^a-z0-9\s]/gu, encodeCharacter);

function encodeCharacter(character: string): string {
  // Every email has these two. Shorter codes keep the index small.
  if (character === '.') return 'QA';
  if (character === '@') return 'QB';
  // A lead letter, which tells the length of the code, and digits.
  const codePoint = character.codePointAt(0)!;
  if (codePoint < 0x500) return 'RSTUW'[codePoint >> 8] + digits(codePoint & 0xff, 2);
  return codePoint < 0x10000 ? `V${digits(codePoint, 4)}` : `Y${digits(codePoint - 0x10000, 5)}`;
}

const DIGITS = 'ABCDEFGHIJKLMNOP';

function digits(number: number, width: number): string {
  let text = '';
  for (let shift = 4 * (width - 1); shift >= 0; shift -= 4) text += DIGITS[(number >> shift) & 15];
  return text;
}

/** The form of a text that the search compares. */
export const toSearchText = (text: string): string => encode(markWords(fold(text)));

/** The parts of `user_search.text`: the name, the email and the strings of the metadata. No part contains a mark. */
export const EMAIL_MARK = '\n@';
export const METADATA_MARK = '\n#';

/** A word of a query, in the forms in which search text contains it at the start of a word and elsewhere. */
export interface QueryWord {
  letters: string;
  start: string;
  inside: string;
}

const CJK = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

/** The distinct words of a query; only white space separates words. */
export function queryWords(q: string): QueryWord[] {
  const words = [...new Set(fold(q).split(' '))].filter((word) => word !== '' && !EVERYWHERE.has(word));
  return words.map((letters) => {
    const start = toSearchText(letters);
    const isShort = [...letters].length <= 2 && !CJK.test(letters);
    return { letters, start, inside: isShort ? start : start.trimStart() };
  });
}

/** Every email contains these, so they decide nothing; alone they have no trigram. */
const EVERYWHERE = new Set(['.', '@']);

/** All strings inside a JSON value, in order. */
export function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const child of Object.values(value)) yield* stringsIn(child);
}
