/** Cells that a spreadsheet could run as a formula, including escaped ones. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** Prefixes a formula with an apostrophe. A cell that looks escaped gets one too, so that unescaping restores it. */
export const escapeFormula = (cell: string) => (FORMULA.test(cell) ? `'${cell}` : cell);

/** The text without the apostrophe before a formula. */
export const unescapeFormula = (cell: string) =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
