import { useEffect, useState } from 'preact/hooks';
import type { User } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import type { List } from '../../ui/use-list.ts';
import { useResource } from '../../ui/use-resource.ts';
import type { UserFilter } from '../user/user-filter.ts';
import { aboutCount, countInWords } from './count-words.ts';

/** How many users the list has, in words, and a function that counts them again. */
export function useUserCount(filter: UserFilter, list: List<User>) {
  const { client } = useSession();
  const [isLong, setIsLong] = useState(false);
  const hasMore = list.toNext !== undefined;
  useEffect(() => {
    if (hasMore) setIsLong(true);
  }, [hasMore]);
  const { value, reload } = useResource(String(isLong), (signal) =>
    isLong ? client.statistics({ signal }) : Promise.resolve(undefined),
  );
  const page = { length: list.items?.length ?? 0, end: list.end, hasMore };
  return { count: countInWords(page, value && aboutCount(filter, value.users)), reload };
}
