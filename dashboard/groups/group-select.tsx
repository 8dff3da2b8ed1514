import { useSession } from '../session/session.ts';
import { SelectField } from '../ui/select-field.tsx';
import { useResource } from '../ui/use-resource.ts';

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
  const { value } = useResource('groups', (signal) =>
    client.groups.list({ limit: MAX_GROUPS }, { signal }).page(),
  );
  if (!value || value.data.length === 0) return null;
  return (
    <SelectField
      label="Group"
      options={value.data.map(({ id, displayName }) => [id, displayName])}
      any="Any group"
      value={disabled ? '' : (group ?? '')}
      disabled={disabled}
      onValue={(group) => onGroup(group || undefined)}
    />
  );
}
