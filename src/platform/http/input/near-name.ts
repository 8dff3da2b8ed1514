/**
 * The known name that a caller may have meant by an unknown one: the same in another letter case, or with one letter
 * too many, missing, wrong or in the place of the next one. Undefined if there is none.
 */
export function nearName(given: string, known: readonly string[]): string | undefined {
  const candidates = known.filter((name) => Math.abs(name.length - given.length) <= 1);
  if (candidates.length === 0) return undefined; // before a long name is changed
  const wanted = given.toLowerCase();
  return (
    candidates.find((name) => name.toLowerCase() === wanted) ??
    candidates.find((name) => isOneEdit(name.toLowerCase(), wanted))
  );
}

/** A name of one letter is not the same name with a wrong letter: something must be left. */
function isOneEdit(name: string, other: string): boolean {
  const shorter = Math.min(name.length, other.length);
  let start = 0;
  while (start < shorter && name[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && name.at(-1 - end) === other.at(-1 - end)) end++;
  const [left, right] = [name, other].map((text) => text.slice(start, text.length - end));
  if (left.length <= 1 && right.length <= 1) return start + end > 0;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
