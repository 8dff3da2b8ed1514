import type { GroupFields } from './group.entity';

/** One step of a change of a group. Members are ids of users; those that are added, or that replace the others, must be users. */
export type GroupStep =
  | { kind: 'set'; attribute: keyof GroupFields; value: string | null }
  | { kind: 'add' | 'remove'; members: readonly string[] }
  | {
      kind: 'replace';
      members: readonly string[];
      /** @internal If the list is exactly the first members that a large group shows, its other members stay. */
      unlessShown?: boolean;
    }
  | { kind: 'removeAll' };

/** The changes of a group's members, independent of who they are now. */
export interface MemberChanges {
  /** Whether all other members are removed. */
  isReplaced: boolean;
  /** Removes no others if `present` is exactly the members that the group shows. */
  unlessShown: boolean;
  /** Users who are members afterwards. */
  present: Set<string>;
  /** Ids that are not members afterwards. */
  absent: Set<string>;
}

/** The last value of each attribute that a step sets. */
export const fieldsSetBy = (steps: readonly GroupStep[]): Partial<GroupFields> =>
  Object.fromEntries(
    steps.flatMap((step) => (step.kind === 'set' ? [[step.attribute, step.value] as const] : [])),
  );

/**
 * The combined effect of all steps, so that any number of them is written at once. A member that one step adds and a later one
 * removes is no change.
 */
export function memberChangesOf(steps: readonly GroupStep[]): MemberChanges {
  const changes: MemberChanges = {
    isReplaced: false,
    unlessShown: false,
    present: new Set(),
    absent: new Set(),
  };
  const { present, absent } = changes;
  for (const step of steps) {
    if (step.kind === 'set') continue;
    const members = step.kind === 'removeAll' ? [] : step.members;
    changes.unlessShown = step.kind === 'replace' && step.unlessShown === true;
    if (step.kind === 'removeAll' || step.kind === 'replace') {
      changes.isReplaced = true;
      present.clear();
      absent.clear();
    }
    const [into, from] = step.kind === 'remove' ? [absent, present] : [present, absent];
    for (const id of members) {
      into.add(id);
      from.delete(id);
    }
  }
  return changes;
}

/** The fields whose values change, or undefined if none does. */
export function changedFieldsOf(
  group: GroupFields,
  fields: Partial<GroupFields>,
): Partial<GroupFields> | undefined {
  const changed = Object.entries(fields).filter(
    ([name, value]) => value !== group[name as keyof GroupFields],
  );
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}
