import { countOf, formatCount } from '../ui/format.ts';
import {
  actionOf,
  actorOf,
  capitalized,
  type Entry,
  memberIdOf,
  memberOf,
  type NameOf,
  type Part,
  targetOf,
} from './sentence.ts';

/** Says what several entries have in common: “Bootstrap deleted 50 users”. `isOpen`: older ones may belong to them. */
export function runSentenceOf(entries: Entry[], nameOf: NameOf, isOpen = false): Part[] {
  const [entry] = entries;
  const { type, target } = entry;
  const actor = actorOf(entry);
  const targetIds = entries.map(({ target }) => target.id);
  const targets = oneOrMany(targetIds, target.type, targetOf(entry), isOpen);
  const members = () => oneOrMany(entries.map(memberIdOf), 'user', memberOf(entry, nameOf), isOpen);
  const times = timesOf(targetIds, isOpen);
  switch (type) {
    case 'group.member_added':
      return [...actor, ' added ', ...members(), ' to ', ...targets];
    case 'group.member_removed':
      return [...actor, ' removed ', ...members(), ' from ', ...targets];
    case 'user.purged':
      return [...actor, ' purged ', ...targets];
    case 'token.expiring':
      return [...capitalized(targets), ' were about to expire'];
    case 'token.expired':
      return [...capitalized(targets), ' expired'];
  }
  return [...actor, ` ${actionOf(entry) ?? `caused ${type} of`} `, ...targets, times];
}

/** The only one, by its name, or their number. */
const oneOrMany = (ids: (string | undefined)[], noun: string, one: Part[], isOpen: boolean): Part[] => {
  const count = new Set(ids).size;
  if (count === 1) return one;
  return [isOpen ? `${formatCount(count)}+ ${noun}s` : countOf(count, noun)];
};

/** How often it happened, where that is more often than the number of those it happened to. */
function timesOf(ids: string[], isOpen: boolean): string {
  const count = new Set(ids).size;
  if (count === ids.length) return '';
  return `${count === 1 ? ' ' : ', '}${formatCount(ids.length)}${isOpen ? '+' : ''} times${count === 1 ? '' : ' in all'}`;
}
