import { newId } from '../../database/id';
import type { Fault } from '../../http/fault';
import { mapGivingWay } from '../../fairness/give-way';
import { validate } from '../../http/input/validate';
import { EMAIL_TAKEN, EXTERNAL_ID_TAKEN } from '../user/unique-fields';
import { changesOf, withDefaults } from '../user/user.changes';
import type { Metadata, User, UserFields } from '../user/user.entity';
import { emailKey } from '../user/user.keys';
import { CreateUserDto, UpdateUserDto } from '../user/user.dto';
import type { UniqueValues } from './unique-values';

/** Whether a row of an existing user is refused or changes that user. */
export const MODES = ['create', 'upsert'] as const;
export type Mode = (typeof MODES)[number];

/** The field by which a row finds its user. */
export const KEY_FIELDS = ['email', 'externalId'] as const;
export type KeyField = (typeof KEY_FIELDS)[number];

export interface Rules {
  mode: Mode;
  by: KeyField;
}

/** A row, validated as the API validates a request. */
export interface ValidatedRow {
  row: unknown;
  /** What identifies its user: the external id, or the key of the email; undefined if that is not valid. */
  key?: string;
  fields?: Partial<UserFields>;
  faults?: Fault[];
}

/** A stored user. The metadata is text: parsed, the metadata of 500 users could take 170 MB. */
export type StoredUser = Omit<User, 'metadata'> & { metadata: string };

/** The user of a row. */
export interface KnownUser {
  id: string;
  /** Undefined if it is new. */
  stored?: StoredUser;
  /** The fields that a row changes, or all fields of a new user; undefined if nothing changes. */
  changes?: Partial<UserFields>;
}

/** The same with its metadata parsed. */
export const parsedUser = (stored: StoredUser): User => ({
  ...stored,
  metadata: JSON.parse(stored.metadata) as Metadata,
});

/** The outcome of a row. */
export type RowOutcome =
  { kind: 'created' | 'updated' | 'unchanged'; user: KnownUser } | { kind: 'refused'; faults: Fault[] };

/** With `upsert` a row may omit the fields that should not change, except the one that identifies the user. */
export function validateRow(row: unknown, { mode, by }: Rules): ValidatedRow {
  const { dto, faults } = validate<Partial<UserFields>>(
    mode === 'upsert' ? UpdateUserDto : CreateUserDto,
    row,
  );
  const identity = (dto ?? validIn(row, faults, by))[by] ?? undefined;
  return { row, key: identity && keyOf(identity, by), fields: dto, faults };
}

/** The form in which the identities of users are compared. */
export const keyOf = (identity: string, by: KeyField) => (by === 'email' ? emailKey(identity) : identity);

/** The distinct keys of the rows. */
export const keysOf = (rows: readonly ValidatedRow[]): string[] => [
  ...new Set(rows.flatMap(({ key }) => key ?? [])),
];

/**
 * Decides the outcome of each row, and records new and changed users in `known`, by their keys, and in `values`. If two
 * rows have the same key, the first one that is not refused gets it.
 */
export function decide(
  rows: readonly ValidatedRow[],
  known: Map<string, KnownUser>,
  values: UniqueValues,
  rules: Rules,
): Promise<RowOutcome[]> {
  const seen = new Set<string>();
  return mapGivingWay(rows, (row) => {
    const outcome = decideRow(row, known, values, rules, row.key !== undefined && seen.has(row.key));
    if (outcome.kind !== 'refused') seen.add(row.key!);
    return outcome;
  });
}

function decideRow(
  row: ValidatedRow,
  known: Map<string, KnownUser>,
  values: UniqueValues,
  { mode, by }: Rules,
  isRepeated: boolean,
): RowOutcome {
  const user = mode === 'create' || row.key === undefined ? undefined : known.get(row.key);
  if (!user) return decideNew(row, known, values, { mode, by });
  if (row.faults) return refused(row.faults);
  if (isRepeated) return refused([by === 'email' ? EMAIL_TAKEN : EXTERNAL_ID_TAKEN]);
  // The first row of this user that is not refused, so the user is stored and unchanged.
  const before = parsedUser(user.stored!);
  const changes = changesOf(before, row.fields!);
  if (!changes) return { kind: 'unchanged', user };
  const after = { ...before, ...changes };
  const fault = values.faultOf(user.id, after);
  if (fault) return refused([fault]);
  values.change(user.id, before, after);
  user.changes = changes;
  return { kind: 'updated', user };
}

function decideNew(
  { row, key, fields, faults }: ValidatedRow,
  known: Map<string, KnownUser>,
  values: UniqueValues,
  { mode, by }: Rules,
): RowOutcome {
  const created = mode === 'create' ? { dto: fields as CreateUserDto, faults } : validate(CreateUserDto, row);
  if (created.faults || key === undefined) return refused(withoutKey(key, created.faults ?? [], by));
  const changes = withDefaults(created.dto);
  const user = { id: newId('usr'), changes };
  const fault = values.faultOf(user.id, changes);
  if (fault) return refused([fault]);
  values.change(user.id, undefined, changes);
  known.set(key, user);
  return { kind: 'created', user };
}

const refused = (faults: Fault[]): RowOutcome => ({ kind: 'refused', faults });

/** The faults of a row, with the one of an identity that is missing: only the email is required of every new user. */
const withoutKey = (key: string | undefined, faults: Fault[], by: KeyField): Fault[] =>
  key !== undefined || faults.some(({ field }) => field === by || field === 'body')
    ? faults
    : [...faults, { field: by, code: 'required', message: 'is required' }];

/** The identity in a row with faults, if it is valid itself. A thousand other faults keep validation from it. */
function validIn(row: unknown, faults: readonly Fault[] | undefined, by: KeyField): Partial<UserFields> {
  const value = (Object(row) as Partial<Record<KeyField, unknown>>)[by];
  const isFaulty = typeof value !== 'string' || faults?.some(({ field }) => field === by);
  return isFaulty ? {} : { [by]: value.trim() };
}
