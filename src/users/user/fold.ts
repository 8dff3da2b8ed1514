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

/** Removes letter case, accents, compatibility forms, control characters and runs of white space, which are ignored. */
export const fold = (text: string): string => withoutCaseAndAccents(text, 'NFKD', 'NFKC');

/** The same, but keeps compatibility forms: names are sorted without regard to case and accents only. */
export const foldName = (name: string): string => withoutCaseAndAccents(name, 'NFD', 'NFC');

function withoutCaseAndAccents(text: string, decomposed: string, composed: string): string {
  const lower = text.toLowerCase();
  return (isAscii(lower) ? lower : withoutAccents(lower, decomposed, composed))
    .replace(/[\s\0-\x1f]+/g, ' ') // eslint-disable-line no-control-regex -- they would be mistaken for separators
    .trim();
}

const isAscii = (text: string) => !/[^\0-\x7f]/.test(text);

/** Accents, but not the vowel signs of other scripts. */
const ACCENTS = /[\u0300-\u034e\u0350-\u036f]/g;

/** The combining grapheme joiner: Unicode sorts the marks before it and those after it separately. */
const JOINER = '\u034f';
const JOINERS = /\u034f/g;

/** More marks than any letter has. Sorting marks takes time in the square of their number: 30 ms for 16 KB of them. */
const MANY_MARKS = /\p{M}{30}/gu;

const withoutAccents = (lower: string, decomposed: string, composed: string) =>
  lower
    .replace(ACCENTS, '')
    .replace(JOINERS, '')
    .replace(MANY_MARKS, `$&${JOINER}`)
    .normalize(decomposed)
    .replace(ACCENTS, '')
    .normalize(composed)
    .replace(JOINERS, '')
    .toLowerCase()
    .replace(/[ßæœøđðþħłıς]/g, (letter) => FOLDED[letter]);
