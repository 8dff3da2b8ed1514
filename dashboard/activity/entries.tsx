import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Event } from '../../client/index.ts';
import type { EndlessList } from '../ui/use-endless-list.ts';
import { EntryRow, type Targets } from './entry-row.tsx';
import { type Day, daysOf } from './timeline.ts';
import { dayTitleOf } from './times.tsx';
import { useNames } from './use-names.ts';

interface Props extends Omit<Targets, 'names'> {
  label: string;
  list: EndlessList<Event>;
  /** The id of whose page it is. */
  own?: string;
  /** The level of the headings of the days. */
  level: 'h2' | 'h3';
}

/** The loaded events of a list by days, and functions that bring others: the first of these gets the focus. */
export function useEntries({ label, list, own, level, ...targets }: Props) {
  const { items, isLoading, isStale, toMore } = list;
  const ref = useRef<HTMLDivElement>(null);
  const days = useMemo(() => daysOf(items), [items]);
  const names = useNames(items, own);
  /** The number of the entry that gets the focus when others have come. */
  const focused = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    if (focused.current === undefined) return;
    const row = rowOf(days, focused.current);
    ref.current?.querySelectorAll<HTMLElement>('.day > .entries > li > details > summary')[row]?.focus();
    focused.current = undefined;
  }, [items]);

  const last = days.at(-1)?.rows.at(-1);
  const entries = items.length > 0 && (
    <div role="group" aria-label={label} aria-busy={isLoading} ref={ref} class="days">
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
    rowCount: days.reduce((count, { rows }) => count + rows.length, 0),
    showOlder() {
      focused.current = items.length;
      toMore?.();
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

/** The number of the row that has the entry. */
function rowOf(days: Day[], entry: number): number {
  let before = 0;
  return days.flatMap(({ rows }) => rows).findIndex((row) => (before += row.length) > entry);
}
