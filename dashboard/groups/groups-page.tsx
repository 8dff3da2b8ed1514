import { useState } from 'preact/hooks';
import type { Group } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { formatCount } from '../ui/format.ts';
import { ListPage } from '../ui/list-page.tsx';
import { SearchField, SearchForm } from '../ui/search-field.tsx';
import { type Column, NameLink } from '../ui/table.tsx';
import { ShortDate } from '../ui/time.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { useList } from '../ui/use-list.ts';

const COLUMNS: Column<Group>[] = [
  {
    title: 'Group',
    class: 'main wider',
    value: ({ id, displayName }) => <NameLink name={displayName} to={`groups/${id}`} />,
  },
  { title: 'Members', value: ({ memberCount }) => formatCount(memberCount) },
  { title: 'Created', value: ({ createdAt }) => <ShortDate iso={createdAt} /> },
  { title: 'Changed', value: ({ updatedAt }) => <ShortDate iso={updatedAt} /> },
];

/** The groups of the directory. */
export default function GroupsPage() {
  const { client } = useSession();
  const [text, setText] = useState('');
  const displayName = useDebounced(text.trim()) || undefined;
  const list = useList(
    displayName ?? '',
    (page, signal) => client.groups.list({ displayName, ...page }, { signal }).page(),
    { isPage: true },
  );
  return (
    <ListPage
      title="Groups"
      lead="Managed by your directory. Groups are data, and grant nothing here."
      search={
        <SearchForm>
          <SearchField label="Exact name" maxLength={256} value={text} onValue={setText} />
        </SearchForm>
      }
      list={list}
      singular="group"
      caption="Groups, by name"
      columns={COLUMNS}
      empty={
        displayName === undefined ? (
          'There are no groups. A directory that is connected by SCIM makes them.'
        ) : (
          <>
            No group has the name <strong>{displayName}</strong>.
          </>
        )
      }
    />
  );
}
