import type { BatchUser, FieldFault } from '../../../client/index.ts';
import type { CsvRow } from '../../../csv/csv-file.ts';
import { valuesOf } from '../../../csv/values.ts';
import type { ImportField } from './csv-file.ts';

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
