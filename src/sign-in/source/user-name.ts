import type { Person } from '../../tokens/token.entity';
import type { Claims } from '../oidc/admin-rules';

const MAX_CHARACTERS = 100;

/** The person as the token's creator, and the name of the token: their email address or subject. */
export function personOf(claims: Claims & { iss: string; sub: string }): {
  person: Person;
  tokenName: string;
} {
  const { iss, sub, name, preferred_username, email } = claims;
  return {
    person: { issuer: iss, subject: sub, name: nameOf(name, preferred_username, email, sub) },
    tokenName: nameOf(email, sub),
  };
}

/** The first of these that is a text with something to see, cut to 100 characters. */
export function nameOf(...candidates: unknown[]): string {
  const names = candidates.map((name) =>
    typeof name === 'string' ? [...printable(name).trim()].slice(0, MAX_CHARACTERS).join('').trim() : '',
  );
  return names.find((name) => name !== '') ?? 'unknown';
}

/** Whether it can be stored as it is: the subject tells one person from another, so it is never cut or changed. */
export const isSubject = (text: string): boolean => /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(text);

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
const printable = (text: string): string => text.toWellFormed().replace(/\p{Cc}/gu, ' ');
