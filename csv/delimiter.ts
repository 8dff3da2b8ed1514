import { parse } from 'papaparse';

const DELIMITERS = [',', ';', '\t'];

/**
 * The delimiter of a file with this beginning: the one for which the header has the most known columns, and among
 * several the one with the most columns.
 */
export function delimiterOf(head: string, isKnown: (name: string) => boolean): string {
  const [best] = DELIMITERS.map((delimiter) => {
    const names = headerOf(head, delimiter);
    return { delimiter, hits: names.filter(isKnown).length, columns: names.length };
  }).sort((a, b) => b.hits - a.hits || b.columns - a.columns);
  return best.delimiter;
}

function headerOf(head: string, delimiter: string): string[] {
  const { data } = parse<string[]>(head, { delimiter, newline: '\n', skipEmptyLines: 'greedy' });
  return data.find((cells) => cells.some((cell) => /[^\s,;]/.test(cell))) ?? [];
}

/** Whether this beginning contains the whole header, which may have line breaks in quotes. */
export const hasHeader = (head: string) =>
  head
    .replace(/"([^"]*)("|$)/g, (_quoted, cell: string) => (cell.trim() === '' ? '' : 'x'))
    .replace(/^[\s,;\ufeff]+/, '') // blank rows
    .includes('\n');
