import { useState } from 'preact/hooks';
import { useSession } from '../session.ts';
import { Failure } from '../ui/failure.tsx';
import { Field } from '../ui/field.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { useList } from '../ui/use-list.ts';
import type { Named } from './kinds.ts';

const MAX_FOUND = 5;
/** The minimum length of a query in the API. */
const MIN_QUERY_LENGTH = 2;
const DEBOUNCE_MS = 200;
const USER_ID = /^usr_[0-9a-z]{26}$/;

/** Finds users by the search, and those that are deleted by their whole id. */
export function PersonPicker({ onPick }: { onPick(user: Named): void }) {
  const { client } = useSession();
  const [text, setText] = useState('');
  const settled = useDebounced(text.trim(), DEBOUNCE_MS);
  const query = [...settled].length >= MIN_QUERY_LENGTH ? settled : undefined;
  const list = useList(query ?? '', async (_cursor, signal) =>
    query === undefined
      ? { data: [], nextCursor: null }
      : client.users.search({ q: query, limit: MAX_FOUND }, { signal }).page(),
  );
  const isFound = query !== undefined && !list.isStale;
  const users: (Named & { email?: string })[] = isFound ? (list.items ?? []) : [];
  if (isFound && users.length === 0 && USER_ID.test(query)) users.push({ id: query, name: query });

  return (
    <div class="picker">
      <Field label="Person">
        {(field) => (
          <input
            {...field}
            type="search"
            autocomplete="off"
            spellcheck={false}
            maxLength={200}
            placeholder="Person: name, email or id"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <p class="unseen" role="status">
        {isFound && `${users.length || 'No'} ${users.length === 1 ? 'person' : 'people'} found`}
      </p>
      {isFound && users.length === 0 && (
        <p class="hint">Nobody found. To find a deleted user, enter the full ID.</p>
      )}
      <Failure error={list.error} onRetry={list.retry} />
      {users.length > 0 && (
        <ul role="list" aria-label="People found" class="chips">
          {users.map(({ id, name, email }) => (
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
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
