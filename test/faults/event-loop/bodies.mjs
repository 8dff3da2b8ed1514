// Bodies that cost the most for their size.

export const KB = 1024;
export const MB = KB * KB;

/** As many repetitions as the size has room for. */
export const filled = (bytes, text) => text.repeat(Math.floor(bytes / Buffer.byteLength(text)));

/** A list of so many bytes: of empty objects, each of which takes a multiple of its text. */
export const objects = (bytes) => `[${filled(bytes - 5, '{},').slice(0, -1)}]`;

/** The members of an object of so many bytes, each with a key of its own. */
export function keys(bytes) {
  const members = [];
  for (let size = 0, n = 0; ; n++) {
    const member = `"${n.toString(36)}":0`;
    size += member.length + 1;
    if (size > bytes) return members.join(',');
    members.push(member);
  }
}

/** Metadata with as many values as are allowed, and with as many bytes. */
export const DENSE = { a: Array(998).fill({}) };
export const FULL = { a: Array.from({ length: 998 }, (_, n) => `${n}`.padEnd(13, 'é').slice(0, 8)) };

/** Every spelling of a word. */
export const spellings = (word) =>
  Array.from({ length: 2 ** word.length }, (_, bits) =>
    [...word].map((letter, n) => ((bits >> n) & 1 ? letter.toUpperCase() : letter)).join(''),
  );

let named = 0;
/** A user that is not there yet. */
export const person = (more) => ({
  name: `Loop ${++named}`,
  email: `loop-${process.pid}-${named}@example.com`,
  ...more,
});

export const list = (count, of) => Array.from({ length: count }, (_, n) => of(n));

/** The longest name of a group, in characters of four bytes. */
export const longName = (n) => `${n}`.padStart(4, '0') + '😀'.repeat(252);
