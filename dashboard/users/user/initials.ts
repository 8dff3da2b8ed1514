/** How many colors there are: the classes `tint-0`, `tint-1` and so on. */
const TINTS = 6;

/** The first letters of the first and of the last word of a name. */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0]);
  return letters.join('').toUpperCase();
}

/** The class of the color of a user, which stays the same. */
export function tintOf(id: string): string {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + letter.charCodeAt(0)) % 9973;
  return `tint-${sum % TINTS}`;
}
