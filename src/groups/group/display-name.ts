import { createHash } from 'node:crypto';

/** A display name has at most 256 characters, but a few have a longer canonical or lower-case form. */
const MAX_KEY_LENGTH = 256;
const PREFIX_LENGTH = 200;

/** The form in which display names are compared: letter case is ignored. It fits into an index entry. */
export function displayNameKey(displayName: string): string {
  const key = displayName.normalize('NFC').toLowerCase();
  const characters = [...key];
  if (characters.length <= MAX_KEY_LENGTH) return key;
  return characters.slice(0, PREFIX_LENGTH).join('') + createHash('sha256').update(key).digest('hex');
}
