import type { BatchUser, FieldFault } from '../../../client/index.ts';
import { columnKey, CsvFile, type CsvRow } from '../../../csv/csv-file.ts';
import { targetOfHeader } from '../../../csv/proposals.ts';
import { valuesOf } from '../../../csv/values.ts';
import { type UserValues, WRITABLE_FIELDS } from '../user/values.ts';

/** A field that a column can be mapped to. */
export type ImportField = keyof UserValues;

/** The beginning of a CSV file. */
export interface CsvHead {
  file: File;
  header: string[];
  /** The first rows below the header. */
  rows: CsvRow[];
}

const ROWS_SHOWN = 5;

/** Throws if the file has no header, or is not UTF-8. */
export async function readHead(file: File): Promise<CsvHead> {
  const csv = await openFile(file);
  const rows: CsvRow[] = [];
  for await (const row of csv.rows) if (rows.push(row) === ROWS_SHOWN) break;
  if (rows.length === 0) throw new Error('The file has no rows below its header.');
  return { file, header: csv.header.map((name) => name.trim()), rows };
}

/** Opens a file from its beginning. `onRead` gets the number of bytes read so far. */
export const openFile = (file: File, onRead?: (bytes: number) => void): Promise<CsvFile> =>
  CsvFile.open(chunksOf(file, onRead), { isKnown: (name) => targetOfHeader(name) !== undefined });

async function* chunksOf(file: File, onRead?: (bytes: number) => void): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read().catch(() => {
        throw new Error('The file has changed, or is gone, since it was chosen. Choose it again.');
      });
      if (done) return;
      yield value;
      onRead?.((bytes += value.length));
    }
  } finally {
    await reader.cancel().catch(() => {}); // rejects if reading has failed
  }
}

/** The field that the name of each column suggests. */
export const suggestedFields = (header: string[]): (ImportField | undefined)[] => {
  const suggested = header.map((name) => {
    const key = columnKey(name.replace(/[ _-]/g, '')); // “External ID” and “external_id” are externalId
    return WRITABLE_FIELDS.find((field) => columnKey(field) === key);
  });
  return suggested.map((field, at) => (suggested.indexOf(field) === at ? field : undefined));
};

/** The fault of a row, as the service words it. */
export type RowFault = Pick<FieldFault, 'field' | 'message'> & Partial<Pick<FieldFault, 'code'>>;

/** A row as an element of a batch, or its fault. */
export type Element = { row: CsvRow; user: BatchUser; bytes: number } | { row: CsvRow; faults: RowFault[] };

/** The maximum size of an element that the service accepts. */
const MAX_BYTES = 64 * 1024;

/** The element of a row. */
export function elementOf(row: CsvRow, fields: (ImportField | undefined)[]): Element {
  const { values, fault } = valuesOf(row, fields);
  if (fault) return { row, faults: [fault] };
  const bytes = new TextEncoder().encode(JSON.stringify(values)).length;
  if (bytes > MAX_BYTES) return { row, faults: [{ field: 'row', message: 'must not exceed 64 KB' }] };
  return { row, user: values as unknown as BatchUser, bytes };
}

/** The field by which the service finds the user of a row. */
export type Identity = 'email' | 'externalId';

/** The identity of an element, in the form in which the service compares it; empty if it has none. */
export function keyOf(user: Partial<BatchUser>, by: Identity): string {
  const value = user[by];
  if (typeof value !== 'string') return '';
  return by === 'email' ? value.trim().normalize('NFKC').toLowerCase() : value.trim();
}
