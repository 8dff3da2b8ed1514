const numbers = new Intl.NumberFormat('en');
const timeOfDay = new Intl.DateTimeFormat('en', { timeStyle: 'medium' });

/** 1,234 */
export const formatCount = (count: number): string => numbers.format(count);

/** “1 user”, “1,234 users” */
export const countOf = (count: number, singular: string, plural = `${singular}s`): string =>
  count === 1 ? `1 ${singular}` : `${formatCount(count)} ${plural}`;

/** 3:04:05 PM */
export const formatTime = (time: number): string => timeOfDay.format(time);
