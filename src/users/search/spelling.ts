/** The shortest word that a query may misspell. */
export const MIN_TYPO_LENGTH = 4;

/** Of a longer word the vocabulary keeps the beginning. */
export const MAX_WORD_LENGTH = 32;

/** The words of marked text, as the vocabulary keeps them: runs of letters. */
export const vocabularyOf = (...texts: string[]): string[] => {
  const words = texts.flatMap((text) => text.match(/\p{L}+/gu) ?? []);
  return [...new Set(words.map(kept))];
};

const kept = (word: string) =>
  word.length > MAX_WORD_LENGTH ? [...word].slice(0, MAX_WORD_LENGTH).join('') : word;

/**
 * A word and every way to leave out one of its letters. Two words that one edit apart (a letter too many, missing, wrong
 * or swapped with its neighbour) have a spelling in common, so that an index on spellings finds one from the other.
 */
export function spellingsOf(word: string): string[] {
  const letters = [...word];
  if (letters.length < MIN_TYPO_LENGTH - 1) return []; // no misspelt word is one edit from it
  return [...new Set([word, ...letters.map((_letter, i) => letters.toSpliced(i, 1).join(''))])];
}

/** Whether one edit makes one word of the other. */
export function isOneEdit(a: string, b: string): boolean {
  const [short, long] = [[...a], [...b]].sort((x, y) => x.length - y.length);
  if (long.length - short.length > 1) return false;
  let i = 0;
  while (i < short.length && short[i] === long[i]) i++;
  const rest = (letters: string[], from: number) => letters.slice(from).join('');
  if (short.length < long.length) return rest(short, i) === rest(long, i + 1);
  const swapped = short[i] === long[i + 1] && short[i + 1] === long[i];
  return rest(short, i + 1) === rest(long, i + 1) || (swapped && rest(short, i + 2) === rest(long, i + 2));
}
