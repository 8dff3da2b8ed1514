import type { Readable } from 'node:stream';
import { CsvFile } from '../../../csv/csv-file';
import { parseRow } from '../../../csv/csv-rows';
import { valuesOf } from '../../../csv/values';
import type { KeyField } from '../../users/batch/batch-rules';
import { fieldsOfColumns, KNOWN_COLUMNS } from './csv-columns';
import { type ImportFile, type ImportRow, rowFault } from './import-file';

export interface CsvOptions {
  /** Default: detected from the header. */
  delimiter?: string;
  /** The names of columns to leave out, as a row of CSV. */
  ignoreColumns?: string;
  /** The column that a file must have. Default: email. */
  by?: KeyField;
}

/** Reads the rows of a CSV file, and writes refused ones in the same form. */
export function readCsv(source: Readable, { delimiter, ignoreColumns, by }: CsvOptions = {}): ImportFile {
  let file: CsvFile;
  async function* rows(): AsyncGenerator<ImportRow> {
    file = await CsvFile.open(source, { known: KNOWN_COLUMNS, delimiter });
    const ignored = ignoreColumns === undefined ? [] : namesIn(ignoreColumns);
    const fields = fieldsOfColumns(file.header, ignored, by);
    for await (const row of file.rows) {
      const { values, fault } = valuesOf(row, fields);
      yield {
        line: row.line,
        bytes: row.cells.reduce((sum, cell) => sum + cell.length, 0),
        input: values,
        faults: fault && [
          fault.field === 'row' ? rowFault('invalid', fault.message) : { ...fault, code: 'invalid' },
        ],
        refused: (reason) => file.refusedRow(row, reason),
      };
    }
  }
  return { rows: rows(), refusedHeader: () => file.refusedHeader() };
}

function namesIn(csv: string): string[] {
  const names = parseRow(csv);
  if (!names) throw new Error('--ignore-columns must be a row of CSV, with commas.');
  return names;
}
