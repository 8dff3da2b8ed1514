const hour = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const whole = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** 2026-11-28 15:04:05 UTC */
const utcOf = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

/** The time of day in local time: 3:04 PM. The tooltip has the date, too, in UTC. */
export const TimeOfDay = ({ iso }: { iso: string }) => (
  <time dateTime={iso} title={utcOf(iso)}>
    {hour.format(new Date(iso))}
  </time>
);

/** From when to when several things happened: 3:04 – 3:10 PM. */
export const HoursBetween = ({ first, last }: { first: string; last: string }) => (
  <span title={`${utcOf(first)} – ${utcOf(last)}`}>{hour.formatRange(new Date(first), new Date(last))}</span>
);

/** Nov 28, 2026, 3:04:05 PM */
export const WholeTime = ({ iso }: { iso: string }) => (
  <time dateTime={iso} title={utcOf(iso)}>
    {whole.format(new Date(iso))}
  </time>
);

/** “Today”, “Yesterday”, or the date. */
export function dayTitleOf(iso: string, now = new Date()): string {
  const day = new Date(iso);
  const is = (daysAgo: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).toDateString() ===
    day.toDateString();
  return is(0) ? 'Today' : is(1) ? 'Yesterday' : date.format(day);
}
