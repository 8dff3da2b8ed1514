import { fold } from '../../user/fold';

/** The length of the shortest query word that may contain a typo. */
export const MIN_TYPO_LENGTH = 4;

/** The vocabulary leaves out longer words. */
export const MAX_WORD_LENGTH = 16;

/** Keeps the number of edits, and so the time that they take, small in every script. */
const MAX_ALPHABET = 48;

const A_TO_Z = [...'abcdefghijklmnopqrstuvwxyz'];

/** Scripts in which a typo is another word rather than another letter of an alphabet. */
const WITHOUT_ALPHABET = /[\p{sc=Han}\p{sc=Hangul}]/u;

/**
 * The words that are one edit away: with an extra, missing, wrong or swapped letter. Letters that may be missing or wrong are
 * those of the alphabets of the word.
 */
export function oneEditFrom(word: string): string[] {
  const letters = [...word];
  const alphabet = [...new Set(letters.flatMap(alphabetOf))].slice(0, MAX_ALPHABET);
  const edited = new Set<string>();
  for (let i = 0; i <= letters.length; i++) {
    for (const letter of alphabet) edited.add(letters.toSpliced(i, 0, letter).join(''));
    if (i === letters.length) break;
    edited.add(letters.toSpliced(i, 1).join(''));
    for (const letter of alphabet) edited.add(letters.toSpliced(i, 1, letter).join(''));
    if (i + 1 < letters.length) edited.add(letters.toSpliced(i, 2, letters[i + 1], letters[i]).join(''));
  }
  edited.delete(word);
  return [...edited];
}

/** The letters of the block of 128 characters in which the scripts of most alphabets are. */
function alphabetOf(letter: string): string[] {
  if (letter <= 'z') return A_TO_Z;
  if (WITHOUT_ALPHABET.test(letter)) return [];
  const first = letter.codePointAt(0)! & ~127;
  return Array.from({ length: 128 }, (_, i) => String.fromCodePoint(first + i)).filter(
    (other) => /\p{L}/u.test(other) && fold(other) === other,
  );
}
