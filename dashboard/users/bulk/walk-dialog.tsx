import { useEffect, useRef, useState } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { CancelButton, Dialog } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { useBusy, useWaiting } from '../../ui/use-task.ts';
import type { UserFilter } from '../user/user-filter.ts';
import { usersIn } from './bulk.ts';
import { walk } from './walk.ts';

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
  const [attempt, setAttempt] = useState(0);
  const [error, setError] = useState<unknown>();
  const [waiting, setWaitsUntil] = useWaiting();
  const ref = useRef<HTMLDivElement>(null);
  useBusy(error === undefined);
  useEffect(() => {
    ref.current?.querySelector('button')?.focus();
    const controller = new AbortController();
    const { signal } = controller;
    const read = async () => {
      const kept: Kept[] = [];
      for await (const users of walk(client, filter, { signal, onWait: setWaitsUntil })) {
        for (const user of users) kept.push(keep(user));
        setCount(kept.length);
      }
      onDone(kept);
    };
    setError(undefined);
    read().catch((error: unknown) => {
      if (!signal.aborted) setError(error);
    });
    return () => controller.abort();
  }, [attempt]);
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="stack" ref={ref}>
        {error === undefined && <progress aria-label="Reading the users" />}
        <p role="status">{usersIn({ length: count })} read so far</p>
        <p class="quiet" role="status">
          {waiting}
        </p>
        <Failure error={error} onRetry={() => setAttempt(attempt + 1)} />
        <div class="buttons">
          <CancelButton />
        </div>
      </div>
    </Dialog>
  );
}
