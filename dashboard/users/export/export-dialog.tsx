import { useRef, useState } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { formatRows } from '../../../csv/write-csv.ts';
import { download } from '../../ui/download.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LocalFaults } from '../../ui/faults.ts';
import { WalkDialog } from '../bulk/walk-dialog.tsx';
import { FIELD_NAMES } from '../user/fields.tsx';
import type { UserFilter } from '../user/user-filter.ts';

interface Props {
  filter: UserFilter;
  onClose(): void;
  onExported(count: number): void;
}

/** Saves the users that the list shows on all of its pages as CSV, or those of them that changed since a time. */
export function ExportDialog({ filter, onClose, onExported }: Props) {
  const [chosen, setChosen] = useState<UserFilter>();
  if (!chosen) return <ChoiceDialog filter={filter} onClose={onClose} onChosen={setChosen} />;
  return (
    <WalkDialog
      filter={chosen}
      title="Exporting users"
      keep={(user) => [user.id, rowOf(user)] as const}
      onClose={onClose}
      onDone={(kept) => {
        const rows = [...new Map(kept).values()];
        download('users.csv', [formatRows([FIELD_NAMES], ','), ...rows], 'text/csv');
        onExported(rows.length);
      }}
    />
  );
}

interface ChoiceProps {
  filter: UserFilter;
  onClose(): void;
  onChosen(filter: UserFilter): void;
}

function ChoiceDialog({ filter, onClose, onChosen }: ChoiceProps) {
  const input = useRef<HTMLInputElement>(null);
  const isSearch = filter.query !== undefined;
  const reason = noTimeIn(filter);
  const choose = async () => {
    const { value, validity } = input.current!;
    if (validity.badInput)
      throw new LocalFaults([{ field: 'since', message: 'must be a whole date and time' }]);
    onChosen(value ? changedSince(filter, new Date(value)) : filter);
  };
  return (
    <FormDialog
      title="Export users"
      action="Save as CSV"
      doing="Save as CSV"
      fields={['since']}
      focus="action"
      onSubmit={choose}
      onClose={onClose}
    >
      {(errorAt) => (
        <>
          <p>Saves the users of all pages of this {isSearch ? 'search' : 'list'} as CSV.</p>
          <Field
            label="Changed since"
            hint={reason ?? 'In your time zone. Leave it empty to export all of them.'}
            error={errorAt('since')}
          >
            {(field) => (
              <input {...field} ref={input} type="datetime-local" disabled={reason !== undefined} />
            )}
          </Field>
        </>
      )}
    </FormDialog>
  );
}

/** Why the users of a filter cannot be exported by the time of their last change. */
function noTimeIn({ query, group, time }: UserFilter): string | undefined {
  if (query !== undefined) return 'Clear the search to export only recent changes.';
  if (group !== undefined) return 'Not available for the members of a group.';
  return time && 'The list is filtered by time already.';
}

/** The oldest change first, so a user who changes meanwhile is not missed: it comes again, and the last row counts. */
const changedSince = (filter: UserFilter, time: Date): UserFilter => ({
  ...filter,
  sort: 'updatedAt',
  order: 'asc',
  time: { by: 'updatedAt' },
  since: time.toISOString(),
});

const rowOf = (user: User) => formatRows([FIELD_NAMES.map((name) => cellOf(user[name]))], ',');

const cellOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
