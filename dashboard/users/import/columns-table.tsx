import { type Column, Table } from '../../ui/table.tsx';
import { WRITABLE_FIELDS } from '../user/values.ts';
import type { CsvHead, ImportField } from './csv-file.ts';

interface Props {
  head: CsvHead;
  fields: (ImportField | undefined)[];
  onFields(fields: (ImportField | undefined)[]): void;
}

/** The columns of a file, each with a choice of its field and its values in the first rows. */
export function ColumnsTable({ head, fields, onFields }: Props) {
  // Each field comes from one column.
  const choose = (at: number, chosen: ImportField | undefined) =>
    onFields(fields.map((field, i) => (i === at ? chosen : field === chosen ? undefined : field)));

  const columns: Column<{ name: string; at: number }>[] = [
    { title: 'Column', class: 'main', value: ({ name }) => <strong>{name}</strong> },
    {
      title: 'Becomes',
      value: ({ name, at }) => (
        <select
          aria-label={`${name} becomes`}
          value={fields[at] ?? ''}
          onChange={(event) =>
            choose(at, (event.currentTarget.value || undefined) as ImportField | undefined)
          }
        >
          <option value="">Left out</option>
          {WRITABLE_FIELDS.map((field) => (
            <option key={field}>{field}</option>
          ))}
        </select>
      ),
    },
    {
      title: 'First rows',
      class: 'wider',
      value: ({ at }) => (
        <div class={fields[at] ? undefined : 'quiet'}>
          {head.rows.map(({ line, cells }) => (
            <span class="clip" key={line}>
              {cells[at] || '–'}
            </span>
          ))}
        </div>
      ),
    },
  ];
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Columns">
      <Table
        caption={`The columns of ${head.file.name}`}
        columns={columns}
        items={head.header.map((name, at) => ({ name: name || `Column ${at + 1}`, at }))}
      />
    </div>
  );
}
