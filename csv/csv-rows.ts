import { parse } from 'papaparse';

/** A row of a CSV file. */
export interface CsvRow {
  /** The number of its first line, counted from 1 as in an editor. */
  line: number;
  cells: string[];
  /** What is wrong with the row as a whole. */
  fault?: string;
}

/** A piece of the text that the parser recognized as a row. */
interface Piece {
  cells: string[];
  codes: string[];
  from: number;
  to: number;
}

/**
 * The maximum characters of a row. A longer one stops the import, because an unclosed quote would collect the rest of
 * the file.
 */
const MAX_ROW = 128 * 1024;

/** Splits CSV (RFC 4180) that arrives in pieces into rows, and keeps only the incomplete row. */
export class CsvRows {
  private rest = '';
  private line = 1;

  constructor(private readonly delimiter: string) {}

  /** The rows that the text completes. */
  *push(text: string): Generator<CsvRow> {
    const all = this.rest + text;
    const pieces = piecesOf(all, this.delimiter);
    const last = pieces.pop();
    yield* this.rowsOf(all, pieces);
    this.rest = last ? all.slice(last.from) : '';
    if (this.rest.length > MAX_ROW)
      throw new Error(`The row at line ${this.line} exceeds 128 KB, or a quoted cell in it is never closed.`);
  }

  /** The last row, if no line break ends it. */
  *end(): Generator<CsvRow> {
    const pieces = piecesOf(this.rest, this.delimiter);
    const open = pieces.at(-1);
    if (open?.codes.includes('MissingQuotes')) {
      const line = this.line + lineBreaksIn(this.rest) - lineBreaksIn(open.cells.at(-1)!);
      throw new Error(`The quote that opens at line ${line} is never closed.`);
    }
    yield* this.rowsOf(this.rest, pieces);
  }

  private *rowsOf(text: string, pieces: Piece[]): Generator<CsvRow> {
    for (const { cells, codes, from, to } of pieces) {
      const raw = text.slice(from, to);
      const last = cells.length - 1;
      // The parser treats only the second character of \r\n as a line break, so an unquoted last cell ends in \r.
      if (cells[last].endsWith('\r') && raw.endsWith(`${cells[last]}\n`))
        cells[last] = cells[last].slice(0, -1);
      const fault = codes.length > 0 ? 'has a quote inside a quoted cell, which must be doubled' : undefined;
      yield { line: this.line, cells, fault };
      this.line += lineBreaksIn(raw);
    }
  }
}

const lineBreaksIn = (text: string) => text.split('\n').length - 1;

/** Rows as the parser sees them. The last one may continue in text that has not arrived. */
function piecesOf(text: string, delimiter: string): Piece[] {
  const pieces: Piece[] = [];
  const start = text.startsWith('\ufeff') ? 1 : 0; // not part of what the parser counts
  let from = 0;
  parse<string[]>(text, {
    delimiter,
    newline: '\n',
    step: ({ data: cells, errors, meta }) => {
      const to = start + meta.cursor;
      pieces.push({ cells, codes: errors.map(({ code }) => code), from, to });
      from = to;
    },
  });
  return pieces;
}

/** The cells of a single row with commas; undefined if a quote in it is wrong. */
export function parseRow(text: string): string[] | undefined {
  const { data, errors } = parse<string[]>(text, { delimiter: ',', newline: '\n' });
  return errors.length > 0 ? undefined : (data[0] ?? ['']);
}
