import { Link } from '../../router/link.tsx';
import { useSession } from '../../session/session.ts';
import { FetchedPanel } from '../../ui/panel.tsx';
import { useResource } from '../../ui/use-resource.ts';

const MAX_SHOWN = 100;

interface Props {
  id: string;
  /** In a dialog, which shows nothing if the user is in no group, and which no link may leave. */
  isInDialog?: boolean;
}

/** The groups that a user is in. */
export function UserGroups({ id, isInDialog }: Props) {
  const { client } = useSession();
  const groups = useResource(id, (signal) =>
    client.groups.list({ user: id, limit: MAX_SHOWN }, { signal }).page(),
  );
  if (isInDialog && !groups.value?.data.length && groups.error === undefined) return null;
  return (
    <FetchedPanel
      title="Groups"
      aside={!isInDialog && <Link to="groups">All groups</Link>}
      resource={groups}
      textOf={({ data, nextCursor }) =>
        data.length === 0
          ? 'In no group.'
          : `Managed by your directory.${nextCursor === null ? '' : ` The first ${MAX_SHOWN} are shown.`}`
      }
    >
      {({ data }) =>
        data.length > 0 && (
          <ul role="list" class="chips">
            {data.map(({ id, displayName }) => (
              <li key={id} class="chip">
                {isInDialog ? (
                  <bdi>{displayName}</bdi>
                ) : (
                  <Link to={`groups/${id}`}>
                    <bdi>{displayName}</bdi>
                  </Link>
                )}
              </li>
            ))}
          </ul>
        )
      }
    </FetchedPanel>
  );
}
