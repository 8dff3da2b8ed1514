import { createReadStream, fstatSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
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

/** Opens a file or standard input; the total of standard input, a pipe or a device is unknown. */
export function openIds(path: string, stdin: Readable): { source: Readable; total?: number } {
  if (path === '-') return { source: stdin };
  const fd = openSync(path, 'r');
  const stat = fstatSync(fd);
  return { source: createReadStream(path, { fd }), total: stat.isFile() ? stat.size : undefined };
}

/** The lines that are not blank, in batches. */
export async function* batchesOf(source: Readable): AsyncGenerator<Line[]> {
  let batch: Line[] = [];
  const lines = new Map<string, number>(); // by id
  for await (const line of linesOf(source)) {
    if (line.id === '') continue;
    const earlier = lines.get(line.id);
    if (!isId('usr', line.id)) line.fault = 'is not the ID of a user, which begins with usr_';
    else if (earlier !== undefined) line.fault = `stands in line ${earlier}, too`;
    else lines.set(line.id, line.line);
    batch.push(line);
    if (batch.length < PER_BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function* linesOf(source: Readable): AsyncGenerator<Line> {
  const decoder = new TextDecoder(); // which leaves out a byte order mark
  let line = 1;
  let end = 0;
  let rest = '';
  const lineOf = (text: string): Line => {
    end += text.length + 1;
    return { line: line++, id: text.trim(), end };
  };
  const check = (text: string, at: number) => {
    if (text.length <= MAX_LINE) return;
    throw new Error(`Line ${at} is no ID. The file must have one in each line.`);
  };
  for await (const chunk of source as AsyncIterable<Buffer>) {
    const texts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    texts.forEach((text, i) => check(text, line + i));
    rest = texts.pop()!;
    for (const text of texts) yield lineOf(text);
  }
  yield lineOf(rest);
}
