import { createHash } from 'node:crypto';
import { invalidInput } from '../http/fault';

const CHECKSUM_LENGTH = 16;

/** Encodes a position as opaque text. `list` identifies the list: its organization, sort, order and filters. */
export function encodeCursor(position: unknown[], list: unknown[]): string {
  const text = Buffer.from(JSON.stringify(position)).toString('base64url');
  return checksum(text, list) + text;
}

/** Decodes the position; throws a 400 if the cursor is malformed, truncated or of another list. */
export function decodeCursor(
  cursor: string,
  list: unknown[],
  isPosition: (values: string[]) => boolean,
): string[] {
  const text = cursor.slice(CHECKSUM_LENGTH);
  if (cursor.slice(0, CHECKSUM_LENGTH) === checksum(text, list)) {
    const values: unknown = parseJson(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(values) && values.every(isText) && isPosition(values)) return values;
  }
  throw invalidInput([{ field: 'cursor', code: 'invalid', message: 'is not a valid cursor for this list' }]);
}

/** Not a signature: it detects a truncated cursor and a cursor of another list. */
const checksum = (text: string, list: unknown[]) =>
  createHash('sha256')
    .update(JSON.stringify([list, text]))
    .digest('base64url')
    .slice(0, CHECKSUM_LENGTH);

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.isWellFormed() && !value.includes('\0');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
