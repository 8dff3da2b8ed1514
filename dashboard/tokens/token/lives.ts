/** A life to choose for a new token, with the number of days that it lasts. */
export type Life = [value: string, title: string, days: number];

export const DAYS: Life[] = [30, 90, 365].map((days) => [String(days), `${days} days`, days]);

/** Any value that is no number stands for no `expiresIn`, but this one for days that are entered. */
export const CUSTOM: Life = ['custom', 'Custom …', 0];

/** Those that the service accepts. If it refuses a longer one, the longest that it accepts is among them. */
export function livesWithin(lives: Life[], maxDays: number | null): Life[] {
  if (maxDays === null) return lives;
  const accepted = lives.filter(([, , days]) => days <= maxDays);
  if (accepted.length === lives.length || accepted.some(([, , days]) => days === maxDays)) return accepted;
  const longest: Life = [String(maxDays), `${daysIn(maxDays)}, the longest`, maxDays];
  return [
    ...accepted.filter((life) => life !== CUSTOM),
    longest,
    ...accepted.filter((life) => life === CUSTOM),
  ];
}

export const daysIn = (days: number) => (days === 1 ? '1 day' : `${days} days`);
