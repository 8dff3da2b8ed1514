const DAY_MS = 24 * 60 * 60_000;
const SOON_MS = 14 * DAY_MS;

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * DAY_MS],
  ['month', 30 * DAY_MS],
  ['day', DAY_MS],
  ['hour', DAY_MS / 24],
  ['minute', 60_000],
];

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });
const minute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** A text for a time in the zone of the browser. The tooltip has the second, in UTC. */
const Time = ({ iso, children }: { iso: string; children: string }) => (
  <time dateTime={iso} title={inUtc(iso)}>
    {children}
  </time>
);

/** 2026-11-28 14:30:05 UTC */
const inUtc = (iso: string) => `${new Date(iso).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

export const DateOf = ({ iso }: { iso: string }) => <Time iso={iso}>{day.format(new Date(iso))}</Time>;

const dayOfYear = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });

/** The date, without the year if it is the current one. */
export const ShortDate = ({ iso }: { iso: string }) => {
  const isThisYear = new Date(iso).getFullYear() === new Date().getFullYear();
  return <Time iso={iso}>{(isThisYear ? dayOfYear : day).format(new Date(iso))}</Time>;
};

/** The time since then, never in the future even if the local clock is slow. */
export const Ago = ({ iso }: { iso: string }) => (
  <Time iso={iso}>{distance(Math.min(Date.parse(iso) - Date.now(), 0)) ?? 'just now'}</Time>
);

/** A date with the time of day, and how long ago it is: “Nov 28, 2026, 2:30 PM (2 days ago)”. */
export const Moment = ({ iso }: { iso: string }) => (
  <>
    <Time iso={iso}>{minute.format(new Date(iso))}</Time>{' '}
    <span class="quiet">
      (<Ago iso={iso} />)
    </span>
  </>
);

/** The time until then. */
export const Until = ({ iso }: { iso: string }) => (
  <Time iso={iso}>{distance(Date.parse(iso) - Date.now()) ?? 'in a moment'}</Time>
);

/** Uses the largest unit that fits; undefined below one minute. */
function distance(ms: number): string | undefined {
  const found = UNITS.find(([, size]) => Math.abs(ms) >= size);
  if (!found) return undefined;
  const [unit, size] = found;
  return relative.format(Math.round(ms / size), unit);
}

/** Whether a future time is within 14 days. */
export const isSoon = (iso: string) => Date.parse(iso) - Date.now() < SOON_MS;

/** The date in that many days. */
export const dateIn = (days: number) => day.format(Date.now() + days * DAY_MS);
