import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Event } from '../../client/index.ts';
import type { EndlessList } from '../ui/use-endless-list.ts';
import { EntryRow, type Targets } from './entry-row.tsx';
import { type Day, daysOf, dayTitleOf } from './timeline.ts';
import { useNames } from './use-names.ts';

interface Props extends Omit<Targets, 'names'> {
  label: string;
  list: EndlessList<Event>;
  /** The id of whose page it is. */
  own?: string;
  /** The level of the headings of the days. */
  level: 'h2' | 'h3';
  /** So many rows are shown at most. */
  maxRows?: number;
}

/** The loaded events of a list by days, and functions that bring others: the first of these gets the focus. */
export function useEntries({ label, list, own, level, maxRows = Infinity, ...targets }: Props) {
  const { items, isLoading, isStale, toMore } = list;
  const ref = useRef<HTMLDivElement>(null);
  const all = useMemo(() => daysOf(items), [items]);
  const days = firstRows(all, maxRows);
  const names = useNames(items, own);
  /** The number of the entry that gets the focus when others have come. */
  const focused = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    if (focused.current === undefined) return;
    const row = rowOf(days, focused.current);
    const rows = ref.current?.querySelectorAll<HTMLElement>('.day > .entries > li > .entry > .opener');
    if (row < 0) return; // it has not come yet
    rows?.[row]?.focus();
    focused.current = undefined;
  }, [items, maxRows]);

  const last = all.at(-1)?.rows.at(-1);
  const entries = items.length > 0 && (
    <div role="group" aria-label={label} aria-busy={isLoading} ref={ref}>
      {days.map((day) => (
        <DayEntries key={day.rows[0][0].id} day={day} level={level} isStale={isStale}>
          {day.rows.map((row) => (
            <EntryRow
              key={row[0].id}
              row={row}
              isOpenEnded={row === last && list.hasMore}
              names={names}
              {...targets}
            />
          ))}
        </DayEntries>
      ))}
    </div>
  );
  return {
    entries,
    names,
    rowCount: all.reduce((count, { rows }) => count + rows.length, 0),
    showOlder(show = toMore) {
      focused.current = days.flatMap(({ rows }) => rows.flat()).length;
      show?.();
    },
    showNew(show: () => void) {
      focused.current = 0;
      show();
    },
  };
}

interface DayProps {
  day: Day;
  level: 'h2' | 'h3';
  isStale: boolean;
  children: ComponentChildren;
}

function DayEntries({ day, level: Heading, isStale, children }: DayProps) {
  const id = useId();
  return (
    <div class="day">
      <Heading id={id}>{dayTitleOf(day.iso)}</Heading>
      <ol role="list" aria-labelledby={id} class={isStale ? 'entries stale' : 'entries'}>
        {children}
      </ol>
    </div>
  );
}

function firstRows(days: Day[], count: number): Day[] {
  let left = count;
  const shown = days.map(({ rows, ...day }) => {
    const some = rows.slice(0, left);
    left -= some.length;
    return { ...day, rows: some };
  });
  return shown.filter(({ rows }) => rows.length > 0);
}

/** The number of the row that has the entry; -1 if none has. */
function rowOf(days: Day[], entry: number): number {
  let before = 0;
  return days.flatMap(({ rows }) => rows).findIndex((row) => (before += row.length) > entry);
}
