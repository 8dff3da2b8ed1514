import { isUtf8 } from 'node:buffer';
import { pipeline, type Readable, Transform } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { Fault } from '../http/fault';
import { USER_FIELDS, type UserFieldName, WRITABLE_NAMES } from '../users/user.fields';
import type { Format } from './format';
import { unguarded } from './formulas';

/** A row of a file: what it says, or why it says nothing. */
export interface Row {
  /** Its last line, counted from 1, as an editor shows it. */
  line: number;
  input?: unknown;
  faults?: Fault[];
  /** About how much memory it takes. */
  bytes: number;
}

/** The most that a row may have; the API takes no larger body either. In CSV each quote in it is two. */
const MAX_ROW = 64 * 1024;

/** The rows of a stream, one by one; a file that is no such file throws. */
export const readRows = (source: Readable, format: Format): AsyncGenerator<Row> =>
  format === 'csv' ? csvRows(source) : ndjsonRows(source);

async function* ndjsonRows(source: Readable): AsyncGenerator<Row> {
  for await (const { line, bytes } of lines(source)) {
    if (bytes === null) {
      yield { line, bytes: 0, faults: [bodyFault('too_long', 'may have 64 KB at most')] };
    } else if (!isUtf8(bytes)) {
      yield { line, bytes: bytes.length, faults: [notJson] };
    } else {
      const text = bytes.toString().replace(/^\ufeff/, '');
      if (text.trim() !== '') yield { line, bytes: bytes.length, ...parsed(text) };
    }
  }
}

/** The lines of a stream; null stands for one that is longer than a row may be. */
async function* lines(source: Readable): AsyncGenerator<{ line: number; bytes: Buffer | null }> {
  let line = 0;
  let begun: Buffer[] = [];
  let length = 0;
  const end = () => {
    const bytes = length > MAX_ROW ? null : Buffer.concat(begun);
    begun = [];
    length = 0;
    return { line: ++line, bytes };
  };
  const add = (part: Buffer) => {
    length += part.length;
    if (length > MAX_ROW) begun = [];
    else begun.push(part);
  };
  for await (const chunk of source as AsyncIterable<Buffer>) {
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      add(chunk.subarray(from, to));
      yield end();
      from = to + 1;
    }
    add(chunk.subarray(from));
  }
  if (length > 0) yield end();
}

async function* csvRows(source: Readable): AsyncGenerator<Row> {
  const parser = parse({
    bom: true,
    info: true,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true, // a row with too few or too many cells is refused, not the file
    relax_quotes: true, // a quote inside a cell that does not begin with one is a quote
    skip_empty_lines: true,
    max_record_size: 2 * MAX_ROW,
  });
  pipeline(source, onlyUtf8(), parser, () => {}); // what fails ends the iteration
  let header: string[] | undefined;
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      if (header) yield { line: info.lines, bytes: record.join().length, ...rowOf(header, record) };
      else header = checkedHeader(record);
    }
  } catch (error) {
    throw explained(error);
  }
  if (!header) throw new Error(`The file is empty. ${HEADER_HINT}`);
}

interface CsvRecord {
  record: string[];
  info: { lines: number };
}

const HEADER_HINT = `Its first line must name the columns: ${WRITABLE_NAMES.join(', ')}.`;

function checkedHeader(cells: string[]): string[] {
  const header = cells.map((cell) => cell.trim());
  const unknown = header.find((name) => !Object.hasOwn(USER_FIELDS, name));
  if (unknown !== undefined) {
    throw new Error(`The file has a column ${JSON.stringify(unknown.slice(0, 64))}. ${HEADER_HINT}`);
  }
  const twice = header.find((name, i) => header.indexOf(name) < i);
  if (twice) throw new Error(`The file has two columns ${twice}. ${HEADER_HINT}`);
  if (!header.includes('email')) throw new Error(`The file has no column email. ${HEADER_HINT}`);
  return header;
}

/** An empty cell says nothing. */
function rowOf(header: string[], cells: string[]): Pick<Row, 'input' | 'faults'> {
  const entries = header
    .map((name, i) => [name, unguarded(cells[i] ?? '')])
    .filter(([, cell]) => cell !== '');
  const input: Record<string, unknown> = Object.fromEntries(entries);
  if (cells.length !== header.length) {
    const message = `has ${cells.length} cells, and there are ${header.length} columns`;
    return { input, faults: [bodyFault('invalid', message)] };
  }
  for (const name of header) {
    if (input[name] === undefined || USER_FIELDS[name as UserFieldName].kind !== 'json') continue;
    try {
      input[name] = JSON.parse(input[name] as string);
    } catch {
      return { input, faults: [{ field: name, code: 'invalid', message: 'must be JSON' }] };
    }
  }
  return { input };
}

function parsed(text: string): Pick<Row, 'input' | 'faults'> {
  try {
    return { input: JSON.parse(text) };
  } catch {
    return { input: text, faults: [notJson] };
  }
}

function explained(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error;
  const line = (error as { lines?: number }).lines;
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return new Error('The last quote of the file is never closed.');
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return new Error(`The row at line ${line} has more than 128 KB, or a quote in it is never closed.`);
  }
  return new Error(`Line ${line}: ${error.message}`);
}

const bodyFault = (code: Fault['code'], message: string): Fault => ({ field: 'body', code, message });
const notJson = bodyFault('invalid', 'must be JSON in UTF-8');

/** Passes on UTF-8 and fails on anything else, which would silently become other characters. */
function onlyUtf8(): Transform {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const check = (chunk: Buffer | undefined, done: (error?: Error | null, chunk?: Buffer) => void) => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      return done(new Error('The file is not UTF-8. Save it as “CSV UTF-8”, and import that.'));
    }
    done(null, chunk);
  };
  return new Transform({
    transform: (chunk, _encoding, done) => check(chunk, done),
    flush: (done) => check(undefined, done),
  });
}
