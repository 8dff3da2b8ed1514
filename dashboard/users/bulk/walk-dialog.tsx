import { useEffect, useRef, useState } from 'preact/hooks';
import type { Client, User } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { type TaskHooks, useBusy, useTask } from '../../ui/use-task.ts';
import { pageOf, type UserFilter } from '../user/user-filter.ts';
import { usersIn } from './bulk.ts';
import { patiently } from './patiently.ts';

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
    for await (const users of walk(client, filter, hooks)) {
      for (const user of users) kept.push(keep(user));
      setCount(kept.length);
    }
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

/** The largest page of the API. */
const PAGE_SIZE = 200;

/** Yields all users that pass the filter, page by page in the order of the list. */
async function* walk(client: Client, filter: UserFilter, hooks: TaskHooks): AsyncGenerator<User[]> {
  let cursor: string | undefined;
  do {
    const { data, nextCursor } = await patiently(
      () => pageOf(client, filter, { limit: PAGE_SIZE, cursor }, hooks.signal),
      hooks,
    );
    yield data;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}
