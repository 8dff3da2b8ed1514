import { CsvParser, type CsvRow, delimiterOf, unescapeFormula } from './csv.ts';

/** The column with the reasons in a file of refused rows. An import ignores it. */
export const REASON = 'refused_because';

/** What a column of a file can become. */
export const FIELDS = ['name', 'email', 'role', 'metadata'] as const;
export type Field = (typeof FIELDS)[number];

/** The beginning of a CSV file. */
export interface CsvHead {
  file: File;
  delimiter: string;
  header: string[];
  /** The first rows below the header. */
  rows: CsvRow[];
}

const ROWS_SHOWN = 5;
const HEAD_BYTES = 256 * 1024;

/** Throws if the file has no header, or is not UTF-8. */
export async function readHead(file: File): Promise<CsvHead> {
  const bytes = await file.slice(0, HEAD_BYTES).arrayBuffer();
  // The last character may be cut in two.
  const text = decoding(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true }));
  const delimiter = delimiterOf(text);
  const parser = new CsvParser(delimiter);
  const rows: CsvRow[] = [];
  const add = (parsed: Iterable<CsvRow>) => {
    for (const row of parsed) {
      if (!isBlank(row)) rows.push(row);
      if (rows.length > ROWS_SHOWN) return;
    }
  };
  add(parser.push(text));
  if (rows.length <= ROWS_SHOWN && file.size <= HEAD_BYTES) add(parser.end());
  const [header, ...shown] = rows;
  if (!header) throw new Error('The file is empty. Its first line must name the columns.');
  if (shown.length === 0 && file.size <= HEAD_BYTES)
    throw new Error('The file has no rows below its header.');
  const textOf = textOfCells(header.cells);
  return {
    file,
    delimiter,
    header: header.cells.map((cell) => textOf(cell).trim()),
    rows: shown.map(({ line, cells }) => ({ line, cells: cells.map(textOf) })),
  };
}

/** The rows below the header. `onRead` is told how many bytes of the file have been read. */
export async function* readRows(
  { file, delimiter, header }: CsvHead,
  onRead: (bytes: number) => void,
): AsyncGenerator<CsvRow> {
  const parser = new CsvParser(delimiter);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const textOf = textOfCells(header);
  let isHeader = true;
  const clean = function* (rows: Iterable<CsvRow>): Generator<CsvRow> {
    for (const row of rows) {
      if (isBlank(row)) continue;
      if (!isHeader) yield { line: row.line, cells: row.cells.map(textOf) };
      isHeader = false;
    }
  };
  let bytes = 0;
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read().catch(() => {
        throw new Error('The file has changed, or is gone, since it was chosen. Choose it again.');
      });
      const text = decoding(() => decoder.decode(value, { stream: !done }));
      yield* clean(parser.push(text));
      if (done) break;
      onRead((bytes += value.length));
    }
    yield* clean(parser.end());
  } finally {
    await reader.cancel().catch(() => {}); // rejects if reading has failed
  }
}

/** The field that the name of each column suggests. */
export const suggestedFields = (header: string[]): (Field | undefined)[] => {
  const suggested = header.map((name) => FIELDS.find((field) => field === name.toLowerCase()));
  return suggested.map((field, at) => (suggested.indexOf(field) === at ? field : undefined));
};

const isBlank = ({ cells }: CsvRow) => cells.every((cell) => cell.trim() === '');

/** Only an export has an id, and only an import writes reasons. In any other file an apostrophe is the author's own. */
function textOfCells(header: string[]): (cell: string) => string {
  const names = header.map((name) => name.trim().toLowerCase());
  return names.includes('id') || names.includes(REASON) ? unescapeFormula : (cell) => cell;
}

function decoding(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new Error('The file is not UTF-8. Save it as “CSV UTF-8” and choose that file.');
  }
}
