import type { Readable } from 'node:stream';
import { CsvFile } from '../../../../csv/csv-file';
import { isOftenOtherwise } from '../../../../csv/proposals';
import { keyOfTarget, type Target } from '../../../../csv/targets';
import { valuesOf } from '../../../../csv/values';
import { type ColumnOptions, isKnownColumn, mapOption, targetsOfColumns } from './columns';
import { type ImportFile, type ImportRow, rowFault } from './import-file';

export interface CsvOptions extends ColumnOptions {
  /** Default: detected from the header. */
  delimiter?: string;
}

/** Reads the rows of a CSV file, and writes refused ones in the same form. */
export function readCsv(source: Readable, { delimiter, ...options }: CsvOptions = {}): ImportFile {
  let file: CsvFile;
  let targets: Target[] = [];
  async function* rows(): AsyncGenerator<ImportRow> {
    file = await CsvFile.open(source, { isKnown: isKnownColumn(options), delimiter });
    targets = targetsOfColumns(file.header, options);
    for await (const row of file.rows) {
      const { values, fault } = valuesOf(row, targets);
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
  return {
    rows: rows(),
    refusedHeader: () => file.refusedHeader(),
    adviceOn: (fields) =>
      file.header
        .filter((_name, at) => isOftenOtherwise(targets[at]) && fields.has(targets[at]!))
        .map((name) => `To leave out this column, use ${mapOption(name, '')}.\n`)
        .join(''),
    hasMetadataKeys: () => targets.some((target) => keyOfTarget(target) !== undefined),
  };
}
