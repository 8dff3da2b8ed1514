import { useState } from 'preact/hooks';
import { Panel } from '../../ui/panel.tsx';
import { Segments } from '../../ui/segments.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { FieldValue } from '../user/field-value.tsx';

interface Props {
  title: string;
  values: Record<string, unknown>;
}

const COLUMNS: Column<[string, unknown]>[] = [
  { title: 'Key', class: 'main', value: ([key]) => <code>{key}</code> },
  { title: 'Value', value: ([, value]) => <FieldValue field="metadata" value={value} /> },
];

/** Values by their keys, as a table or as the JSON that the API has. */
export function ValuesPanel({ title, values }: Props) {
  const [view, setView] = useState<'table' | 'json'>('table');
  const entries = Object.entries(values);
  if (entries.length === 0)
    return (
      <Panel title={title}>
        <p class="quiet">None.</p>
      </Panel>
    );
  return (
    <Panel
      title={title}
      aside={
        <Segments
          legend={`Show ${title.toLowerCase()} as`}
          options={{ table: 'Table', json: 'JSON' }}
          value={view}
          onValue={setView}
        />
      }
    >
      {view === 'table' ? (
        <Table caption={title} columns={COLUMNS} items={entries} />
      ) : (
        <pre class="json mono" tabIndex={0} role="region" aria-label={`${title} as JSON`}>
          {JSON.stringify(values, null, 2)}
        </pre>
      )}
    </Panel>
  );
}
