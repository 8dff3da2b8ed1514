import { useEffect, useRef, useState } from 'preact/hooks';
import { useQuery } from '../../router/place.ts';
import { useSession } from '../../session/session.ts';
import { useStore } from '../../store.ts';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useList } from '../../ui/use-list.ts';
import { useSelection } from '../bulk/selection.ts';
import { rememberList } from '../user/came-from.ts';
import { useUserFilter } from '../user/use-user-filter.ts';
import { pageOf } from '../user/user-filter.ts';
import { choice } from './choice.ts';
import { needsDirectory, offersOf } from './offers.tsx';
import { useUserCount } from './user-count.ts';

/** The users that the page lists, with the text that is searched for, the filter, the columns and the selection. */
export function useUsers() {
  const { client } = useSession();
  const { text: settled, filter, change } = useUserFilter();
  const [text, setText] = useState(settled);
  const typed = useDebounced(text.trim());
  useEffect(() => {
    if (typed !== settled) change({ q: typed || undefined });
  }, [typed]);
  useEffect(() => {
    if (settled !== typed) setText(settled); // the address has changed, not the text
  }, [settled]);

  const { query, roles, active, group, since, until, sort, order } = filter;
  const ofList = query === undefined && [group, since, until, sort, order];
  const filterKey = JSON.stringify([query, roles, active, ofList]);
  const chosen = useStore(choice);
  const include = needsDirectory(chosen) ? 'directory' : undefined;
  const list = useList(filterKey, (page, signal) => pageOf(client, filter, { ...page, include }, signal), {
    isPage: true,
  });
  const selection = useSelection(filterKey, list.items);
  const { count, reload: countAgain } = useUserCount(filter, list);

  const included = useRef(include);
  useEffect(() => {
    if (include && include !== included.current) list.reload();
    included.current = include;
  }, [include]);

  const [parameters] = useQuery();
  const href = parameters.size > 0 ? `users?${parameters}` : 'users';
  useEffect(() => {
    if (list.items && !list.isStale) rememberList({ ids: list.items.map(({ id }) => id), href });
  }, [list.items, list.isStale, href]);

  const reload = () => {
    list.reload();
    countAgain();
  };
  const offers = offersOf(list.items ?? [], filter, chosen);
  return { text, setText, filter, change, list: { ...list, reload }, selection, count, offers };
}
