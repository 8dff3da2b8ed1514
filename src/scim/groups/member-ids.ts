import { isId } from '../../database/id';
import type { Condition } from '../filter/conditions';
import { invalidPath, invalidValue } from '../schema/scim-error';
import { isAbsent, isObject } from '../schema/values';

/**
 * The ids of users in a value of `members`, without duplicates: a list or a single member, objects or bare ids. Other
 * properties of a member (`$ref`, `display`) are ignored. Throws 400 `invalidValue` for anything that is not the id of
 * a user, such as a group.
 */
export const memberIds = (given: unknown): string[] => [...new Set(elements(given).map(userId))];

/** The same for members to remove. Ids that cannot be members are ignored, because they are not there to remove. */
export const removedIds = (given: unknown): string[] => [
  ...new Set(
    elements(given)
      .map(idOf)
      .filter((id) => isId('usr', id)),
  ),
];

/** The id in `members[value eq "usr_…"]`, and whether it can be a member. */
export function namedMember(conditions: readonly Condition[]): { id: string; isUser: boolean } {
  const named = conditions.filter(({ sub }) => sub.name === 'value');
  const types = conditions.filter(({ sub }) => sub.name === 'type');
  if (named.length !== 1 || named.length + types.length !== conditions.length)
    throw invalidPath('A member must be named by its value: members[value eq "…"]');
  const id = String(named[0].value);
  return { id, isUser: isId('usr', id) && types.every(({ value }) => isUserType(value)) };
}

const elements = (given: unknown): unknown[] => (Array.isArray(given) ? given : [given]);

function idOf(member: unknown): string {
  const id = isObject(member) ? lowerCased(member).value : member;
  if (typeof id !== 'string') throw invalidValue('members must be a list of objects with a value');
  return id;
}

function userId(member: unknown): string {
  const id = idOf(member);
  const { type } = isObject(member) ? lowerCased(member) : {};
  if (!isId('usr', id) || !(isAbsent(type) || isUserType(type)))
    throw invalidValue('The members of a group must be users of the organization');
  return id;
}

const isUserType = (type: unknown) => typeof type === 'string' && type.toLowerCase() === 'user';

const lowerCased = (member: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(member).map(([name, value]) => [name.toLowerCase(), value]));
