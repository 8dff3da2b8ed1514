import { download } from '../../ui/download.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { type CsvHead, openFile } from './csv-file.ts';
import type { Refused } from './run-import.ts';
import { formatCount } from '../../ui/format.ts';

const MAX_SHOWN = 50;

const COLUMNS: Column<Refused>[] = [
  { title: 'Line', value: ({ row }) => row.line },
  { title: 'Reason', value: (refused) => reasonOf(refused) },
];

/** The refused rows of a file: the first ones with their faults, and all of them as a download. */
export function RefusedRows({ head, refused: unsorted }: { head: CsvHead; refused: Refused[] }) {
  if (unsorted.length === 0) return null;
  const refused = [...unsorted].sort((a, b) => a.row.line - b.row.line);
  return (
    <>
      <div class="scroll" tabIndex={0} role="group" aria-label="Refused rows">
        <Table caption="Refused rows" columns={COLUMNS} items={refused.slice(0, MAX_SHOWN)} />
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
