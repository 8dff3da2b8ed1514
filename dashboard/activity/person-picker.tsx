import { useState } from 'preact/hooks';
import type { Client } from '../../client/index.ts';
import { useSession } from '../session/session.ts';
import { Failure } from '../ui/failure.tsx';
import { queryIn, SearchField } from '../ui/search-field.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { useResource } from '../ui/use-resource.ts';
import type { Named } from './kinds.ts';

const MAX_FOUND = 5;
const USER_ID = /^usr_[0-9a-z]{26}$/;

/** The number of latest deleted users that are searched here, because the API finds them only by their full email. */
const MAX_DELETED = 1_000;

/** Finds users with the search, and deleted users by the beginnings of words in their name and email. */
export function PersonPicker({ onPick }: { onPick(user: Named): void }) {
  const { client } = useSession();
  const [text, setText] = useState('');
  const query = queryIn(useDebounced(text.trim()));
  const found = useResource<Found[]>(query ?? '', async (signal) => {
    if (query === undefined) return [];
    const [{ data }, deleted] = await Promise.all([
      client.users.search({ q: query, limit: MAX_FOUND }, { signal }).page(),
      findDeleted(client, query, signal),
    ]);
    return [...data, ...deleted];
  });
  const isFound = query !== undefined && !found.isLoading && found.error === undefined;
  const users: Found[] = isFound ? [...(found.value ?? [])] : [];
  if (isFound && users.length === 0 && USER_ID.test(query)) users.push({ id: query, name: query });

  return (
    <div class="picker">
      <SearchField
        label="Person"
        placeholder="Person: name, email or ID"
        maxLength={200}
        value={text}
        onValue={setText}
      />
      <p class="unseen" role="status">
        {isFound && `${users.length || 'No'} ${users.length === 1 ? 'person' : 'people'} found`}
      </p>
      {isFound && users.length === 0 && (
        <p class="hint">Nobody found. To find a user who was deleted long ago, enter the full ID.</p>
      )}
      <Failure error={found.error} onRetry={found.reload} />
      {users.length > 0 && (
        <ul role="list" aria-label="People found" class="chips">
          {users.map(({ id, name, email, deletedAt }) => (
            <li key={id}>
              <button
                type="button"
                class="small"
                title={id}
                onClick={() => {
                  setText('');
                  onPick({ id, name });
                }}
              >
                <span class="clip">
                  <bdi>{name}</bdi> {email && <span class="quiet">{email}</span>}
                  {deletedAt && <span class="quiet"> (deleted)</span>}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface Found extends Named {
  email?: string;
  deletedAt?: string;
}

/** Deleted users in whose name or email every word of the query begins a word. */
async function findDeleted(client: Client, query: string, signal: AbortSignal): Promise<Found[]> {
  const words = wordsOf(query);
  const found: Found[] = [];
  let seen = 0;
  for await (const user of client.deletedUsers.list({ limit: 200 }, { signal })) {
    const own = wordsOf(`${user.name} ${user.email}`);
    if (words.every((word) => own.some((other) => other.startsWith(word)))) found.push(user);
    if (found.length === MAX_FOUND || ++seen === MAX_DELETED) break;
  }
  return found;
}

/** Without letter case and accents, like the search. */
const wordsOf = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
