import type { Target } from '../../../csv/targets.ts';
import { download } from '../../ui/download.ts';
import { formatCount } from '../../ui/format.ts';
import { Clip, type Column, Table } from '../../ui/table.tsx';
import { type CsvHead, openFile, type RowFault } from './csv-file.ts';
import type { Refused } from './run-import.ts';
import { labelOf } from './labels.ts';

interface Props {
  head: CsvHead;
  targets: Target[];
  refused: Refused[];
}

interface Shown {
  row: Refused['row'];
  fault: RowFault;
}

const MAX_SHOWN = 50;

/** The refused rows of a file: the first ones with their faults and values, and all of them as a download. */
export function RefusedRows({ head, targets, refused: unsorted }: Props) {
  if (unsorted.length === 0) return null;
  const refused = [...unsorted].sort((a, b) => a.row.line - b.row.line);
  const cellOf = ({ cells, fault }: Refused['row'], target: string) =>
    (fault ? undefined : cells[targets.indexOf(target)]?.trim()) || undefined;
  const columns: Column<Shown>[] = [
    { title: 'Line', value: ({ row }) => row.line },
    {
      title: 'User',
      class: 'user',
      value: ({ row }) => <Clip text={cellOf(row, 'name') ?? cellOf(row, 'email') ?? '–'} />,
    },
    { title: 'Field', value: ({ fault }) => labelOf(fault.field) },
    {
      title: 'Value',
      class: 'user',
      value: ({ row, fault: { field } }) => (
        <Clip text={cellOf(row, targets.includes(field) ? field : field.split('.')[0]) ?? '–'} />
      ),
    },
    { title: 'Reason', value: ({ fault }) => fault.message },
  ];
  const shown = refused
    .slice(0, MAX_SHOWN)
    .flatMap(({ row, faults }) => faults.map((fault) => ({ row, fault })));
  return (
    <>
      <div class="scroll" tabIndex={0} role="group" aria-label="Refused rows">
        <Table caption="Refused rows" columns={columns} items={shown} />
      </div>
      <div class="line">
        <p class="quiet">
          {refused.length > MAX_SHOWN &&
            `The first ${MAX_SHOWN} of ${formatCount(refused.length)} are shown.`}
        </p>
        <button type="button" onClick={() => void save(head.file, refused)}>
          Download refused rows
        </button>
      </div>
    </>
  );
}

const reasonOf = ({ faults }: Refused) =>
  faults.map(({ field, message }) => `${field} ${message}`).join('; ');

/** Saves the rows as a CSV file with the reasons in a first column. Corrected there, it can be imported. */
async function save(file: File, refused: Refused[]): Promise<void> {
  const csv = await openFile(file);
  const rows = refused.map((one) => csv.refusedRow(one.row, `line ${one.row.line}: ${reasonOf(one)}`));
  const name = `${file.name.replace(/\.(csv|tsv)$/i, '')}.refused.${/\.tsv$/i.test(file.name) ? 'tsv' : 'csv'}`;
  download(name, [csv.refusedHeader(), ...rows], 'text/csv');
}
