import { useEffect, useRef, useState } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { patiently } from '../../ui/patiently.ts';
import { useBusy, useTask } from '../../ui/use-task.ts';
import { pageOf, type UserFilter } from '../user/user-filter.ts';
import { usersIn } from './bulk.ts';

/** The largest page of the API. */
const PAGE_SIZE = 200;

interface Props<Kept> {
  filter: UserFilter;
  title: string;
  /** Extracts the data to keep of each user. */
  keep(user: User): Kept;
  onClose(): void;
  /** Called at the end with the data of all users. */
  onDone(kept: Kept[]): void;
}

/** Reads all users that pass a filter, which may take many requests. */
export function WalkDialog<Kept>({ filter, title, keep, onClose, onDone }: Props<Kept>) {
  const { client } = useSession();
  const [count, setCount] = useState(0);
  const ref = useRef<HTMLDivElement>(null);
  const { error, waiting, retry } = useTask(async (hooks) => {
    const kept: Kept[] = [];
    let cursor: string | undefined;
    do {
      const page = { limit: PAGE_SIZE, cursor };
      const { data, nextCursor } = await patiently(() => pageOf(client, filter, page, hooks.signal), hooks);
      kept.push(...data.map(keep));
      setCount(kept.length);
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined);
    onDone(kept);
  });
  useBusy(error === undefined);
  useEffect(() => ref.current?.querySelector('button')?.focus(), [error === undefined]);
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack" ref={ref}>
        {error === undefined && <progress aria-label="Reading the users" />}
        <p role="status">{usersIn({ length: count })} read so far</p>
        <p class="quiet" role="status">
          {waiting}
        </p>
        <Failure error={error} onRetry={retry} />
        <div class="buttons">
          <CancelButton />
        </div>
      </div>
    </Dialog>
  );
}
