/** A row of a CSV file, and the number of its first line, counted from 1. */
export interface CsvRow {
  line: number;
  cells: string[];
}

const DELIMITERS = [',', ';', '\t'];

/** The delimiter of a file that begins so: the one that its first line with content has most often. */
export function delimiterOf(head: string): string {
  const line = head.split(/\r?\n/).find((line) => /[^\s,;]/.test(line)) ?? '';
  const countOf = (delimiter: string) => line.split(delimiter).length;
  return DELIMITERS.reduce((best, next) => (countOf(next) > countOf(best) ? next : best));
}

/** Splits CSV (RFC 4180) that comes in pieces into rows. A quote inside an unquoted cell is part of it. */
export class CsvParser {
  private cells: string[] = [];
  private cell = '';
  private isQuoted = false;
  /** After a quote inside a quoted cell: another one stands for a quote, anything else ends the quoting. */
  private isAfterQuote = false;
  private isAfterReturn = false;
  private line = 1;
  private firstLine = 1;

  constructor(private readonly delimiter: string) {}

  *push(text: string): Generator<CsvRow> {
    for (const character of text) {
      const isSecondOfLineBreak = this.isAfterReturn && character === '\n';
      this.isAfterReturn = character === '\r';
      if (this.isQuoted && !this.isAfterQuote) {
        if (character === '"') this.isAfterQuote = true;
        else this.cell += character;
        if (character === '\n') this.line++;
        continue;
      }
      if (this.isAfterQuote) {
        this.isAfterQuote = false;
        if (character === '"') {
          this.cell += '"';
          continue;
        }
        this.isQuoted = false;
      }
      if (isSecondOfLineBreak) continue;
      if (character === '"' && this.cell === '') this.isQuoted = true;
      else if (character === this.delimiter) this.endCell();
      else if (character === '\n' || character === '\r') yield this.endRow();
      else this.cell += character;
    }
  }

  /** The last row, if no line break ends it. Throws if a quote is never closed. */
  *end(): Generator<CsvRow> {
    if (this.isQuoted && !this.isAfterQuote)
      throw new Error(`The quote that opens in the row at line ${this.firstLine} is never closed.`);
    if (this.cell !== '' || this.cells.length > 0) yield this.endRow();
  }

  private endCell(): void {
    this.cells.push(this.cell);
    this.cell = '';
  }

  private endRow(): CsvRow {
    this.endCell();
    const row = { line: this.firstLine, cells: this.cells };
    this.cells = [];
    this.firstLine = ++this.line;
    return row;
  }
}

/** Cells that a spreadsheet could run as a formula, including escaped ones. `ums users import` has the same rule. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

export const unescapeFormula = (cell: string) =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;

/** A line of CSV. A cell that a spreadsheet could run as a formula gets an apostrophe. */
export const formatRow = (cells: string[], delimiter: string): string =>
  `${cells
    .map((cell) => (FORMULA.test(cell) ? `'${cell}` : cell))
    .map((cell) =>
      /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell,
    )
    .join(delimiter)}\r\n`;
