const hour = new Intl.DateTimeFormat('en', { timeStyle: 'short' });
const whole = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

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
