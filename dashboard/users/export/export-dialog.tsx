import type { User } from '../../../client/index.ts';
import { formatRows } from '../../../csv/write-csv.ts';
import { download } from '../../ui/download.ts';
import { WalkDialog } from '../bulk/walk-dialog.tsx';
import { WRITABLE_FIELDS } from '../user/fields.ts';
import type { UserFilter } from '../user/user-filter.ts';

/** The columns, as `ums users export` has them. */
const COLUMNS = ['id', ...WRITABLE_FIELDS, 'version', 'createdAt', 'updatedAt'] as const;

interface Props {
  filter: UserFilter;
  onClose(): void;
  onExported(count: number): void;
}

/** Saves the users that the list shows on all of its pages as CSV. */
export const ExportDialog = ({ filter, onClose, onExported }: Props) => (
  <WalkDialog
    filter={filter}
    title="Exporting users"
    keep={rowOf}
    onClose={onClose}
    onDone={(rows) => {
      download('users.csv', [formatRows([[...COLUMNS]], ','), ...rows], 'text/csv');
      onExported(rows.length);
    }}
  />
);

const rowOf = (user: User) => formatRows([COLUMNS.map((name) => cellOf(user[name]))], ',');

const cellOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
