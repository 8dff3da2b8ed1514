import { Link } from '../router/link.tsx';
import { useSession } from '../session/session.ts';
import { ListPage } from '../ui/list-page.tsx';
import { useList } from '../ui/use-list.ts';
import { useResource } from '../ui/use-resource.ts';
import { hasStatus } from '../ui/faults.ts';
import { columnOf } from '../users/user/fields.tsx';

const COLUMNS = [{ ...columnOf('name'), title: 'User' }, columnOf('email'), columnOf('role')];

/** The users in a group, by name. */
export default function GroupMembersPage({ id }: { id: string }) {
  const { client } = useSession();
  const group = useResource(id, (signal) => client.groups.get(id, { signal }));
  const list = useList(
    id,
    (page, signal) => client.users.list({ group: id, sort: 'name', ...page }, { signal }).page(),
    { isPage: true },
  );
  const name = group.value?.displayName ?? 'Group';
  return (
    <>
      <p class="trail">
        <Link to="groups">All groups</Link>
      </p>
      <ListPage
        title={<bdi>{name}</bdi>}
        lead="Managed by your directory: it adds and removes the members."
        list={list}
        singular="member"
        caption={`Members of ${name}, by name`}
        columns={COLUMNS}
        empty={
          hasStatus(group.error, 404)
            ? 'There is no such group. Your directory may have deleted it.'
            : 'This group has no members.'
        }
      />
    </>
  );
}
