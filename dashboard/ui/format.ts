const numbers = new Intl.NumberFormat('en');
const timeOfDay = new Intl.DateTimeFormat('en', { timeStyle: 'medium' });

/** 1,234 */
export const formatCount = (count: number): string => numbers.format(count);

/** “1 user”, “1,234 users” */
export const countOf = (count: number, singular: string, plural = `${singular}s`): string =>
  count === 1 ? `1 ${singular}` : `${formatCount(count)} ${plural}`;

/** “142 ms”, “1.2 s” */
export const formatDuration = (ms: number): string =>
  ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;

/** 3:04:05 PM */
export const formatTime = (time: number): string => timeOfDay.format(time);

const METADATA = 'metadata.';

/** The displayed name of a field: `expiresAt` is “Expires at”. */
export function titleOf(field: string): string {
  if (field.startsWith(METADATA)) return `Metadata “${field.slice(METADATA.length)}”`;
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/ id$/, ' ID');
  return words[0].toUpperCase() + words.slice(1);
}
