import { parse } from 'papaparse';

const DELIMITERS = [',', ';', '\t'];

/**
 * The delimiter of a file that begins so: the one that gives its header the most of the known columns, and of several the one
 * that gives it the most columns.
 */
export function delimiterOf(head: string, known: readonly string[]): string {
  const [best] = DELIMITERS.map((delimiter) => {
    const names = headerOf(head, delimiter).map((name) => name.trim().toLowerCase());
    return { delimiter, hits: names.filter((name) => known.includes(name)).length, columns: names.length };
  }).sort((a, b) => b.hits - a.hits || b.columns - a.columns);
  return best.delimiter;
}

function headerOf(head: string, delimiter: string): string[] {
  const { data } = parse<string[]>(head, { delimiter, newline: '\n', skipEmptyLines: 'greedy' });
  return data.find((cells) => cells.some((cell) => /[^\s,;]/.test(cell))) ?? [];
}

/** Whether a file that begins so has its whole header, which may contain line breaks in quotes. */
export const hasHeader = (head: string) =>
  head
    .replace(/"([^"]*)("|$)/g, (_quoted, cell: string) => (cell.trim() === '' ? '' : 'x'))
    .replace(/^[\s,;\ufeff]+/, '') // blank rows
    .includes('\n');
