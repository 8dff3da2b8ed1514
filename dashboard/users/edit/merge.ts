import type { UpdateUser, User } from '../../../client/index.ts';
import { type UserValues, WRITABLE_FIELDS } from '../user/fields.ts';

const METADATA = 'metadata.';
const FIELDS = WRITABLE_FIELDS.filter((field) => field !== 'metadata');

/** The values of all fields but the metadata, and of each of its keys, as in `metadata.plan`. */
type Fields = Map<string, unknown>;

/** Two edits of the same user. A value is undefined if its key of the metadata was removed. */
export interface Merge {
  /** The user as somebody else saved it. */
  theirs: User;
  /** The fields that both have changed, differently. */
  conflicts: { field: string; mine: unknown; theirs: unknown }[];
  onlyMine: string[];
  onlyTheirs: string[];
  /** The values to save. `chosen` are the conflicts that end with the person's own value. */
  resolve(chosen: string[]): UserValues;
}

/** Compares the changes of a person (`mine`) and of somebody else (`theirs`) to `base`. */
export function mergeOf(base: UserValues, mine: UserValues, theirs: User): Merge {
  const [before, own, other] = [base, mine, theirs].map(fieldsOf);
  const all = [...new Set([...before.keys(), ...own.keys(), ...other.keys()])];
  const differing = all.filter((field) => !isSame(own.get(field), other.get(field)));
  const isMine = (field: string) => !isSame(own.get(field), before.get(field));
  const isTheirs = (field: string) => !isSame(other.get(field), before.get(field));
  const onlyMine = differing.filter((field) => !isTheirs(field));
  return {
    theirs,
    conflicts: differing
      .filter((field) => isMine(field) && isTheirs(field))
      .map((field) => ({ field, mine: own.get(field), theirs: other.get(field) })),
    onlyMine,
    onlyTheirs: differing.filter((field) => !isMine(field)),
    resolve: (chosen) =>
      valuesOf(
        new Map([...other, ...[...onlyMine, ...chosen].map((field) => [field, own.get(field)] as const)]),
      ),
  };
}

/** Only the changed fields. */
export function changedFields(user: User, values: UserValues): UpdateUser {
  const changes = Object.entries(values).filter(
    ([field, value]) => !isSame(value, user[field as keyof UserValues]),
  );
  return Object.fromEntries(changes);
}

export const fieldsOf = (values: UserValues): Fields =>
  new Map<string, unknown>([
    ...FIELDS.map((field) => [field, values[field]] as const),
    ...Object.entries(values.metadata).map(([key, value]) => [METADATA + key, value] as const),
  ]);

function valuesOf(fields: Fields): UserValues {
  const metadata = [...fields].filter(([field, value]) => field.startsWith(METADATA) && value !== undefined);
  return {
    ...(Object.fromEntries(FIELDS.map((field) => [field, fields.get(field)])) as UserValues),
    metadata: Object.fromEntries(metadata.map(([field, value]) => [field.slice(METADATA.length), value])),
  };
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
