/** The length of the shortest query word that may contain a typo. */
export const MIN_TYPO_LENGTH = 4;

/** The vocabulary truncates longer words to this length. */
export const MAX_WORD_LENGTH = 32;

/** The distinct words of the texts, as the vocabulary stores them: runs of letters. */
export const vocabularyOf = (...texts: string[]): string[] => {
  const words = texts.flatMap((text) => text.match(/\p{L}+/gu) ?? []);
  return [...new Set(words.map(truncate))];
};

const truncate = (word: string) =>
  word.length > MAX_WORD_LENGTH ? [...word].slice(0, MAX_WORD_LENGTH).join('') : word;

/**
 * The word itself and the word without each of its letters. Two words that are one edit apart (an extra, missing, wrong
 * or swapped letter) share a spelling, so an index on spellings finds one by the other.
 */
export function spellingsOf(word: string): string[] {
  const letters = [...word];
  if (letters.length < MIN_TYPO_LENGTH - 1) return []; // too short for a query word with a typo
  return [...new Set([word, ...letters.map((_letter, i) => letters.toSpliced(i, 1).join(''))])];
}

/** Whether one edit turns one word into the other. */
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
