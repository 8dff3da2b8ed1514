import { useState } from 'preact/hooks';
import { Link } from '../router/link.tsx';
import { useSession } from '../session/session.ts';
import { CopyId } from '../ui/copy-id.tsx';
import { ListPage } from '../ui/list-page.tsx';
import { Cell, NameCell, Row, TextCell } from '../ui/table.tsx';
import { SIZES, useList } from '../ui/use-list.ts';
import { useResource } from '../ui/use-resource.ts';
import { hasStatus } from '../ui/use-submit.ts';
import { RoleChip } from '../users/user/roles.tsx';

/** The users in a group, by name. */
export default function GroupMembersPage({ id }: { id: string }) {
  const { client } = useSession();
  const [size, setSize] = useState<number>(SIZES[0]);
  const group = useResource(id, (signal) => client.groups.get(id, { signal }));
  const list = useList(
    JSON.stringify([id, size]),
    (cursor, signal) =>
      client.users.list({ group: id, sort: 'name', limit: size, cursor }, { signal }).page(),
    { inHistory: true, size },
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
        items={list.items}
        singular="member"
        plural="members"
        caption={`Members of ${name}, by name`}
        columns={['User', 'Email', 'Role', 'ID']}
        empty={
          hasStatus(group.error, 404)
            ? 'There is no such group. Your directory may have deleted it.'
            : 'This group has no members.'
        }
        paging={{ size, onSize: setSize }}
      >
        {(user) => (
          <Row key={user.id}>
            <NameCell name={user.name} to={`users/${user.id}`} />
            <TextCell label="Email" text={user.email} />
            <Cell label="Role">
              <RoleChip role={user.role} />
            </Cell>
            <Cell label="ID">
              <CopyId id={user.id} name={user.name} />
            </Cell>
          </Row>
        )}
      </ListPage>
    </>
  );
}
