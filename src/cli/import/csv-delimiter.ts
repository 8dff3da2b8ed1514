import { parse } from 'csv-parse/sync';
import { columnKey } from './csv-header';

const DELIMITERS = [',', ';', '\t'];

/** The delimiter that makes the header have a column "email". */
export const findDelimiter = (head: Buffer): string =>
  DELIMITERS.find((delimiter) => columnsOf(head, delimiter).includes('email')) ?? ',';

function columnsOf(head: Buffer, delimiter: string): string[] {
  try {
    const [header = []]: string[][] = parse(head, {
      bom: true,
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_records_with_empty_values: true,
      to: 1,
    });
    return header.map(columnKey);
  } catch {
    // A quote is not closed, which the import reports.
    return head.toString().trim().split('\n', 1)[0].replaceAll('"', '').split(delimiter).map(columnKey);
  }
}

/** Whether a file that starts so has its whole header, which may contain line breaks in quotes. */
export const hasHeader = (head: Buffer) =>
  head
    .toString('latin1')
    .replace(/"[^"]*("|$)/g, '')
    .replace(/^[\s,;]+/, '') // empty rows
    .includes('\n');
