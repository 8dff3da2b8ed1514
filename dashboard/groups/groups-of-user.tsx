import { useSession } from '../session/session.ts';
import { Failure } from '../ui/failure.tsx';
import { useList } from '../ui/use-list.ts';

const MAX_SHOWN = 50;

/** The groups that a user is in. Shows nothing if the user is in none. */
export function GroupsOfUser({ id }: { id: string }) {
  const { client } = useSession();
  const list = useList(id, (_cursor, signal) =>
    client.groups.list({ user: id, limit: MAX_SHOWN }, { signal }).page(),
  );
  const groups = list.items ?? [];
  return (
    <>
      <Failure error={list.error} onRetry={list.retry} />
      {groups.length > 0 && (
        <section aria-label="Groups">
          <h3>Groups</h3>
          <ul role="list" class="chips">
            {groups.map(({ id, displayName }) => (
              <li key={id} class="chip" title={id}>
                <bdi>{displayName}</bdi>
              </li>
            ))}
          </ul>
          <p class="hint">
            {list.toNext && `The first ${MAX_SHOWN}. `}
            Managed by your directory.
          </p>
        </section>
      )}
    </>
  );
}
