import type { Command } from 'commander';
import { printable } from '../process/log/pretty-log';
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

/**
 * Prints one object or a list: as one JSON document with `--json`, otherwise as text. A terminal whose width is known
 * shows the columns of a list that fit it, of which these are the first.
 */
export function print(
  { stdout, stderr }: Shell,
  result: object | object[],
  { json }: OutputOptions,
  ...first: string[]
): void {
  if (json) stdout.write(`${JSON.stringify(result)}\n`);
  else if (!Array.isArray(result))
    stdout.write(
      `${fields(result)
        .map(([key, value]) => `${key}: ${value}`)
        .join('\n')}\n`,
    );
  else if (result.length === 0) stdout.write('none\n');
  else if (!stdout.columns) stdout.write(textOf(columnsOf(result)));
  else {
    const columns = columnsOf(result, first).map(cut);
    const shown = columns.slice(0, countFitting(columns, stdout.columns));
    stdout.write(textOf(shown));
    const hidden = columns.slice(shown.length).map(([name]) => name);
    if (hidden.length > 0) stderr.write(`Not shown: ${hidden.join(', ')}. To see all, use --json.\n`);
  }
}

const fields = (row: object) => Object.entries(row).map(([key, value]) => [key, formatValue(value)]);

function formatValue(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return printable(value.join(','));
  return printable(typeof value === 'object' && value ? JSON.stringify(value) : String(value ?? '-'));
}

/** A name, and a cell for each row. */
type Column = [name: string, ...cells: string[]];

const GAP = '  ';

/** A long name leaves room for other columns on a terminal. It is as long as an id. */
const MAX_CELL = 30;

/** The columns of a list, in this order, and then as they stand in its objects. */
const columnsOf = (rows: object[], first: string[] = []): Column[] =>
  [...new Set([...first, ...Object.keys(rows[0])])].map((name) => [
    name,
    ...rows.map((row) => formatValue((row as Record<string, unknown>)[name])),
  ]);

const widthOf = (column: Column) => Math.max(...column.map(({ length }) => length));

const cut = (column: Column) =>
  column.map((cell) =>
    cell.length > MAX_CELL ? `${[...cell].slice(0, MAX_CELL - 1).join('')}…` : cell,
  ) as Column;

/** How many of the first columns fit in a line. */
function countFitting(columns: Column[], width: number): number {
  let end = -GAP.length;
  const tooMany = columns.findIndex((column) => (end += GAP.length + widthOf(column)) > width);
  return tooMany < 0 ? columns.length : Math.max(1, tooMany);
}

function textOf(columns: Column[]): string {
  const widths = columns.map(widthOf);
  return columns[0]
    .map((_cell, line) =>
      columns
        .map((column, i) => column[line].padEnd(widths[i]))
        .join(GAP)
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}
