import type { GroupFields } from './group.entity';

/** One step of a change. Members are ids; those that are added, or that replace the others, must be users. */
export type GroupStep =
  | { kind: 'set'; attribute: keyof GroupFields; value: string | null }
  | { kind: 'add' | 'remove' | 'replace'; members: readonly string[] }
  | { kind: 'removeAll' };

/** `replaceShown` is `replace`, unless the list is exactly what a large group shows: the others stay. */
export type DirectoryStep = GroupStep | { kind: 'replaceShown'; members: readonly string[] };

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
export const fieldsSetBy = (steps: readonly DirectoryStep[]): Partial<GroupFields> =>
  Object.fromEntries(
    steps.flatMap((step) => (step.kind === 'set' ? [[step.attribute, step.value] as const] : [])),
  );

/**
 * The combined effect of all steps, so that any number of them is written at once. A member that one step adds and a
 * later one removes is no change.
 */
export function memberChangesOf(steps: readonly DirectoryStep[]): MemberChanges {
  const changes: MemberChanges = {
    isReplaced: false,
    unlessShown: false,
    present: new Set(),
    absent: new Set(),
  };
  const { present, absent } = changes;
  for (const step of steps) {
    if (step.kind === 'set') continue;
    changes.unlessShown = step.kind === 'replaceShown';
    if (step.kind === 'removeAll' || step.kind === 'replace' || step.kind === 'replaceShown') {
      changes.isReplaced = true;
      present.clear();
      absent.clear();
    }
    const [into, from] = step.kind === 'remove' ? [absent, present] : [present, absent];
    for (const id of step.kind === 'removeAll' ? [] : step.members) {
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

/** The positions of ids that would become members, but are not users. */
export const strangers = (
  ids: readonly string[],
  { present }: MemberChanges,
  users: ReadonlySet<string>,
): number[] => ids.flatMap((id, i) => (present.has(id) && !users.has(id) ? [i] : []));
