import { isUtf8 } from 'node:buffer';
import { pipeline, type Readable, Transform } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { Fault } from '../http/fault';
import { USER_FIELDS, type UserFieldName, WRITABLE_NAMES } from '../users/user.fields';
import { kindOf } from '../users/user.kinds';
import type { Format } from './format';
import { unescapeFormula } from './formulas';

/** A row of a file, with its content or the reasons why it cannot be parsed. */
export interface Row {
  /** The number of its last line, counted from 1 as in an editor. */
  line: number;
  input?: unknown;
  faults?: Fault[];
  /** Approximate memory use. */
  bytes: number;
}

/** The maximum size of a row in bytes, the same as for a request body. CSV gets twice that, because it doubles quotes. */
const MAX_ROW = 64 * 1024;

/** Yields the rows of a stream. Throws if the file as a whole is not in the format. */
export const readRows = (source: Readable, format: Format): AsyncGenerator<Row> =>
  format === 'csv' ? csvRows(source) : ndjsonRows(source);

async function* ndjsonRows(source: Readable): AsyncGenerator<Row> {
  for await (const { line, bytes } of lines(source)) {
    if (bytes === null) {
      yield { line, bytes: 0, faults: [bodyFault('too_long', 'must not exceed 64 KB')] };
    } else if (!isUtf8(bytes)) {
      yield { line, bytes: bytes.length, faults: [notJson] };
    } else {
      const text = bytes.toString().replace(/^\ufeff/, '');
      if (text.trim() !== '') yield { line, bytes: bytes.length, ...parseLine(text) };
    }
  }
}

/** Yields the lines of a stream, with null for the bytes of a line that exceeds the maximum. */
async function* lines(source: Readable): AsyncGenerator<{ line: number; bytes: Buffer | null }> {
  let line = 0;
  let parts: Buffer[] = [];
  let length = 0;
  const end = () => {
    const bytes = length > MAX_ROW ? null : Buffer.concat(parts);
    parts = [];
    length = 0;
    return { line: ++line, bytes };
  };
  const add = (part: Buffer) => {
    length += part.length;
    if (length > MAX_ROW) parts = [];
    else parts.push(part);
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
    relax_column_count: true, // refuse a row with a wrong number of cells, not the file
    relax_quotes: true, // take a quote inside an unquoted cell literally
    skip_empty_lines: true,
    max_record_size: 2 * MAX_ROW,
  });
  pipeline(source, onlyUtf8(), parser, () => {}); // the iteration below throws the error
  let header: string[] | undefined;
  try {
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      if (header) yield { line: info.lines, bytes: record.join().length, ...rowOf(header, record) };
      else header = checkHeader(record);
    }
  } catch (error) {
    throw describeCsvError(error);
  }
  if (!header) throw new Error(`The file is empty. ${HEADER_HINT}`);
}

interface CsvRecord {
  record: string[];
  info: { lines: number };
}

const HEADER_HINT = `The first line must contain column names (${WRITABLE_NAMES.join(', ')}).`;

function checkHeader(cells: string[]): string[] {
  const header = cells.map((cell) => cell.trim());
  const unknown = header.find((name) => !Object.hasOwn(USER_FIELDS, name));
  if (unknown !== undefined) {
    throw new Error(`The column ${JSON.stringify(unknown.slice(0, 64))} is unknown. ${HEADER_HINT}`);
  }
  const duplicate = header.find((name, i) => header.indexOf(name) < i);
  if (duplicate) throw new Error(`The column ${duplicate} appears twice. ${HEADER_HINT}`);
  if (!header.includes('email')) throw new Error(`The column email is missing. ${HEADER_HINT}`);
  return header;
}

/** Parses the cells of a row; an empty cell counts as missing. */
function rowOf(header: string[], cells: string[]): Pick<Row, 'input' | 'faults'> {
  const entries = header
    .map((name, i) => [name, unescapeFormula(cells[i] ?? '')])
    .filter(([, cell]) => cell !== '');
  const input: Record<string, unknown> = Object.fromEntries(entries);
  if (cells.length !== header.length) {
    const message = `has ${cells.length} cells, but the header has ${header.length}`;
    return { input, faults: [bodyFault('invalid', message)] };
  }
  for (const name of header) {
    if (input[name] === undefined) continue;
    try {
      input[name] = kindOf(USER_FIELDS[name as UserFieldName].kind).fromCell(input[name] as string);
    } catch {
      return { input, faults: [{ field: name, code: 'invalid', message: 'must be JSON' }] };
    }
  }
  return { input };
}

function parseLine(text: string): Pick<Row, 'input' | 'faults'> {
  try {
    return { input: JSON.parse(text) };
  } catch {
    return { input: text, faults: [notJson] };
  }
}

function describeCsvError(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error;
  const line = (error as { lines?: number }).lines;
  if (error.code === 'CSV_QUOTE_NOT_CLOSED')
    return new Error('The last quoted cell of the file is never closed.');
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return new Error(`The row at line ${line} exceeds 128 KB, or a quoted cell in it is never closed.`);
  }
  return new Error(`Line ${line}: ${error.message}`);
}

const bodyFault = (code: Fault['code'], message: string): Fault => ({ field: 'body', code, message });
const notJson = bodyFault('invalid', 'must be JSON in UTF-8');

/** Fails on anything but UTF-8, which would otherwise silently turn into wrong characters. */
function onlyUtf8(): Transform {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const check = (chunk: Buffer | undefined, done: (error?: Error | null, chunk?: Buffer) => void) => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      return done(new Error('The file is not UTF-8. Save it as “CSV UTF-8” and import that file.'));
    }
    done(null, chunk);
  };
  return new Transform({
    transform: (chunk, _encoding, done) => check(chunk, done),
    flush: (done) => check(undefined, done),
  });
}
