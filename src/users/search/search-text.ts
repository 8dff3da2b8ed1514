/** Letters that do not decompose into a base letter and an accent, and second forms of a lower-case letter (ı, ς). */
const FOLDED: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ł: 'l',
  ı: 'i',
  ς: 'σ',
};

/**
 * The column `search_text` contains these capitals in place of the punctuation of emails; folded text has no capitals.
 * Trigrams ignore punctuation but not letters, so they can tell `l.smi` from `smi`.
 */
export const PUNCTUATION: Record<string, string> = { '.': 'Q', '@': 'X', '-': 'Z', _: 'J' };

/** Removes what the search ignores: letter case, accents, compatibility forms and runs of white space. */
export const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '') // accents, but not the vowel signs of other scripts
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[ßæœøđðþħłıς]/g, (letter) => FOLDED[letter])
    .replace(/[\s\0]+/g, ' ')
    .trim();

/**
 * Inserts a space before each word of folded text, so that a plain LIKE can tell the start of a word from its inside.
 * The mark depends only on the character before it, so a part of a text has the same marks as the whole.
 */
export const markWords = (folded: string): string =>
  folded.replace(/(?<![\p{L}\p{N}])(?=[\p{L}\p{N}])/gu, ' ');

/** The form of a text that the search compares. */
export const toSearchText = (text: string): string => markWords(fold(text));

/** The distinct words of a query, folded and marked; only white space separates words. */
export const queryWords = (q: string): string[] =>
  [...new Set(fold(q).split(' '))].filter(Boolean).map(markWords);

/** All strings inside a JSON value, in order. */
export function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const child of Object.values(value)) yield* stringsIn(child);
}

/** Escapes the operators of LIKE. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
