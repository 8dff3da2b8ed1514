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

export interface Change {
  changes: UpdateUser;
  /** Whether the metadata has only the changed keys, and null for those that were removed. */
  isMerge: boolean;
}

/** Only the changed fields, and only the changed keys of the metadata, unless one becomes null, which means removed. */
export function changeOf(user: UserValues, values: UserValues): Change {
  const changed = Object.entries(values).filter(
    ([field, value]) => !isSame(value, user[field as keyof UserValues]),
  );
  const changes: UpdateUser = Object.fromEntries(changed);
  if (!changes.metadata) return { changes, isMerge: false };
  const patch = patchOf(user.metadata, changes.metadata);
  return patch ? { changes: { ...changes, metadata: patch }, isMerge: true } : { changes, isMerge: false };
}

type Json = Record<string, unknown>;

/** The merge patch (RFC 7396) between two objects; undefined if there is none, because a value becomes null. */
function patchOf(before: Json, after: Json): Json | undefined {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const patch = new Map<string, unknown>(removed.map((key) => [key, null]));
  for (const [key, value] of Object.entries(after)) {
    const former = Object.hasOwn(before, key) ? before[key] : undefined;
    if (isSame(value, former)) continue;
    const change = isObject(value) ? patchOf(isObject(former) ? former : {}, value) : value;
    if (change === null || change === undefined) return undefined;
    patch.set(key, change);
  }
  return Object.fromEntries(patch);
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const fieldsOf = (values: UserValues): Fields =>
  new Map<string, unknown>([
    ...FIELDS.map((field) => [field, values[field]] as const),
    ...Object.entries(values.metadata).map(([key, value]) => [METADATA + key, value] as const),
  ]);

function valuesOf(fields: Fields): UserValues {
  const metadata = [...fields].filter(([field, value]) => isKey(field) && value !== undefined);
  return {
    ...(Object.fromEntries(FIELDS.map((field) => [field, fields.get(field)])) as UserValues),
    metadata: Object.fromEntries(metadata.map(([field, value]) => [field.slice(METADATA.length), value])),
  };
}

/** Whether the field is a key of the metadata. */
export const isKey = (field: string) => field.startsWith(METADATA);

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
