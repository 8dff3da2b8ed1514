import { isObject } from '../../http/input/checks';
import { isId } from '../../database/id';
import type { Condition } from '../filter/conditions';
import { invalidPath, invalidValue } from '../schema/scim-error';
import { isAbsent } from '../schema/values';

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
  const id = isObject(member) ? propertyOf(member, 'value') : member;
  if (typeof id !== 'string') throw invalidValue('members must be a list of objects with a value');
  return id;
}

function userId(member: unknown): string {
  const id = idOf(member);
  const type = isObject(member) ? propertyOf(member, 'type') : undefined;
  if (!isId('usr', id) || !(isAbsent(type) || isUserType(type)))
    throw invalidValue('The members of a group must be users of the organization');
  return id;
}

const isUserType = (type: unknown) => typeof type === 'string' && type.toLowerCase() === 'user';

/** Letter case is ignored in names. A body has tens of thousands of members, so none of them is copied. */
function propertyOf(member: Record<string, unknown>, name: string): unknown {
  let value: unknown;
  for (const key in member) if (key.length === name.length && key.toLowerCase() === name) value = member[key];
  return value;
}
