// Bodies that cost the most for their size.

export const KB = 1024;
export const MB = KB * KB;

export const list = (count, of) => Array.from({ length: count }, (_, n) => of(n));

/** The text as often as the size has room for it. */
export const filled = (bytes, text) => text.repeat(Math.floor(bytes / Buffer.byteLength(text)));

/** Nearly as many values as a body may have. */
const MOST_VALUES = 69_900;

/** As many different keys as a body may have, but for a few. */
const MOST_KEYS = 14_900;

/**
 * A list of so many bytes, or of as many elements as a body may have. Without an element it has empty objects, each of
 * which takes a multiple of its text.
 */
export const elements = (bytes, element = '{}') =>
  `[${filled(Math.min(bytes - 2, MOST_VALUES * (element.length + 1)), `${element},`).slice(0, -1)}]`;

/** Members of an object in so many bytes, or as many as a body may have, each with a key that nobody knows. */
export function keys(bytes, most = MOST_KEYS) {
  const members = [];
  for (let size = 0, n = 0; ; n++) {
    const member = `"${n.toString(36)}":0`;
    size += member.length + 1;
    if (size > bytes || n === most) return members.join(',');
    members.push(member);
  }
}

/** Metadata with as many values as are allowed, and of as many bytes as well. */
export const DENSE = { a: list(998, () => ({})) };
export const FULL = { a: list(998, (n) => `${n}`.padEnd(8, 'é')) };

/** Every spelling of a word. */
export const spellings = (word) =>
  list(2 ** word.length, (bits) =>
    [...word].map((letter, n) => ((bits >> n) & 1 ? letter.toUpperCase() : letter)).join(''),
  );

/** A name of so many characters of four bytes. */
export const longName = (characters = 100) => '😀'.repeat(characters);

let named = 0;
/** A name that nothing has yet. */
export const newName = () => `loop-${++named}`;

/** A user that is not there yet. */
export function person(more) {
  const name = newName();
  return { name, email: `${name}@example.com`, ...more };
}
