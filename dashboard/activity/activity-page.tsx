import { useRef, useState } from 'preact/hooks';
import { useSession } from '../session/session.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { countOf } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { Messages } from '../ui/messages.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useEndlessList } from '../ui/use-endless-list.ts';
import { ActivityTools } from './activity-tools.tsx';
import { useEntries } from './entries.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { NO_FILTER, queryOf, useFilter } from './filter.ts';
import type { Named } from './kinds.ts';
import { ListEnd } from './list-end.tsx';
import { shortened } from './sentence.ts';
import { namesIn } from './use-names.ts';
import { useNews } from './use-news.ts';
import { useOlder } from './use-older.ts';

const PAGE_SIZE = 50;

export default function ActivityPage() {
  const { client } = useSession();
  const { filter, isFiltered, change } = useFilter();
  const [isExporting, setIsExporting] = useState(false);
  const [notice, setNotice] = useState('');
  const query = queryOf(filter);
  const key = JSON.stringify(query);
  const list = useEndlessList(key, (cursor, signal) =>
    client.events.list({ order: 'desc', ...query, limit: PAGE_SIZE, cursor }, { signal }).page(),
  );
  const { items } = list;
  const picked = useRef(new Map<string, string>());
  const pick = ({ id, name }: Named) => picked.current.set(id, name);

  const { entries, names, rowCount, showOlder, showNew } = useEntries({
    label: 'Activity, newest first',
    list,
    level: 'h2',
    onTarget: (target) => {
      pick(target);
      change({ target: target.id });
    },
    onActor: (actor) => {
      pick(actor);
      change({ actor: actor.id });
      focusHeading();
    },
  });
  const news = useNews(list, query);
  const olderRef = useOlder({ key, items: items.length, rows: rowCount }, list.toMore);
  const nameOf = (id: string) =>
    picked.current.get(id) ?? namesIn(items).get(id) ?? names.nameOf(id) ?? shortened(id);

  const failure = <Failure error={list.error} onRetry={list.retry} />;

  return (
    <>
      <div class="heading">
        <h1 tabIndex={-1}>Activity</h1>
        <button type="button" onClick={() => setIsExporting(true)}>
          <Icon name="download" /> Export
        </button>
      </div>
      <p class="quiet lead">What happened to users, groups, tokens and webhooks, and who did it.</p>
      <ActivityTools
        filter={filter}
        nameOf={nameOf}
        isPicked={(id) => picked.current.has(id)}
        onPicked={pick}
        onFilter={change}
      />
      <div class="line">
        <p class="quiet status" role="status">
          {list.isLoading
            ? 'Loading …'
            : list.error === undefined
              ? loadedText(items.length, list.hasMore)
              : ''}
        </p>
        <div role="status">
          {news.text && (
            <button type="button" class="small news" onClick={() => showNew(news.show)}>
              {news.text}
            </button>
          )}
        </div>
      </div>
      {list.isFirst && failure}
      <Messages notice={notice}>{!list.isFirst && failure /* that of older ones, far down */}</Messages>
      {items.length === 0 && list.isLoading && <Skeleton />}
      {entries}
      <ListEnd
        list={list}
        isFiltered={isFiltered}
        olderRef={olderRef}
        onOlder={() => showOlder()}
        onClear={() => {
          change(NO_FILTER);
          focusHeading();
        }}
      />
      {isExporting && (
        <ExportDialog
          query={query}
          isFiltered={isFiltered}
          onClose={() => setIsExporting(false)}
          onExported={(count) => {
            setIsExporting(false);
            setNotice(`Saved ${countOf(count, 'entry', 'entries')}`);
          }}
        />
      )}
    </>
  );
}

function loadedText(count: number, hasMore: boolean): string {
  const entries = count === 0 ? 'No entries' : countOf(count, 'entry', 'entries');
  return hasMore ? `${entries}, and older ones below` : entries;
}
