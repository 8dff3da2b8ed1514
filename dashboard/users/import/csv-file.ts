import type { BatchUser, FieldFault } from '../../../client/index.ts';
import { CsvFile, type CsvRow } from '../../../csv/csv-file.ts';
import { targetOfHeader } from '../../../csv/proposals.ts';
import type { Target } from '../../../csv/targets.ts';
import { valuesOf } from '../../../csv/values.ts';

/** The beginning of a CSV file. */
export interface CsvHead {
  file: File;
  /** The names of the columns, with one for each that has none. */
  header: string[];
  /** The first rows below the header. */
  rows: CsvRow[];
}

/** The rows by whose values columns are recognized. */
const ROWS_READ = 100;

/** Throws if the file has no header, or is not UTF-8. */
export async function readHead(file: File): Promise<CsvHead> {
  const csv = await openFile(file);
  const rows: CsvRow[] = [];
  for await (const row of csv.rows) if (rows.push(row) === ROWS_READ) break;
  if (rows.length === 0) throw new Error('The file has no rows below its header.');
  return { file, header: csv.header.map((name, at) => name.trim() || `Column ${at + 1}`), rows };
}

/** The number of rows below the header. Ends early, as an abortion, with the signal. */
export async function countRows(file: File, signal: AbortSignal): Promise<number> {
  let count = 0;
  const { rows } = await openFile(file);
  for await (const _row of rows) {
    signal.throwIfAborted();
    count++;
  }
  return count;
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

/** The fault of a row, as the service words it. */
export type RowFault = Pick<FieldFault, 'field' | 'message'> & Partial<Pick<FieldFault, 'code'>>;

/** A row as an element of a batch, or its fault. */
export type Element = { row: CsvRow; user: BatchUser; bytes: number } | { row: CsvRow; faults: RowFault[] };

/** The maximum size of an element that the service accepts. */
const MAX_BYTES = 64 * 1024;

/** The element of a row. */
export function elementOf(row: CsvRow, targets: Target[]): Element {
  const { values, fault } = valuesOf(row, targets);
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
