import { useState } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { Segments } from '../../ui/segments.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { EditablePanel, type EditingEvents } from '../edit/editable-panel.tsx';
import { FieldValue } from '../user/field-value.tsx';
import { INPUTS } from '../user/fields.tsx';

interface Props {
  user: User;
  events: EditingEvents | undefined;
}

const COLUMNS: Column<[string, unknown]>[] = [
  { title: 'Key', class: 'main', value: ([key]) => <code>{key}</code> },
  { title: 'Value', value: ([, value]) => <FieldValue field="metadata" value={value} /> },
];

const INPUT = INPUTS.filter(({ name }) => name === 'metadata');

/** The metadata by its keys, as a table or as the JSON that the API has. */
export function MetadataPanel({ user, events }: Props) {
  const [view, setView] = useState<'table' | 'json'>('table');
  const entries = Object.entries(user.metadata);
  const views = entries.length > 0 && (
    <Segments
      legend="Show metadata as"
      options={{ table: 'Table', json: 'JSON' }}
      value={view}
      onValue={setView}
    />
  );
  return (
    <EditablePanel title="Metadata" user={user} inputs={INPUT} events={events} aside={views}>
      {entries.length === 0 ? (
        <p class="quiet">None.</p>
      ) : view === 'table' ? (
        <Table caption="Metadata" columns={COLUMNS} items={entries} />
      ) : (
        <pre class="json mono" tabIndex={0} role="region" aria-label="Metadata as JSON">
          {JSON.stringify(user.metadata, null, 2)}
        </pre>
      )}
    </EditablePanel>
  );
}
