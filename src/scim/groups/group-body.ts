import type { GroupFields } from '../../groups/group/group.entity';
import type { GroupStep } from '../../groups/group/group-steps';
import type { Condition } from '../filter/conditions';
import { memberIds, namedMember, removedIds } from './member-ids';
import { findPath, isTargetWritable, parsePath, type Target } from '../patch/path';
import { type Operation, operationsOf } from '../patch/patch-body';
import { normalize } from '../schema/resource';
import { invalidSyntax, invalidValue, mutability } from '../schema/scim-error';
import { GROUP } from '../schema/group.schema';
import { resolve } from '../schema/resource-schema';
import { isAbsent, isObject, valueOf } from '../schema/values';

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
export const groupStepsOf = (body: unknown): GroupStep[] =>
  operationsOf(body).flatMap(({ op, path, given }) => {
    if (path !== undefined) return stepsAt(parsePath(GROUP, path), op, given);
    return Object.entries(given as object).flatMap(([key, part]) => {
      const target = findPath(GROUP, key);
      return target && isTargetWritable(target) ? stepsAt(target, op, part) : [];
    });
  });

function stepsAt(target: Target, op: Operation['op'], given: unknown): GroupStep[] {
  const attribute = target.attribute!; // only an extension's URN has none, and groups have no extension
  if (!isTargetWritable(target)) throw mutability(`${attribute.name} has a read-only part`);
  if (attribute.name === 'members') return memberSteps(target, op, given);
  const value = op === 'remove' ? undefined : (valueOf(attribute, given) as string | undefined);
  if (value === undefined && GROUP.irremovable.includes(attribute.name))
    throw invalidValue(`${attribute.name} cannot be removed`);
  return [{ kind: 'set', attribute: attribute.name as 'displayName' | 'externalId', value: value ?? null }];
}

function memberSteps({ conditions, sub }: Target, op: Operation['op'], given: unknown): GroupStep[] {
  if (sub && sub.name !== 'value') throw mutability('Only the value of a member can be changed');
  if (conditions) return stepsOfNamed(conditions, op, given);
  switch (op) {
    case 'add':
      return isAbsent(given) ? [] : [{ kind: 'add', members: memberIds(given) }];
    case 'replace':
      return [{ kind: 'replace', members: isAbsent(given) ? [] : memberIds(given) }];
    case 'remove':
      return [isAbsent(given) ? { kind: 'removeAll' } : { kind: 'remove', members: removedIds(given) }];
  }
}

/**
 * `members[value eq "usr_…"]`: `remove` removes this member; `replace` puts the given ones in its place; `add` adds the
 * given ones, or this one if none is given.
 */
function stepsOfNamed(conditions: readonly Condition[], op: Operation['op'], given: unknown): GroupStep[] {
  const { id, isUser } = namedMember(conditions);
  if (op === 'remove' || (op === 'replace' && isAbsent(given)))
    return isUser ? [{ kind: 'remove', members: [id] }] : [];
  const members = memberIds(isAbsent(given) ? id : given);
  return op === 'replace' && isUser && !members.includes(id)
    ? [
        { kind: 'remove', members: [id] },
        { kind: 'add', members },
      ]
    : [{ kind: 'add', members }];
}
