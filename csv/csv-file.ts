import { type CsvRow, CsvRows } from './csv-rows';
import { delimiterOf, hasHeader } from './delimiter';
import { unescapeFormula } from './formulas';
import { formatRows } from './write-csv';

export type { CsvRow } from './csv-rows';

/** The column, or property of an NDJSON line, with the reason why a row was refused. An import ignores it. */
export const REASON = 'refused_because';

/** The maximum characters of a header. */
const MAX_HEAD = 128 * 1024;

/** Excel's first line that names the delimiter: `sep=;`. It is not a row. */
const SEPARATOR_LINE = /^\ufeff?"?sep=([,;\t|])"?[,;\t]*\r?\n/i;

interface Options {
  /** Whether the file is expected to have a column of this name. */
  isKnown(name: string): boolean;
  /** By default it is detected from the header. */
  delimiter?: string;
}

/** The form in which the names of columns are compared. */
export const columnKey = (name: string) => name.trim().toLowerCase();

/** A CSV file, read as a stream, with the rules that the imports of the command line and of the dashboard share. */
export class CsvFile {
  private constructor(
    /** The names of the columns as in the file, without the one of the reasons. */
    readonly header: string[],
    /** The rows below the header that have content, without what an export or import adds. Can be read once. */
    readonly rows: AsyncIterable<CsvRow>,
    readonly delimiter: string,
    private readonly byteOrderMark: string,
  ) {}

  /** Reads the header. Throws if there is none, or if the file is not UTF-8. */
  static async open(bytes: AsyncIterable<Uint8Array>, { isKnown, delimiter }: Options): Promise<CsvFile> {
    const texts = decoded(bytes, 'Save it as “CSV UTF-8” and import that file.');
    let head = '';
    while (head.length < MAX_HEAD && !hasHeader(head.replace(SEPARATOR_LINE, ''))) {
      const { value, done } = await texts.next();
      if (done) break;
      head += value;
    }
    const [line, separator] = SEPARATOR_LINE.exec(head) ?? [];
    const used = delimiter ?? separator ?? delimiterOf(head, isKnown);
    const rows = rowsOf(head, texts, used);
    if (line !== undefined) await rows.next();
    const { value: header, done } = await rows.next();
    if (done) throw new Error('The file is empty. Its first line must name the columns.');
    const columns = columnsOf(header.cells);
    const byteOrderMark = head.startsWith('\ufeff') ? '\ufeff' : '';
    return new CsvFile(columns.names, cleaned(rows, columns), used, byteOrderMark);
  }

  /**
   * The header of a file with refused rows. Without the byte order mark of the file, spreadsheets take UTF-8 for
   * another encoding.
   */
  refusedHeader(): string {
    return `${this.byteOrderMark}${formatRows([[REASON, ...this.header]], this.delimiter)}`;
  }

  /** The reason comes first, so that a row with missing or surplus cells still has them, and is refused again. */
  refusedRow({ cells }: CsvRow, reason: string): string {
    return formatRows([[reason, ...cells]], this.delimiter);
  }
}

interface Columns {
  names: string[];
  reasonAt: number;
}

function columnsOf(cells: string[]): Columns {
  const reasonAt = cells.map(columnKey).indexOf(REASON);
  const names = cells.filter((_cell, at) => at !== reasonAt).map(unescapeFormula);
  while (names.at(-1)?.trim() === '') names.pop(); // spreadsheets add empty columns
  return { names, reasonAt };
}

async function* cleaned(rows: AsyncIterable<CsvRow>, { names, reasonAt }: Columns): AsyncGenerator<CsvRow> {
  for await (const { line, cells: all, fault } of rows) {
    const cells = reasonAt < 0 ? all : all.filter((_cell, at) => at !== reasonAt);
    while (cells.length > names.length && isBlank(cells.at(-1)!)) cells.pop();
    if (cells.every(isBlank)) continue;
    const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`;
    const mismatch = `has ${count}, but the header has ${names.length}`;
    yield {
      line,
      cells: cells.map(unescapeFormula),
      fault: fault ?? (cells.length === names.length ? undefined : mismatch),
    };
  }
}

/** The rows with content, beginning with the header. */
async function* rowsOf(
  head: string,
  texts: AsyncIterable<string>,
  delimiter: string,
): AsyncGenerator<CsvRow> {
  const rows = new CsvRows(delimiter);
  const hasContent = ({ cells }: CsvRow) => !cells.every(isBlank);
  for (const row of rows.push(head)) if (hasContent(row)) yield row;
  for await (const text of texts) for (const row of rows.push(text)) if (hasContent(row)) yield row;
  for (const row of rows.end()) if (hasContent(row)) yield row;
}

const isBlank = (cell: string) => cell.trim() === '';

/** Throws, with the advice, on anything but UTF-8, which would otherwise silently turn into wrong characters. */
export async function* decoded(
  bytes: AsyncIterable<Uint8Array>,
  advice: string,
): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decode = (chunk?: Uint8Array) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new Error(`The file is not UTF-8. ${advice}`);
    }
  };
  for await (const chunk of bytes) yield decode(chunk);
  yield decode();
}
