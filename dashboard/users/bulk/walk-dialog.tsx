import type { User } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { countOf } from '../../ui/format.ts';
import { ReadDialog } from '../../ui/read-dialog.tsx';
import { pageOf, type UserFilter } from '../user/user-filter.ts';

interface Props<Kept> {
  filter: UserFilter;
  title: string;
  /** Extracts the data to keep of each user. */
  keep(user: User): Kept;
  onClose(): void;
  /** Called at the end with the data of all users. */
  onDone(kept: Kept[]): void;
}

/** Reads all users that pass a filter. */
export function WalkDialog<Kept>({ filter, ...dialog }: Props<Kept>) {
  const { client } = useSession();
  return (
    <ReadDialog
      {...dialog}
      label="Reading the users"
      textOf={(count) => countOf(count, 'user')}
      readPage={(page, signal) => pageOf(client, filter, page, signal)}
    />
  );
}
