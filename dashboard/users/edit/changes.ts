import type { UpdateUser } from '../../../client/index.ts';
import { type UserValues, WRITABLE_FIELDS } from '../user/values.ts';

/** The body of a PATCH: only what was changed. */
export interface Changes {
  body: UpdateUser;
  /** Whether `metadata` has only the changed keys, and null for those that were removed. */
  isMerge: boolean;
}

/** A field that two people have changed differently. A value is undefined if there is none. */
export interface Conflict {
  field: string;
  mine: unknown;
  theirs: unknown;
}

export function changesOf(user: UserValues, values: UserValues): Changes {
  const patch = patchOf(user.metadata, values.metadata);
  const after: UserValues = { ...values, metadata: patch ?? values.metadata };
  const before: UserValues = { ...user, metadata: {} };
  const changed = WRITABLE_FIELDS.filter((field) => !isSame(after[field], before[field]));
  return { body: Object.fromEntries(changed.map((field) => [field, after[field]])), isMerge: !!patch };
}

/** The changed fields that somebody else, who saved `theirs`, has changed to something else. */
export const conflictsOf = (
  { body, isMerge }: Changes,
  before: UserValues,
  mine: UserValues,
  theirs: UserValues,
): Conflict[] =>
  namesOf(body, isMerge)
    .map((field) => ({ field, mine: valueAt(mine, field), theirs: valueAt(theirs, field) }))
    .filter(({ field, mine, theirs }) => !isSame(theirs, valueAt(before, field)) && !isSame(theirs, mine));

/** The values of `theirs` with the changes that made `mine`. */
export function withChanges({ body, isMerge }: Changes, mine: UserValues, theirs: UserValues): UserValues {
  const isMine = ([key]: [string, unknown]) => Object.hasOwn(body.metadata ?? {}, key);
  const keys = [
    ...Object.entries(theirs.metadata).filter((entry) => !isMine(entry)),
    ...Object.entries(mine.metadata).filter(isMine),
  ];
  return { ...theirs, ...body, metadata: isMerge ? Object.fromEntries(keys) : mine.metadata };
}

const METADATA = 'metadata.';

/** The names of the fields; with `hasKeys` those of the single keys of the metadata, such as `metadata.plan`. */
export const namesOf = (values: UpdateUser, hasKeys = true): string[] =>
  WRITABLE_FIELDS.filter((field) => values[field] !== undefined).flatMap((field) =>
    field === 'metadata' && hasKeys ? Object.keys(values.metadata!).map((key) => METADATA + key) : field,
  );

export const valueAt = (values: UserValues, field: string): unknown =>
  field.startsWith(METADATA)
    ? new Map(Object.entries(values.metadata)).get(field.slice(METADATA.length))
    : values[field as keyof UserValues];

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

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
