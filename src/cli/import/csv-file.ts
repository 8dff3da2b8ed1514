import { pipeline, type Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { escapeFormula } from '../formulas';
import { findDelimiter, hasHeader } from './csv-delimiter';
import { type CsvHeader, EMPTY_FILE, readHeader } from './csv-header';
import { type ImportFile, MAX_ROW, REASON, type Row, rowFault } from './import-file';

export interface CsvOptions {
  /** By default the header tells. */
  delimiter?: string;
  /** The names of columns to leave out, as a row of CSV. */
  ignoreColumns?: string;
}

const BOM = Buffer.from('\ufeff');

/** Reads the rows of a CSV file, and writes refused ones in the same form. */
export class CsvFile implements ImportFile {
  readonly rows = this.read();
  private delimiter: string;
  private bom: boolean;
  private header?: CsvHeader;
  /** The number of lines in the records so far. */
  private lines = 0;

  constructor(
    private readonly source: Readable,
    private readonly options: CsvOptions = {},
  ) {}

  /** With the byte order mark of the file, because without it spreadsheets take UTF-8 for another encoding. */
  refusedHeader(): string {
    return `${this.bom ? BOM.toString() : ''}${this.format([REASON, ...this.header!.names])}`;
  }

  private async *read(): AsyncGenerator<Row> {
    const chunks = this.source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    const head = await readHead(chunks);
    this.bom = head.subarray(0, BOM.length).equals(BOM);
    this.delimiter = this.options.delimiter ?? findDelimiter(head);
    const parser = parse({
      bom: true,
      delimiter: this.delimiter,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true, // refuse a row with a wrong number of cells, not the file
      relax_quotes: true, // take a quote inside an unquoted cell literally
      skip_empty_lines: true,
      max_record_size: 2 * MAX_ROW,
      on_record: (cells: string[], { empty_lines }) => this.rowOf(cells, empty_lines) as never, // yielded as it is
    });
    pipeline(onlyUtf8(head, chunks), parser, () => {}); // the iteration below throws the error
    try {
      yield* parser;
    } catch (error) {
      throw error instanceof CsvError ? this.describe(error, parser) : error;
    }
    if (!this.header) throw new Error(EMPTY_FILE);
  }

  /** Returns undefined for the header, and for a row whose cells are all empty. */
  private rowOf(record: string[], emptyLines: number): Row | undefined {
    const line = this.nextLine(emptyLines);
    this.lines += 1 + lineBreaksIn(record);
    if (!this.header) {
      if (!record.every(isBlank)) this.header = readHeader(record, this.options.ignoreColumns);
      return undefined;
    }
    const { names, reasonAt } = this.header;
    const cells = reasonAt < 0 ? record : record.filter((_cell, at) => at !== reasonAt);
    while (cells.length > names.length && isBlank(cells.at(-1)!)) cells.pop();
    if (cells.every(isBlank)) return undefined;
    const bytes = cells.reduce((sum, cell) => sum + cell.length, 0);
    return {
      line,
      bytes,
      ...parseCells(cells, this.header),
      refused: (reason) => this.refused(cells, reason),
    };
  }

  /** The reason comes first, so that a row with missing or surplus cells still has them, and is refused again. */
  private refused(cells: string[], reason: string): string {
    return this.format([reason, ...cells.map(this.header!.textOf)]);
  }

  private format(cells: string[]): string {
    return stringify([cells.map(escapeFormula)], { delimiter: this.delimiter });
  }

  private nextLine(emptyLines: number): number {
    return 1 + this.lines + emptyLines;
  }

  private describe(error: CsvError & { empty_lines?: number }, parser: object): Error {
    const line = this.nextLine(error.empty_lines ?? 0);
    if (error.code === 'CSV_QUOTE_NOT_CLOSED') {
      const { state } = parser as { state: { record: string[] } }; // the cells before the one with the quote
      return new Error(`The quote that opens at line ${line + lineBreaksIn(state.record)} is never closed.`);
    }
    if (error.code === 'CSV_MAX_RECORD_SIZE') {
      return new Error(`The row at line ${line} exceeds 128 KB, or a quoted cell in it is never closed.`);
    }
    return new Error(`Line ${line}: ${error.message}`);
  }
}

const isBlank = (cell: string) => cell.trim() === '';

function lineBreaksIn(cells: string[]): number {
  let count = 0;
  for (const cell of cells) {
    for (let at = cell.indexOf('\n'); at >= 0; at = cell.indexOf('\n', at + 1)) count++;
  }
  return count;
}

/** Parses the cells of a row; an empty cell counts as missing. */
function parseCells(cells: string[], { names, columns, textOf }: CsvHeader): Pick<Row, 'input' | 'faults'> {
  if (cells.length !== names.length) {
    const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
    const message = `has ${count}, but the header has ${names.length}`;
    return { faults: [rowFault('invalid', message)] };
  }
  const input: Record<string, unknown> = {};
  for (const { name, at, fromCell } of columns) {
    const cell = textOf(cells[at]);
    if (cell === '') continue;
    try {
      input[name] = fromCell(cell);
    } catch {
      return { faults: [{ field: name, code: 'invalid', message: 'must be JSON' }] };
    }
  }
  return { input };
}

/** Reads until the header is complete. */
async function readHead(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let head = Buffer.alloc(0);
  while (!hasHeader(head) && head.length <= 2 * MAX_ROW) {
    const { value, done } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return head;
}

/** Fails on anything but UTF-8, which would otherwise silently turn into wrong characters. */
async function* onlyUtf8(head: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const check = (chunk?: Buffer) => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new Error('The file is not UTF-8. Save it as “CSV UTF-8” and import that file.');
    }
  };
  check(head);
  yield head;
  for await (const chunk of { [Symbol.asyncIterator]: () => rest }) {
    check(chunk);
    yield chunk;
  }
  check();
}
