/** What a spreadsheet takes for a formula, after any apostrophes. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** A cell that no spreadsheet runs: an apostrophe before what would be a formula, and before what looks guarded. */
export const guarded = (cell: string) => (FORMULA.test(cell) ? `'${cell}` : cell);

/** The cell that was guarded so; any other is itself. */
export const unguarded = (cell: string) =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
