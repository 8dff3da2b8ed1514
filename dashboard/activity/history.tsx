import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
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
  /** So many rows are shown at first. */
  limit: number;
  /** The text if nothing has happened. */
  empty: string;
  /** Changes when there may be new events. */
  version?: unknown;
}

/** Enough to fill the panel although several entries may be one row. */
const PAGE_SIZE = 50;

/** A panel with the newest events of something, and the older ones on demand. */
export function History({ title, aside, label, query, limit, empty, version }: Props) {
  const { client } = useSession();
  const [maxRows, setMaxRows] = useState(limit);
  const list = useEndlessList(JSON.stringify([query, version]), (cursor, signal) =>
    client.events.list({ order: 'desc', ...query, limit: PAGE_SIZE, cursor }, { signal }).page(),
  );
  const { items, toMore, isLoading, error } = list;
  const { entries, rowCount, showOlder } = useEntries({
    label,
    list: { ...list, isStale: false }, // it is fetched again after each change, and should not flicker
    own: query.target ?? query.actor,
    level: 'h3',
    maxRows,
    onActor: ({ id }) => navigate(`activity?actor=${id}`),
    onTarget: ({ id }) => navigate(`activity?target=${id}`),
  });
  const showMore = () => {
    setMaxRows(maxRows + limit);
    if (rowCount < maxRows + limit) toMore?.();
  };

  return (
    <Panel title={title} aside={aside}>
      {entries}
      <p class="quiet" role="status">
        {items.length === 0 && (isLoading ? 'Loading …' : !toMore && error === undefined ? empty : '')}
      </p>
      <Failure error={error} onRetry={list.retry} />
      {(toMore || rowCount > maxRows) && (
        <button type="button" class="small" onClick={() => showOlder(showMore)}>
          Show older entries
        </button>
      )}
    </Panel>
  );
}
