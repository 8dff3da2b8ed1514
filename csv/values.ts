import type { CsvRow } from './csv-rows';

/** What is wrong with a row: with one of its columns, or with the row as a whole. */
export interface CellFault {
  field: string;
  message: string;
}

/**
 * The values of a row by field name; a column without a field is left out. An empty cell counts as missing, and so does
 * a blank cell of `active`. Returns the fault instead if the row cannot be read.
 */
export function valuesOf(
  { cells, fault }: CsvRow,
  names: readonly (string | undefined)[],
): { values: Record<string, unknown>; fault?: undefined } | { values?: undefined; fault: CellFault } {
  if (fault) return { fault: { field: 'row', message: fault } };
  const values: Record<string, unknown> = {};
  for (const [at, name] of names.entries()) {
    if (name === undefined || isMissing(name, cells[at])) continue;
    try {
      values[name] = valueOf(name, cells[at]);
    } catch {
      return { fault: { field: name, message: 'must be JSON' } };
    }
  }
  return { values };
}

const isMissing = (name: string, cell: string) => (name === 'active' ? cell.trim() : cell) === '';

function valueOf(name: string, cell: string): unknown {
  if (name === 'metadata') return JSON.parse(cell);
  // Spreadsheets write TRUE. The service refuses anything else.
  const word = name === 'active' ? cell.trim().toLowerCase() : undefined;
  return word === 'true' || word === 'false' ? word === 'true' : cell;
}
