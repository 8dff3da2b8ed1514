import { useSession } from '../session/session.ts';
import { Field } from '../ui/field.tsx';
import { useList } from '../ui/use-list.ts';

/** The first groups by name can be selected; the members of all others are listed with their group. */
const MAX_GROUPS = 200;

interface Props {
  /** The id of a group; undefined for any. */
  group: string | undefined;
  onGroup(group: string | undefined): void;
  /** A search does not filter by group. */
  disabled: boolean;
}

/** Selects the group whose members are listed. Hidden if there are no groups. */
export function GroupSelect({ group, onGroup, disabled }: Props) {
  const { client } = useSession();
  const list = useList('groups', (_cursor, signal) =>
    client.groups.list({ limit: MAX_GROUPS }, { signal }).page(),
  );
  if (!list.items || list.items.length === 0) return null;
  return (
    <Field label="Group">
      {(field) => (
        <select
          {...field}
          value={disabled ? '' : (group ?? '')}
          disabled={disabled}
          onChange={({ currentTarget }) => onGroup(currentTarget.value || undefined)}
        >
          <option value="">Any group</option>
          {list.items!.map(({ id, displayName }) => (
            <option key={id} value={id}>
              {displayName}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
