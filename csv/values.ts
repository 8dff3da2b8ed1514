import type { CsvRow } from './csv-rows';

/** What is wrong with a row: with one of its columns, or with the row as a whole. */
export interface CellFault {
  field: string;
  message: string;
}

/**
 * The values of a row by the names that its columns have here; a column without a name is left out. An empty cell counts as
 * missing. Returns the fault instead if the row cannot be read.
 */
export function valuesOf(
  { cells, fault }: CsvRow,
  names: readonly (string | undefined)[],
): { values: Record<string, unknown>; fault?: undefined } | { values?: undefined; fault: CellFault } {
  if (fault) return { fault: { field: 'row', message: fault } };
  const values: Record<string, unknown> = {};
  for (const [at, name] of names.entries()) {
    if (name === undefined || cells[at] === '') continue;
    try {
      values[name] = name === 'metadata' ? (JSON.parse(cells[at]) as unknown) : cells[at];
    } catch {
      return { fault: { field: name, message: 'must be JSON' } };
    }
  }
  return { values };
}
