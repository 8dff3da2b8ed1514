import type { CsvRow } from './csv-rows';
import { keyOfTarget, type Target } from './targets';

/** What is wrong with a row: with one of its columns, or with the row as a whole. */
export interface CellFault {
  field: string;
  message: string;
}

/**
 * The values of a row by field name; a column without a target is left out. An empty cell counts as missing, and so
 * does a blank cell of `active`. The fault says what cannot be read, and is not in the values.
 */
export function valuesOf(
  { cells, fault }: CsvRow,
  targets: readonly Target[],
): { values: Record<string, unknown>; fault?: CellFault } {
  const values: Record<string, unknown> = {};
  if (fault) return { values, fault: { field: 'row', message: fault } };
  const metadata: Record<string, string> = {};
  let wrong: CellFault | undefined;
  for (const [at, target] of targets.entries()) {
    if (target === undefined || isMissing(target, cells[at])) continue;
    const key = keyOfTarget(target);
    if (key !== undefined) {
      metadata[key] = cells[at];
      values.metadata = metadata;
      continue;
    }
    try {
      values[target] = valueOf(target, cells[at]);
    } catch {
      wrong ??= { field: target, message: 'must be JSON' };
    }
  }
  return { values, fault: wrong };
}

const isMissing = (target: string, cell: string) => (target === 'active' ? cell.trim() : cell) === '';

function valueOf(target: string, cell: string): unknown {
  if (target === 'metadata') return JSON.parse(cell);
  // Spreadsheets write TRUE. The service refuses anything else.
  const word = target === 'active' ? cell.trim().toLowerCase() : undefined;
  return word === 'true' || word === 'false' ? word === 'true' : cell;
}
