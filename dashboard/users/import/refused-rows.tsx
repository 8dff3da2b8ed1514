import { useId } from 'preact/hooks';
import type { Target } from '../../../csv/targets.ts';
import { formatCount } from '../../ui/format.ts';
import { Clip, type Column, Table } from '../../ui/table.tsx';
import type { CsvHead } from './csv-file.ts';
import { labelOf } from './labels.ts';
import type { Refused } from './progress.ts';
import { saveRefused } from './save-refused.ts';

interface Props {
  head: CsvHead;
  targets: Target[];
  refused: Refused[];
  /** How many are shown. */
  max: number;
}

const MAX_CHARACTERS = 60;

/** The refused rows of a file: the first ones with who they are and why, and all of them as a download. */
export function RefusedRows({ head, targets, refused: unsorted, max }: Props) {
  const id = useId();
  if (unsorted.length === 0) return null;
  const refused = [...unsorted].sort((a, b) => a.row.line - b.row.line);
  const cellOf = ({ cells, fault }: Refused['row'], target: string) =>
    (fault ? undefined : cells[targets.indexOf(target)]?.trim()) || undefined;
  const person = ['name', 'email', 'externalId'].filter((field) => targets.includes(field));
  const columns: Column<Refused>[] = [
    { title: 'Line', value: ({ row }) => row.line },
    ...person.map((field) => ({
      title: labelOf(field),
      class: 'user',
      value: ({ row }: Refused) => <Clip text={cellOf(row, field) ?? '–'} />,
    })),
    {
      title: 'Reason',
      class: 'reason',
      value: ({ row, faults }) => (
        <div>
          {faults.map(({ field, message }) => {
            const value = cellOf(row, targets.includes(field) ? field : field.split('.')[0]);
            return (
              <p key={field}>{[labelOf(field), value && quoted(value), message].filter(Boolean).join(' ')}</p>
            );
          })}
        </div>
      ),
    },
  ];
  return (
    <section class="stack" aria-labelledby={id}>
      <div class="line">
        <h3 id={id}>Refused rows</h3>
        <button type="button" onClick={() => void saveRefused(head.file, refused)}>
          Download refused rows
        </button>
      </div>
      <Table caption="Refused rows" columns={columns} items={refused.slice(0, max)} />
      {refused.length > max && (
        <p class="quiet">{`The first ${max} of ${formatCount(refused.length)} are shown.`}</p>
      )}
    </section>
  );
}

const quoted = (value: string) =>
  `“${value.length > MAX_CHARACTERS ? `${value.slice(0, MAX_CHARACTERS)}…` : value}”`;
