import { useId, useState } from 'preact/hooks';
import { Panel } from '../../ui/panel.tsx';
import { Cell, Row, Table } from '../../ui/table.tsx';
import { FieldValue } from '../user/field-value.tsx';

interface Props {
  title: string;
  values: Record<string, unknown>;
}

/** Values by their keys, as a table or as the JSON that the API has. */
export function ValuesPanel({ title, values }: Props) {
  const id = useId();
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
        <fieldset class="segments">
          <legend class="unseen">Show {title.toLowerCase()} as</legend>
          {(['table', 'json'] as const).map((name) => (
            <label key={name}>
              <input type="radio" name={id} checked={view === name} onChange={() => setView(name)} />
              <span>{name === 'json' ? 'JSON' : 'Table'}</span>
            </label>
          ))}
        </fieldset>
      }
    >
      {view === 'table' ? (
        <Table caption={title} columns={['Key', 'Value']}>
          {entries.map(([key, value]) => (
            <Row key={key}>
              <Cell class="main">
                <code>{key}</code>
              </Cell>
              <Cell label="Value" class="value-cell">
                <FieldValue field="metadata" value={value} />
              </Cell>
            </Row>
          ))}
        </Table>
      ) : (
        <pre class="json" tabIndex={0} role="region" aria-label={`${title} as JSON`}>
          {JSON.stringify(values, null, 2)}
        </pre>
      )}
    </Panel>
  );
}
