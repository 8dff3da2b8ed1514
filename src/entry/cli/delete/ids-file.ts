import type { Readable } from 'node:stream';
import { columnKey, decoded } from '../../../../csv/csv-file';
import { isId } from '../../../platform/database/id';

/** The users of a batch of the API. */
const PER_BATCH = 500;

/** A longer line is no id, and what follows is hardly a list of them. */
const MAX_LINE = 1_000;

export interface Line {
  /** Counted from 1 as in an editor. */
  line: number;
  id: string;
  /** The characters of the file up to its end. */
  end: number;
  /** Why it names nobody. */
  fault?: string;
}

/** The lines with content, without the header of an export, in batches. */
export async function* batchesOf(source: Readable): AsyncGenerator<Line[]> {
  let batch: Line[] = [];
  const lines = new Map<string, number>(); // by id
  for await (const line of linesOf(source)) {
    if (line.id === '' || (line.line === 1 && columnKey(line.id) === 'id')) continue;
    const earlier = lines.get(line.id);
    if (!isId('usr', line.id)) line.fault = 'is not a user ID, which begins with usr_';
    else if (earlier !== undefined) line.fault = `is in line ${earlier} already`;
    else lines.set(line.id, line.line);
    batch.push(line);
    if (batch.length < PER_BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* linesOf(source: Readable): AsyncGenerator<Line> {
  let line = 1;
  let end = 0;
  let rest = '';
  const lineOf = (text: string): Line => {
    end += text.length + 1;
    return { line: line++, id: text.trim().replace(/^"(.*)"$/, '$1'), end }; // trims a byte order mark, too
  };
  const check = (text: string, at: number) => {
    if (text.length <= MAX_LINE) return;
    throw new Error(`Line ${at} is not an ID. The file must have one ID per line.`);
  };
  for await (const chunk of decoded(source, 'Save it as UTF-8, in PowerShell with -Encoding utf8.')) {
    const texts = (rest + chunk).split('\n');
    texts.forEach((text, i) => check(text, line + i));
    rest = texts.pop()!;
    for (const text of texts) yield lineOf(text);
  }
  yield lineOf(rest);
}
