import { encode } from './text';

/** The length of the shortest word that may contain a typo. */
const MIN_LENGTH = 4;

/** Longer words are found as they are typed, because each letter adds patterns. */
const MAX_LENGTH = 24;

const A_TO_Z = [...'abcdefghijklmnopqrstuvwxyz'];

/** A word with a typo: the right letters before and after it, and a letter of the unknown one's alphabet, if any. */
interface Typo {
  before: string;
  unknown?: string;
  after: string;
}

export const mayHaveTypo = (word: string): boolean => {
  const { length } = [...word];
  return /^\p{L}+$/u.test(word) && length >= MIN_LENGTH && length <= MAX_LENGTH;
};

/** A letter too many, a missing, a wrong one, or two swapped; the first letter is right. */
function typosOf(word: string): Typo[] {
  const letters = [...word];
  const typos: Typo[] = [];
  const add = (before: string[], unknown: string | undefined, after: string[]) =>
    typos.push({ before: before.join(''), unknown, after: after.join('') });
  for (let i = 1; i < letters.length; i++) {
    const [before, letter, after] = [letters.slice(0, i), letters[i], letters.slice(i + 1)];
    add(before, undefined, after);
    if (after.length === 0) break; // the word without its last letter begins all that follow
    add(before, letter, [letter, ...after]);
    add(before, letter, after);
    add([...before, after[0], letter], undefined, after.slice(1));
  }
  return typos;
}

/** A regular expression for the search texts with a word that begins with this one, but for one typo. */
export const typoExpression = (word: string): string => ` ${alternatives(typosOf(word), encode)}`;

const alternatives = (typos: Typo[], write: (letters: string) => string): string =>
  `(${typos
    .map(({ before, unknown, after }) => {
      const code = unknown === undefined ? '' : encode(unknown);
      const letter = code.length <= 1 ? code && '[a-z]' : `${code[0]}[A-P]{${code.length - 1}}`;
      return write(before) + letter + write(after);
    })
    .join('|')})`;

/** Patterns of LIKE for the same texts, and a few more. The index of texts looks up each. */
export const typoPatterns = (word: string): string[] => {
  const patterns = typosOf(word).flatMap(({ before, unknown, after }) => {
    if (unknown === undefined) return [encode(before + after)];
    const code = encode(unknown);
    const [start, end] = [encode(before), encode(after)];
    // The index knows three characters at a time. If few stand on both sides, many texts have the rest.
    return code.length > 1 || start.length >= 4 || end.length >= 3
      ? [start + code[0].replace(/[a-z]/, '_') + '_'.repeat(code.length - 1) + end]
      : A_TO_Z.map((letter) => start + letter + end);
  });
  return shortest(patterns).map((pattern) => `% ${pattern}%`);
};

/** The typos in letters from a to z, of which there are few enough to look up each in the index of names. */
const inAToZ = (word: string) =>
  typosOf(word).filter(({ unknown }) => unknown === undefined || /[a-z]/.test(unknown));

/** The prefixes of names that begin with this word, give or take one such typo. No prefix contains another. */
export const typoBeginnings = (word: string): string[] =>
  shortest(
    inAToZ(word).flatMap(({ before, unknown, after }) =>
      unknown === undefined ? [before + after] : A_TO_Z.map((letter) => before + letter + after),
    ),
  );

/** A regular expression for the same names. */
export const typoBeginning = (word: string): string => `^${alternatives(inAToZ(word), (letters) => letters)}`;

/** Drops the texts that begin with a shorter one, which finds the same. */
const shortest = (texts: string[]): string[] => {
  const kept: string[] = [];
  for (const text of texts.toSorted())
    if (kept.length === 0 || !text.startsWith(kept.at(-1)!)) kept.push(text);
  return kept;
};
