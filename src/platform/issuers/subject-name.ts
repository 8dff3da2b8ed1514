const MAX_CHARACTERS = 100;

/** The first of these that is a text with a visible character, cut to 100 characters. */
export function displayName(...candidates: unknown[]): string {
  const names = candidates.map((name) =>
    typeof name === 'string' ? [...printable(name).trim()].slice(0, MAX_CHARACTERS).join('').trim() : '',
  );
  return names.find((name) => name !== '') ?? 'unknown';
}

/** Whether a subject can be stored unchanged. It tells one user from another, so it is never cut or altered. */
export const isSubject = (text: string): boolean => /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(text);

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
const printable = (text: string): string => text.toWellFormed().replace(/\p{Cc}/gu, ' ');
