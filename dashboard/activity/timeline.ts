import type { Event } from '../../client/index.ts';
import { actionOf } from './sentence.ts';

/** So many entries in a row that tell of the same action are shown as one. */
const MIN_RUN = 3;
const MAX_GAP_MS = 10 * 60_000;

/** One entry, or several that tell of the same action. */
export type Row = [Event, ...Event[]];

/** What happened on one day, in local time. */
export interface Day {
  /** The time of the first entry. */
  iso: string;
  rows: Row[];
}

/** The entries of a list, newest first, by days, and those that tell of the same action together. */
export function daysOf(events: Event[]): Day[] {
  const days: Day[] = [];
  let stretch: Event[] = [];
  for (const [i, event] of events.entries()) {
    const earlier = events[i - 1];
    if (!earlier || dateOf(earlier) !== dateOf(event)) days.push({ iso: event.occurredAt, rows: [] });
    stretch.push(event);
    const next = events[i + 1];
    if (next && isOneAction(event, next)) continue;
    days.at(-1)!.rows.push(...rowsOf(stretch));
    stretch = [];
  }
  return days;
}

const rowsOf = (stretch: Event[]): Row[] =>
  stretch.length < MIN_RUN ? stretch.map((event) => [event]) : [stretch as Row];

/** Whether two entries of which one follows the other are of the same action. */
const isOneAction = (a: Event, b: Event): boolean =>
  actionKeyOf(a) === actionKeyOf(b) &&
  Math.abs(Date.parse(a.occurredAt) - Date.parse(b.occurredAt)) <= MAX_GAP_MS;

const actionKeyOf = (event: Event) =>
  JSON.stringify([
    event.type,
    event.source,
    event.actor.id,
    event.actor.name,
    event.onBehalfOf,
    actionOf(event),
    dateOf(event),
  ]);

const dateOf = ({ occurredAt }: Event) => new Date(occurredAt).toDateString();

const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium' });

/** “Today”, “Yesterday”, or the date. */
export function dayTitleOf(iso: string, now = new Date()): string {
  const day = new Date(iso);
  const is = (daysAgo: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).toDateString() ===
    day.toDateString();
  return is(0) ? 'Today' : is(1) ? 'Yesterday' : dates.format(day);
}
