import type { ComponentChildren } from 'preact';
import type { ListEventsQuery } from '../../client/index.ts';
import { navigate } from '../router/place.ts';
import { useSession } from '../session/session.ts';
import { Failure } from '../ui/failure.tsx';
import { Panel } from '../ui/panel.tsx';
import { useEndlessList } from '../ui/use-endless-list.ts';
import { useEntries } from './entries.tsx';

interface Props {
  title: string;
  aside?: ComponentChildren;
  label: string;
  query: Pick<ListEventsQuery, 'target' | 'actor'>;
  limit: number;
  /** The text if nothing has happened. */
  empty: string;
  /** Changes when there may be new events. */
  version?: unknown;
}

/** A panel with the newest events of something, and the older ones on demand. */
export function History({ title, aside, label, query, limit, empty, version }: Props) {
  const { client } = useSession();
  const list = useEndlessList(JSON.stringify([query, version]), (cursor, signal) =>
    client.events.list({ order: 'desc', ...query, limit, cursor }, { signal }).page(),
  );
  const { items, toMore, isLoading, error } = list;
  const { entries, showOlder } = useEntries({
    label,
    list: { ...list, isStale: false }, // it is fetched again after each change, and should not flicker
    own: query.target ?? query.actor,
    level: 'h3',
    onActor: ({ id }) => navigate(`activity?actor=${id}`),
    onTarget: ({ id }) => navigate(`activity?target=${id}`),
  });

  return (
    <Panel title={title} aside={aside}>
      {entries}
      <p class="quiet" role="status">
        {items.length === 0 && (isLoading ? 'Loading …' : !toMore && error === undefined ? empty : '')}
      </p>
      <Failure error={error} onRetry={list.retry} />
      {toMore && (
        <button type="button" class="small" onClick={showOlder}>
          Show older entries
        </button>
      )}
    </Panel>
  );
}
