import { Link } from '../../router/link.tsx';
import { useSession } from '../../session/session.ts';
import { Failure } from '../../ui/failure.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useResource } from '../../ui/use-resource.ts';

const MAX_SHOWN = 100;

/** The groups that the user is in. */
export function UserGroups({ id }: { id: string }) {
  const { client } = useSession();
  const groups = useResource(id, (signal) =>
    client.groups.list({ user: id, limit: MAX_SHOWN }, { signal }).page(),
  );
  const { data = [], nextCursor = null } = groups.value ?? {};
  return (
    <Panel title="Groups" aside={<Link to="groups">All groups</Link>}>
      <Failure error={groups.error} onRetry={groups.reload} />
      {data.length > 0 && (
        <ul role="list" class="chips">
          {data.map(({ id, displayName }) => (
            <li key={id} class="chip" title={id}>
              <bdi>{displayName}</bdi>
            </li>
          ))}
        </ul>
      )}
      <p class="hint" role="status">
        {groups.isLoading && 'Loading …'}
        {groups.value && (data.length === 0 ? 'In no group.' : 'Managed by your directory.')}
        {nextCursor !== null && ` The first ${MAX_SHOWN} are shown.`}
      </p>
    </Panel>
  );
}
