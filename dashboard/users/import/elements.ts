import type { BatchUser, FieldFault } from '../../../client/index.ts';
import type { CsvRow } from './csv.ts';
import type { Field } from './csv-file.ts';

/** The fault of a row, as the service words it. */
export type RowFault = Pick<FieldFault, 'field' | 'message'> & Partial<Pick<FieldFault, 'code'>>;

/** A row as an element of a batch, or what is wrong with it. */
export type Element = { row: CsvRow; user: BatchUser; bytes: number } | { row: CsvRow; faults: RowFault[] };

/** No element of a batch that the service accepts is larger. */
const MAX_BYTES = 64 * 1024;

/** The element of a row. An empty cell counts as missing. */
export function elementOf(row: CsvRow, fields: (Field | undefined)[]): Element {
  const { cells } = row;
  while (cells.length > fields.length && cells.at(-1)!.trim() === '') cells.pop();
  if (cells.length !== fields.length) {
    const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
    return refused(row, 'row', `has ${count}, but the header has ${fields.length}`);
  }
  const user: Record<string, unknown> = {};
  for (const [at, field] of fields.entries()) {
    if (field === undefined || cells[at] === '') continue;
    try {
      user[field] = field === 'metadata' ? (JSON.parse(cells[at]) as unknown) : cells[at];
    } catch {
      return refused(row, field, 'must be JSON');
    }
  }
  const bytes = new TextEncoder().encode(JSON.stringify(user)).length;
  if (bytes > MAX_BYTES) return refused(row, 'row', 'must not exceed 64 KB');
  return { row, user: user as unknown as BatchUser, bytes };
}

/** The form in which the service compares emails. */
export const emailKeyOf = ({ email }: Partial<BatchUser>): string =>
  typeof email === 'string' ? email.trim().normalize('NFKC').toLowerCase() : '';

const refused = (row: CsvRow, field: string, message: string) => ({ row, faults: [{ field, message }] });
