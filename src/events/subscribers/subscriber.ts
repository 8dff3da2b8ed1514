import type { EventView } from '../event/event.view';
import { EVENT_TYPES, type EventType } from '../event/event.types';

/** A function of a host application that receives the events of all organizations. */
export interface Subscriber {
  /**
   * The position of the subscriber is stored under this name: 1 to 100 letters, digits, `.`, `_` and `-`. A new name
   * starts with the events that happen from then on.
   */
  name: string;
  /** The types of events that it gets. Default: all. */
  types?: readonly EventType[];
  /**
   * Gets each event at least once, after the commit, and the events of an organization in order. If it throws or
   * rejects, it is called again later, and the organization's next events wait until then.
   */
  handle(event: EventView, context: { organizationId: string }): unknown;
}

export interface SubscribersOptions {
  subscribers?: readonly Subscriber[];
}

const NAME = /^[A-Za-z0-9._-]{1,100}$/;

/** The faults of subscribers: names or types that are invalid, and a name that two of them have. */
export function subscriberFaults(subscribers: readonly Subscriber[]): string[] {
  const faults = subscribers.flatMap(({ name, types = [], handle }) => {
    if (typeof name !== 'string' || !NAME.test(name))
      return 'The name of a subscriber must be 1 to 100 letters, digits, ".", "_" or "-".';
    if (subscribers.filter((other) => other.name === name).length > 1)
      return `Two subscribers have the name ${name}.`;
    if (typeof handle !== 'function') return `The subscriber ${name} must have a function handle.`;
    return types.every((type) => EVENT_TYPES.includes(type))
      ? []
      : `The subscriber ${name} has an unknown type. The types are: ${EVENT_TYPES.join(', ')}.`;
  });
  return [...new Set(faults)];
}
