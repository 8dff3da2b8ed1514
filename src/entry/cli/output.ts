import type { Command } from 'commander';
import { printable } from '../process/pretty-log';

export interface OutputOptions {
  json?: boolean;
}

/** Adds a subcommand that prints its result. Its help ends with an example of its arguments. */
export const addSubcommand = (parent: Command, name: string, description: string, example: string): Command =>
  parent
    .command(name)
    .description(description)
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  ums ${parent.name()} ${name} ${example}`);

/** Prints one object or a list: as one JSON document with `--json`, otherwise as text. */
export function print(result: object | object[], { json }: OutputOptions): void {
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

/** The exit code of a process that SIGPIPE ended, as shells report it. */
const BROKEN_PIPE = 141;

/** Ends quietly if the reader has closed the pipe (`| head`), but reports other failures, such as a full disk. */
export function watchStandardOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    process.exitCode = error.code === 'EPIPE' ? BROKEN_PIPE : 1;
    if (error.code !== 'EPIPE') process.stderr.write(`Standard output: ${error.message}\n`);
  });
  process.stderr.on('error', () => {}); // there is nowhere left to report it
}

const fields = (row: object) => Object.entries(row).map(([key, value]) => [key, formatValue(value)]);

function formatValue(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return printable(value.join(','));
  return printable(typeof value === 'object' && value ? JSON.stringify(value) : String(value ?? '-'));
}

function table(rows: object[]): string {
  const lines = [Object.keys(rows[0]), ...rows.map((row) => Object.values(row).map(formatValue))];
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
