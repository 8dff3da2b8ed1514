import { parse } from 'csv-parse/sync';
import { columnKey } from './csv-header';

const DELIMITERS = [',', ';', '\t'];

/** Among those with a column "email", the delimiter with the most columns in the header. */
export function findDelimiter(head: Buffer): string {
  const candidates = DELIMITERS.map((delimiter) => ({ delimiter, columns: columnsOf(head, delimiter) }));
  const withEmail = candidates.filter(({ columns }) => columns.includes('email'));
  const [first, ...others] = withEmail.length > 0 ? withEmail : candidates;
  return others.reduce((a, b) => (b.columns.length > a.columns.length ? b : a), first).delimiter;
}

function columnsOf(head: Buffer, delimiter: string): string[] {
  try {
    const options = { bom: true, delimiter, relax_quotes: true, skip_empty_lines: true, to: 1 };
    const [header = []] = parse(head, options) as string[][];
    return header.map(columnKey);
  } catch {
    // A quote is not closed, which the import reports.
    return head.toString().split('\n', 1)[0].replaceAll('"', '').split(delimiter).map(columnKey);
  }
}

/** Whether a file that starts so has its whole header, which may contain line breaks in quotes. */
export const hasHeader = (head: Buffer) =>
  head
    .toString('latin1')
    .trimStart()
    .replace(/"[^"]*("|$)/g, '')
    .includes('\n');
