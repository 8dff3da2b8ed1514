import type { Command } from 'commander';
import { printable } from '../process/pretty-log';
import type { Shell } from './shell';

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
export function print({ stdout }: Shell, result: object | object[], { json }: OutputOptions): void {
  if (json) stdout.write(`${JSON.stringify(result)}\n`);
  else if (!Array.isArray(result))
    stdout.write(
      `${fields(result)
        .map(([key, value]) => `${key}: ${value}`)
        .join('\n')}\n`,
    );
  else if (result.length === 0) stdout.write('none\n');
  else stdout.write(table(result));
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
