/** Letters that are no base letter and accent, or that have two lower cases, as they are searched. */
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
 * What `search_text` has for the punctuation of emails; in folded text there is no capital. For trigrams these are letters,
 * so that they tell `l.smi` from `smi`.
 */
export const PUNCTUATION: Record<string, string> = { '.': 'Q', '@': 'X', '-': 'Z', _: 'J' };

/** Text without what search does not look at: letter case, accents, compatibility forms, runs of white space. */
export const fold = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '') // accents; the vowel signs of other scripts are no accents
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[ßæœøđðþħłıς]/g, (letter) => FOLDED[letter])
    .replace(/[\s\0]+/g, ' ')
    .trim();

/**
 * Folded text with a space before each start of a word, so that a plain LIKE can tell a word's start from its inside.
 * What stands before a letter decides, so a part of the text is marked like the whole.
 */
export const markWords = (folded: string): string =>
  folded.replace(/(?<![\p{L}\p{N}])(?=[\p{L}\p{N}])/gu, ' ');

/** Text as the search reads it. */
export const searched = (text: string): string => markWords(fold(text));

/** The words of a query, each folded and marked. White space alone separates them. */
export const queryWords = (q: string): string[] =>
  [...new Set(fold(q).split(' '))].filter(Boolean).map(markWords);

/** All strings inside a JSON value, in order. */
export function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const child of Object.values(value)) yield* stringsIn(child);
}

/** A pattern's text as LIKE takes it: nothing in it is an operator. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
