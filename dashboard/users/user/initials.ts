/** How many colors there are: the classes `tint-0`, `tint-1` and so on. */
const TINTS = 6;

/** “AK” for Ada King, “A” for Ada. */
export function initialsOf(name: string): string {
  const letters = name.split(/\s+/).flatMap((word) => word.match(/[\p{L}\p{N}]/u)?.[0] ?? []);
  const [first = '?'] = letters;
  return (letters.length > 1 ? first + letters.at(-1)! : first).toUpperCase();
}

/** The class of the color of a user, which stays the same. */
export function tintOf(id: string): string {
  let sum = 0;
  for (const letter of id) sum = (sum * 31 + letter.charCodeAt(0)) % 9973;
  return `tint-${sum % TINTS}`;
}
