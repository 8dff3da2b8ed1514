/**
 * @only embedded: it uses no database
 */
import fc from 'fast-check';
import { toSearchText } from '../../src/users/search/text';
import { fold, foldName } from '../../src/users/user/fold';

/** The same with Unicode's own forms alone, whose time grows with the square of the marks in a row. */
function folded(text: string, decomposed: string, composed: string): string {
  const letters: Record<string, string> = {
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'o',
    đ: 'd',
    ð: 'd',
    þ: 'th',
    ħ: 'h',
  };
  return text
    .toLowerCase()
    .normalize(decomposed)
    .replace(/[\u0300-\u036f]/g, '')
    .normalize(composed)
    .toLowerCase()
    .replace(/[ßæœøđðþħ]/g, (letter) => letters[letter])
    .replace(/ł/g, 'l')
    .replace(/ı/g, 'i')
    .replace(/ς/g, 'σ')
    .replace(/[\s\0-\x1f]+/g, ' ') // eslint-disable-line no-control-regex -- as the function itself
    .trim();
}

const MARKS = [
  '\u0301',
  '\u0323',
  '\u0345',
  '\u034f',
  '\u05b0',
  '\u0591',
  '\u093c',
  '\u0e38',
  '\u20d0',
  '\u3099',
];
const LETTERS = ['é', 'İ', 'Σ', '가', 'ᄀ', 'ᅡ', 'क', 'ש', 'か', 'ﬀ', '\ufdfa', 'ᾂ', 'ẛ', ' ', 'a'];
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(...MARKS),
      fc.constantFrom(...LETTERS),
      fc.string({ unit: 'binary', maxLength: 1 }),
    ),
  )
  .map((characters) => characters.join(''));

it('folds text as the forms of Unicode do', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(fold(text)).toBe(folded(text, 'NFKD', 'NFKC'));
      expect(foldName(text)).toBe(folded(text, 'NFD', 'NFC'));
    }),
    { numRuns: 2_000 },
  );
});

it('sorts no more than thirty marks at once', () => {
  const normalize = jest.spyOn(String.prototype, 'normalize');
  fold(`a${'\u05b0\u0591'.repeat(1_000)}`);
  expect(normalize.mock.contexts).toHaveLength(2);
  for (const text of normalize.mock.contexts) expect(String(text)).not.toMatch(/[\u0591-\u05b0]{31}/);
});

it('writes each character in a code of its own', () => {
  for (let i = 0; i < 2; i++) expect(toSearchText('Aé @.я中😀!')).toBe(' ae QBQA WEPVEOCNYAPGAARCB');
});
