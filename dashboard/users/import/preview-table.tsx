import type { CsvRow } from '../../../csv/csv-file.ts';
import type { Target } from '../../../csv/targets.ts';
import { WRITABLE_FIELDS } from '../user/values.ts';
import { Clip, type Column, Table } from '../../ui/table.tsx';
import type { CsvHead } from './csv-file.ts';
import { labelOf } from './labels.ts';

const ROWS = 5;

/** What the first rows of a file would become. Nothing is sent for it. */
export function PreviewTable({ head, targets }: { head: CsvHead; targets: Target[] }) {
  const chosen = [...new Set(targets)].filter((target) => target !== undefined);
  if (chosen.length === 0) return null;
  const placeOf = (target: string) => (WRITABLE_FIELDS as string[]).indexOf(target) + 1 || Infinity;
  const columns: Column<CsvRow>[] = [
    { title: 'Line', value: ({ line }) => line },
    ...chosen
      .sort((a, b) => placeOf(a) - placeOf(b))
      .map((target) => ({
        title: labelOf(target),
        value: ({ cells }: CsvRow) => <Clip text={cells[targets.indexOf(target)]?.trim() || '–'} />,
      })),
  ];
  const rows = head.rows.filter(({ fault }) => !fault).slice(0, ROWS);
  return (
    <section class="stack" aria-labelledby="import-preview">
      <h3 id="import-preview">{`The first ${rows.length === 1 ? 'row becomes' : 'rows become'}`}</h3>
      <div class="scroll" tabIndex={0} role="group" aria-labelledby="import-preview">
        <Table caption="Preview" columns={columns} items={rows} />
      </div>
    </section>
  );
}
