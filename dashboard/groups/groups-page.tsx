import { useState } from 'preact/hooks';
import { useSession } from '../session/session.ts';
import { ListPage } from '../ui/list-page.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { Cell, NameCell, Row } from '../ui/table.tsx';
import { ShortDate } from '../ui/time.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { SIZES, useList } from '../ui/use-list.ts';
import { formatCount } from '../ui/format.ts';

/** The groups of the directory. */
export default function GroupsPage() {
  const { client } = useSession();
  const [text, setText] = useState('');
  const [size, setSize] = useState<number>(SIZES[0]);
  const displayName = useDebounced(text.trim()) || undefined;
  const list = useList(
    JSON.stringify([displayName, size]),
    (cursor, signal) => client.groups.list({ displayName, limit: size, cursor }, { signal }).page(),
    { inHistory: true, size },
  );
  return (
    <ListPage
      title="Groups"
      lead="Managed by your directory. Groups are data, and grant nothing here."
      search={
        <form class="tools search" role="search" onSubmit={(event) => event.preventDefault()}>
          <SearchField label="Exact name" maxLength={256} value={text} onValue={setText} />
        </form>
      }
      list={list}
      items={list.items}
      singular="group"
      plural="groups"
      caption="Groups, by name"
      columns={['Group', 'Members', 'Created', 'Changed']}
      empty={
        displayName === undefined ? (
          'There are no groups. A directory that is connected by SCIM makes them.'
        ) : (
          <>
            No group has the name <strong>{displayName}</strong>.
          </>
        )
      }
      paging={{ size, onSize: setSize }}
    >
      {(group) => (
        <Row key={group.id}>
          <NameCell name={group.displayName} to={`groups/${group.id}`} />
          <Cell label="Members">{formatCount(group.memberCount)}</Cell>
          <Cell label="Created">
            <ShortDate iso={group.createdAt} />
          </Cell>
          <Cell label="Changed">
            <ShortDate iso={group.updatedAt} />
          </Cell>
        </Row>
      )}
    </ListPage>
  );
}
