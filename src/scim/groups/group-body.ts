import { isId } from '../../platform/database/id';
import { isObject } from '../../platform/http/input/checks';
import type { GroupFields } from '../../groups/group/group.entity';
import type { GroupStep } from '../../groups/group/group-steps';
import type { Condition } from '../filter/conditions';
import { isReadOnly, type Operation, operationsOf } from '../patch/operations';
import { isAbsent, normalize, valueOf } from '../schema/resource';
import { invalidPath, invalidSyntax, invalidValue, mutability } from '../schema/scim-error';
import { GROUP } from '../schema/group.schema';
import { resolve } from '../schema/resource-schema';

// Members are ids of users, without duplicates; whether these users exist has not been checked.

/** The group in the body of a POST or PUT; without `members` if the body does not mention them. */
export function groupOf(body: unknown): GroupFields & { members?: string[] } {
  if (!isObject(body)) throw invalidSyntax('The body must be an object');
  // Unknown attributes go first, because a body may have tens of thousands.
  const names = Object.keys(body).filter((name) => resolve(GROUP, name));
  const entries = names.map((name) => [name, body[name]] as const);
  // Not normalized with the rest, because an empty list of members differs from an absent one.
  const isMembers = ([name]: readonly [string, unknown]) =>
    resolve(GROUP, name)?.attribute?.name === 'members';
  const { displayName, externalId } = normalize(
    GROUP,
    Object.fromEntries(entries.filter((entry) => !isMembers(entry))),
  );
  const members = entries.findLast(isMembers)?.[1];
  return {
    displayName: displayName as string,
    externalId: (externalId as string | undefined) ?? null,
    ...(!isAbsent(members) && { members: memberIds(members) }),
  };
}

/** The steps of a PATCH, in order. They name only what changes, because a group may have very many members. */
export function groupStepsOf(body: unknown): GroupStep[] {
  const steps: GroupStep[] = [];
  for (const operation of operationsOf(GROUP, body)) if (operation) steps.push(...stepsOf(operation));
  return steps;
}

function stepsOf(operation: Operation): GroupStep[] {
  const { op, target, value: sent } = operation;
  const attribute = target.attribute!; // only an extension's URN has none, and groups have no extension
  if (isReadOnly(target)) throw mutability(`${attribute.name} has a read-only part`);
  if (attribute.name === 'members') return memberSteps(operation);
  const value = op === 'remove' ? undefined : (valueOf(attribute, sent) as string | undefined);
  if (value === undefined && GROUP.irremovable.includes(attribute.name))
    throw invalidValue(`${attribute.name} cannot be removed`);
  return [{ kind: 'set', attribute: attribute.name as 'displayName' | 'externalId', value: value ?? null }];
}

function memberSteps({ op, target: { conditions, sub }, value }: Operation): GroupStep[] {
  if (sub && sub.name !== 'value') throw mutability('Only the value of a member can be changed');
  if (conditions) return stepsOfNamed(conditions, op, value);
  switch (op) {
    case 'add':
      return isAbsent(value) ? [] : [{ kind: 'add', members: memberIds(value) }];
    case 'replace':
      return [{ kind: 'replace', members: isAbsent(value) ? [] : memberIds(value) }];
    case 'remove':
      return [isAbsent(value) ? { kind: 'removeAll' } : { kind: 'remove', members: removedIds(value) }];
  }
}

/**
 * `members[value eq "usr_…"]`: `remove` removes this member; `replace` puts the given ones in its place; `add` adds the
 * given ones, or this one if none is given.
 */
function stepsOfNamed(conditions: readonly Condition[], op: Operation['op'], value: unknown): GroupStep[] {
  const { id, isUser } = namedMember(conditions);
  const removal: GroupStep[] = isUser ? [{ kind: 'remove', members: [id] }] : [];
  if (op === 'remove' || (op === 'replace' && isAbsent(value))) return removal;
  const members = memberIds(isAbsent(value) ? id : value);
  const isReplaced = op === 'replace' && !members.includes(id);
  return [...(isReplaced ? removal : []), { kind: 'add', members }];
}

/**
 * The ids of users in a value of `members`, without duplicates: a list or a single member, objects or bare ids. Other
 * properties of a member (`$ref`, `display`) are ignored. Throws 400 `invalidValue` for anything that is not the id of
 * a user, such as a group.
 */
const memberIds = (given: unknown): string[] => [...new Set(elements(given).map(userId))];

/** The same for members to remove. Ids that cannot be members are ignored, because they are not there to remove. */
const removedIds = (given: unknown): string[] => [
  ...new Set(
    elements(given)
      .map(idOf)
      .filter((id) => isId('usr', id)),
  ),
];

/** The id in `members[value eq "usr_…"]`, and whether it can be a member. */
function namedMember(conditions: readonly Condition[]): { id: string; isUser: boolean } {
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
