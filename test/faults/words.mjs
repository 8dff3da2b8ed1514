const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** A word that nobody has yet. */
export const randomWord = () =>
  Array.from({ length: 12 }, () => LETTERS[Math.floor(Math.random() * LETTERS.length)]).join('');
