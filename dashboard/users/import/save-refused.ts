import { download } from '../../ui/download.ts';
import { openFile } from './csv-file.ts';
import type { Refused } from './progress.ts';

const reasonOf = ({ faults }: Refused) =>
  faults.map(({ field, message }) => `${field} ${message}`).join('; ');

/** Saves the rows as a CSV file with the reasons in a first column. Corrected there, it can be imported. */
export async function saveRefused(file: File, refused: Refused[]): Promise<void> {
  const csv = await openFile(file);
  const rows = refused.map((one) => csv.refusedRow(one.row, `line ${one.row.line}: ${reasonOf(one)}`));
  const name = `${file.name.replace(/\.(csv|tsv)$/i, '')}.refused.${/\.tsv$/i.test(file.name) ? 'tsv' : 'csv'}`;
  download(name, [csv.refusedHeader(), ...rows], 'text/csv');
}
