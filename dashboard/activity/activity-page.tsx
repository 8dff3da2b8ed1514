import { useEffect, useRef, useState } from 'preact/hooks';
import { useSession } from '../session/session.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useEndlessList } from '../ui/use-endless-list.ts';
import { ActivityTools, type Filter } from './activity-tools.tsx';
import { useEntries } from './entries.tsx';

const PAGE_SIZE = 50;
/** The next page is fetched before its place comes into view. */
const AHEAD = '600px';

export default function ActivityPage() {
  const { client } = useSession();
  const [filter, setFilter] = useState<Filter>({});
  const { kind, actor, target } = filter;
  const list = useEndlessList(JSON.stringify([kind, actor?.id, target?.id]), (cursor, signal) => {
    const query = { type: kind, actor: actor?.id, target: target?.id };
    return client.events.list({ order: 'desc', ...query, limit: PAGE_SIZE, cursor }, { signal }).page();
  });
  const { items, toMore } = list;
  const change = (change: Filter) => setFilter((filter) => ({ ...filter, ...change }));

  const { entries, showOlder } = useEntries({
    label: 'Activity, newest first',
    list,
    onTarget: (target) => change({ target }),
    onActor: (actor) => {
      change({ actor });
      focusHeading();
    },
  });
  const buttonRef = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!toMore || !buttonRef.current) return;
    const observer = new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && toMore(), {
      rootMargin: AHEAD,
    });
    observer.observe(buttonRef.current);
    return () => observer.disconnect();
  }, [items, toMore === undefined]);
  const isEmpty = items.length === 0;
  const isAtEnd = !toMore && !list.isLoading;
  return (
    <>
      <div class="heading">
        <h1 tabIndex={-1}>Activity</h1>
        <button type="button" onClick={list.reload}>
          Refresh
        </button>
      </div>
      <p class="quiet lead">
        What happened to users, groups and tokens, and who did it. The newest comes first.
      </p>
      <ActivityTools filter={filter} onFilter={change} />
      <p class="quiet status" role="status">
        {list.isLoading ? 'Loading …' : list.error === undefined ? countOf(items.length, isAtEnd) : ''}
      </p>
      {isEmpty && list.isLoading && <Skeleton />}
      {entries}
      <Failure error={list.error} onRetry={list.retry} />
      {isEmpty && isAtEnd && list.error === undefined && (
        <p class="empty">
          {kind || actor || target ? 'There are no such entries.' : 'Nothing has happened yet.'}
        </p>
      )}
      {(!isEmpty || toMore) && (
        <div class="pager">
          <button
            type="button"
            ref={buttonRef}
            aria-disabled={isAtEnd}
            onClick={() => !isAtEnd && showOlder()}
          >
            Show older entries
          </button>
        </div>
      )}
    </>
  );
}

function countOf(count: number, isAtEnd: boolean): string {
  const entries = count === 1 ? '1 entry' : `${count || 'No'} entries`;
  return isAtEnd ? entries : `${entries}, and older ones below`;
}
