import { useState } from 'preact/hooks';
import type { Event, ListEventsQuery } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { download } from '../ui/download.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { countOf } from '../ui/format.ts';
import { Segments } from '../ui/segments.tsx';
import { ReadDialog } from '../ui/read-dialog.tsx';
import { type Format, FORMATS } from './export-rows.ts';

interface Props {
  query: ListEventsQuery;
  isFiltered: boolean;
  onClose(): void;
  onExported(count: number): void;
}

/** Saves the entries that pass the filter, also those that are not loaded. */
export function ExportDialog({ query, isFiltered, onClose, onExported }: Props) {
  const { client } = useSession();
  const [format, setFormat] = useState<Format>('csv');
  const [hasBegun, setHasBegun] = useState(false);
  const { type, head, lineOf } = FORMATS[format];
  if (!hasBegun)
    return (
      <FormDialog
        title="Export activity"
        action="Save to a file"
        doing="Save to a file"
        focus="action"
        onSubmit={async () => setHasBegun(true)}
        onClose={onClose}
      >
        <p>
          Saves {isFiltered ? 'all entries that pass your filters' : 'all entries'}, newest first, also those
          that are not loaded yet.
        </p>
        <div>
          <Segments legend="Format" options={TITLES} value={format} onValue={setFormat} />
          <p class="hint">{HINTS[format]}</p>
        </div>
      </FormDialog>
    );
  return (
    <ReadDialog<Event, string>
      title="Exporting activity"
      label="Reading the entries"
      textOf={(count) => countOf(count, 'entry', 'entries')}
      readPage={(page, signal) => client.events.list({ order: 'desc', ...query, ...page }, { signal }).page()}
      keep={lineOf}
      onClose={onClose}
      onDone={(lines) => {
        download(`activity.${format}`, [head, ...lines], type);
        onExported(lines.length);
      }}
    />
  );
}

const TITLES: Record<Format, string> = { csv: 'CSV', ndjson: 'NDJSON' };

const HINTS: Record<Format, string> = {
  csv: 'For a spreadsheet: one row for each entry.',
  ndjson: 'For a program: the events as the API has them, one a line.',
};
