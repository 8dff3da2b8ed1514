import { unparse } from 'papaparse';
import { escapeFormula } from './formulas';

/** Rows of CSV, each with its line break. A cell that a spreadsheet could run as a formula gets an apostrophe. */
export const formatRows = (rows: readonly (readonly string[])[], delimiter: string): string =>
  `${unparse(
    rows.map((cells) => cells.map(escapeFormula)),
    { delimiter, newline: '\n' },
  )}\n`;
