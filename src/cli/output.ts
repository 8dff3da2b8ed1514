import { HttpException } from '@nestjs/common';
import type { Fault } from '../http/fault';

/** Prints one object or a list for a program (`--json`: one JSON document) or for a person. */
export function print(result: object | object[], { json }: { json?: boolean }): void {
  if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else if (!Array.isArray(result))
    process.stdout.write(
      `${fields(result)
        .map(([key, value]) => `${key}: ${value}`)
        .join('\n')}\n`,
    );
  else if (result.length === 0) process.stdout.write('none\n');
  else process.stdout.write(table(result));
}

/** Ends the process with one line that says what went wrong and no stack: it is for the person who typed the command. */
export function fail(error: unknown): never {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(process.exitCode ?? 1);
}

/** What a shell expects of a process whose reader has gone. */
const BROKEN_PIPE = 141;

/** A reader that has gone (`| head`) wants to hear nothing; a full disk is a failure. */
export function watchStandardOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exitCode = error.code === 'EPIPE' ? BROKEN_PIPE : 1;
    if (error.code !== 'EPIPE') process.stderr.write(`Standard output: ${error.message}\n`);
  });
  process.stderr.on('error', () => {}); // nobody is there to be told
}

/** What a person is told of a failure. */
export function messageOf(error: unknown): string {
  if (error instanceof HttpException) {
    const { errors } = error.getResponse() as { errors?: Fault[] };
    return [error.message, ...(errors ?? []).map(({ field, message }) => `  ${field} ${message}`)].join('\n');
  }
  // A refused connection to a name with several addresses has its reasons inside.
  if (error instanceof AggregateError && !error.message) return error.errors.map(messageOf).join('\n');
  return error instanceof Error ? error.message : String(error);
}

const fields = (row: object) => Object.entries(row).map(([key, value]) => [key, shown(value)]);

function shown(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return printable(Array.isArray(value) ? value.join(',') : String(value ?? '-'));
}

/** Text that moves no cursor and colours no terminal: names may hold anything. */
export const printable = (text: string) =>
  text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);

function table(rows: object[]): string {
  const lines = [Object.keys(rows[0]), ...rows.map((row) => Object.values(row).map(shown))];
  const widths = lines[0].map((_name, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column]))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
