import type { IncomingMessage } from 'node:http';
import { type FaultCode, invalidInput } from '../fault';
import { hasCharacters } from '../input/checks';

const HEADER = 'X-On-Behalf-Of';
const MAX_CHARACTERS = 200;

/**
 * Control and format characters and separators of lines, which could hide or reorder what a reader sees, and lone
 * surrogates.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** For whom the request says that it acts; undefined if it does not say. Throws a 400 if the header is malformed. */
export function onBehalfOf({ headers, headersDistinct }: IncomingMessage): string | undefined {
  const name = HEADER.toLowerCase();
  const value = headers[name];
  if (value === undefined) return undefined;
  if ((headersDistinct[name] ?? []).length > 1) throw malformed(HEADER, 'invalid', 'must be sent only once');
  return principalOf(decoded(String(value)), HEADER);
}

/** The text without surrounding white space. Throws a 400 on the field if it cannot be the `onBehalfOf` of an event. */
export function principalOf(text: string, field: string): string {
  if (UNSEEN.test(text)) throw malformed(field, 'invalid', 'must have no control or format characters');
  const principal = text.trim();
  if (principal === '') throw malformed(field, 'too_short', 'must not be empty');
  if (hasCharacters(principal, MAX_CHARACTERS + 1))
    throw malformed(field, 'too_long', `must have at most ${MAX_CHARACTERS} characters`);
  return principal;
}

/** Node.js reads each byte of a header as a character. */
function decoded(value: string): string {
  try {
    return decoder.decode(Buffer.from(value, 'latin1'));
  } catch {
    throw malformed(HEADER, 'invalid', 'must be UTF-8');
  }
}

const malformed = (field: string, code: FaultCode, message: string) =>
  invalidInput([{ field, code, message }]);
