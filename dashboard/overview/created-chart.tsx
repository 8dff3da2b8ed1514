import { formatCount } from '../ui/format.ts';
import { type Column, Table } from '../ui/table.tsx';
import type { Day } from './days.ts';

const HEIGHT = 72;
const WIDTH = 20;
const GAP = 5;
/** The minimum height, so that a day with few users stays visible beside one with many. */
const LEAST = 3;

const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
const nameOf = ({ date }: Day) => day.format(Date.parse(date));

const COLUMNS: Column<Day>[] = [
  { title: 'Day (UTC)', class: 'main', value: ({ date }) => date },
  { title: 'Users created', value: ({ count }) => formatCount(count) },
];

/** The users created on each day as bars, and as a table for people who cannot see or do not want the bars. */
export function CreatedChart({ days }: { days: Day[] }) {
  const most = Math.max(...days.map(({ count }) => count));
  const busiest = days.find(({ count }) => count === most)!;
  const heightOf = (n: number) => (n === 0 ? 0 : Math.max(LEAST, (n / most) * HEIGHT));
  const summary =
    most === 0
      ? 'Nobody was created in the last 30 days.'
      : `Users created on each of the last 30 days; the most, ${formatCount(most)}, on ${nameOf(busiest)}.`;
  return (
    <>
      {most > 0 && (
        <p class="scale quiet" aria-hidden="true">
          {formatCount(most)}
        </p>
      )}
      <svg
        class="bars"
        role="img"
        aria-label={summary}
        viewBox={`0 0 ${days.length * WIDTH - GAP} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {days.map((day, i) => (
          <g key={day.date}>
            <title>{`${nameOf(day)}: ${formatCount(day.count)}`}</title>
            <rect class="ground" x={i * WIDTH} y={0} width={WIDTH - GAP} height={HEIGHT} />
            <rect
              x={i * WIDTH}
              y={HEIGHT - heightOf(day.count)}
              width={WIDTH - GAP}
              height={heightOf(day.count)}
            />
          </g>
        ))}
      </svg>
      <p class="axis quiet" aria-hidden="true">
        <span>{nameOf(days[0])}</span>
        <span>Today</span>
      </p>
      <details class="as-table">
        <summary>Show as a table</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label="Users created by day, in UTC">
          <Table caption="Users created by day" columns={COLUMNS} items={[...days].reverse()} />
        </div>
      </details>
    </>
  );
}
