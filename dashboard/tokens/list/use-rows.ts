import { useState } from 'preact/hooks';
import type { Token } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { useResource } from '../../ui/use-resource.ts';
import { LONGEST_OVERLAP_MS } from '../token/last-admin.ts';
import { type Listed, rowsOf } from './rows.ts';
import type { StateFilter } from './token-filter.ts';

/** So that a page of tokens asks for few others. */
const MOST_PARENTS = 20;

/** The rows of a page of tokens, with those from other pages that belong beside them. */
export function useRows(tokens: Token[] | undefined, state: StateFilter, ofParent: string | undefined) {
  const { client } = useSession();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const all = tokens ?? [];
  const replaced = all
    .filter((token) => Date.now() - Date.parse(token.createdAt) < LONGEST_OVERLAP_MS)
    .map(({ rotatedFrom }) => rotatedFrom);
  const parents = new Set(ofParent === undefined ? all.map(({ parentId }) => parentId) : []);
  const missing = (ids: Iterable<string | null>) =>
    [...ids].filter((id) => id !== null && !all.some((token) => token.id === id)) as string[];
  const ids = [...missing(replaced), ...missing(parents).slice(0, MOST_PARENTS)];
  // Fails silently: the list is complete without them.
  const { value: elsewhere = [] } = useResource(ids.join(), (signal) =>
    Promise.all(ids.map((id) => client.tokens.get(id, { signal }))),
  );
  const fitting = state === 'all' ? elsewhere : elsewhere.filter((token) => token.state === state);
  const rows: Listed[] | undefined = tokens && rowsOf(tokens, fitting, opened);
  return {
    rows: ofParent === undefined ? rows : rows?.map((row) => ({ ...row, below: 'filter' as const })),
    toggle: (id: string) =>
      setOpened(
        (opened) => new Set(opened.has(id) ? [...opened].filter((each) => each !== id) : [...opened, id]),
      ),
  };
}
