import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { REASON } from '../../../../csv/csv-file';
import { type ImportFile, MAX_ROW_BYTES, type ImportRow, rowFault } from './import-file';

/** A longer line stops the import, because the whole line would have to be kept for the file of refused rows. */
const MAX_LINE = 1024 * 1024;

export const readNdjson = (source: Readable): ImportFile => ({ rows: importRows(source) });

async function* importRows(source: Readable): AsyncGenerator<ImportRow> {
  let line = 0;
  for await (const bytes of linesOf(source)) {
    line++;
    const row = parseLine(bytes);
    if (row) yield { line, bytes: bytes.length, ...row };
  }
}

async function* linesOf(source: Readable): AsyncGenerator<Buffer> {
  let line = 1;
  let parts: Buffer[] = [];
  let length = 0;
  const add = (part: Buffer) => {
    parts.push(part);
    length += part.length;
    if (length > MAX_LINE)
      throw new Error(`Line ${line} exceeds 1 MB. Each line of an NDJSON file must be one user as JSON.`);
  };
  const end = () => {
    const bytes = Buffer.concat(parts);
    parts = [];
    length = 0;
    line++;
    return bytes;
  };
  for await (const chunk of source as AsyncIterable<Buffer>) {
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, to));
      yield end();
      from = to + 1;
    }
    add(chunk.subarray(from));
  }
  if (length > 0) yield end();
}

/** Returns undefined for a line without content: a blank line, or an object that has nothing but a reason. */
function parseLine(bytes: Buffer): Pick<ImportRow, 'input' | 'faults' | 'refused'> | undefined {
  const refused = (reason: string) => belowReason(bytes, reason);
  if (bytes.length > MAX_ROW_BYTES)
    return { faults: [rowFault('too_long', 'must not exceed 64 KB')], refused };
  if (!isUtf8(bytes)) return { faults: [notJson], refused };
  const text = bytes
    .toString()
    .replace(/^\ufeff/, '')
    .trim();
  if (text === '') return undefined;
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch {
    return { faults: [notJson], refused };
  }
  if (!text.startsWith('{')) return { input, refused };
  const user = input as Record<string, unknown>;
  if (Object.hasOwn(user, REASON)) {
    delete user[REASON];
    if (Object.keys(user).length === 0) return undefined;
  }
  return { input, refused: (reason) => withReason(text, reason) };
}

const notJson = rowFault('invalid', 'must be JSON in UTF-8');

const OLD_REASON = new RegExp(String.raw`([{,])\s*"${REASON}"\s*:\s*"(?:[^"\\]|\\.)*"\s*$`);

/** Appends the reason to the text of an object. Its other properties stay as they are: parsing could round numbers. */
export function withReason(text: string, reason: string): string {
  const properties = text
    .slice(0, -1)
    .replace(OLD_REASON, (_match, before: string) => (before === '{' ? before : ''));
  const comma = /\{\s*$/.test(properties) ? '' : ',';
  return `${properties}${comma}${JSON.stringify(REASON)}:${JSON.stringify(reason)}}\n`;
}

/** Keeps a line that is not an object as it is, below a line with the reason, which an import skips. */
const belowReason = (bytes: Buffer, reason: string) =>
  Buffer.concat([Buffer.from(`${JSON.stringify({ [REASON]: reason })}\n`), bytes, Buffer.from('\n')]);
