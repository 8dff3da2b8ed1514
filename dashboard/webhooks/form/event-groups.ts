import { type Kind, KINDS } from '../../activity/kinds.ts';

/** The kinds of events about one sort of thing. */
export interface EventGroup {
  /** The beginning of their names: `user`. */
  key: string;
  title: string;
  types: Kind[];
}

const TITLES: Record<string, string> = {
  user: 'Users',
  group: 'Groups',
  token: 'Tokens',
  organization: 'Organization',
  webhook: 'Webhooks',
};

const typesOf = (key: string) => (Object.keys(KINDS) as Kind[]).filter((type) => type.startsWith(`${key}.`));

export const EVENT_GROUPS: EventGroup[] = Object.entries(TITLES).map(([key, title]) => ({
  key,
  title,
  types: typesOf(key),
}));

/** How much of a group is chosen. */
export function partOf({ types }: EventGroup, chosen: ReadonlySet<string>): 'none' | 'some' | 'all' {
  const count = countIn(types, chosen);
  if (count === 0) return 'none';
  return count === types.length ? 'all' : 'some';
}

export const countIn = (types: string[], chosen: ReadonlySet<string>) =>
  types.filter((type) => chosen.has(type)).length;
