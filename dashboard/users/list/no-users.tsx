import { May } from '../../session/may.tsx';
import { isFiltered, usersInWords } from '../user/filter-words.ts';
import type { UserFilter } from '../user/user-filter.ts';

interface Props {
  filter: UserFilter;
  onCreate(): void;
  onImport(): void;
}

/** Explains why the list is empty, and how it can be filled. */
export const NoUsers = ({ filter, onCreate, onImport }: Props) => {
  const { query } = filter;
  const users = usersInWords(filter);
  if (query !== undefined)
    return (
      <>
        No {users} match <strong>{query}</strong>. The search covers names, emails, ids and text values in
        metadata.
      </>
    );
  if (isFiltered(filter)) return <>There are no {users}.</>;
  return (
    <>
      <p>There are no users yet.</p>
      <May scope="users:write">
        <div class="buttons">
          <button type="button" class="primary" onClick={onCreate}>
            Create the first user
          </button>
          <button type="button" onClick={onImport}>
            Import a file
          </button>
        </div>
      </May>
    </>
  );
};
