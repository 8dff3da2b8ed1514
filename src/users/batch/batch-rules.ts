import type { Type } from '@nestjs/common';
import { OmitType } from '@nestjs/mapped-types';
import { newId } from '../../platform/database/id';
import type { Fault } from '../../platform/http/fault';
import { mapGivingWay } from '../../platform/fairness/give-way';
import { Id, isObject } from '../../platform/http/input/checks';
import { validate } from '../../platform/http/input/validate';
import { EMAIL_TAKEN, EXTERNAL_ID_TAKEN, USER_NAME_TAKEN } from '../user/unique-fields';
import { changesOf, withDefaults } from '../user/user.changes';
import type { Metadata, User, UserFields } from '../user/user.entity';
import { emailKey } from '../user/user.keys';
import { NOT_FOUND } from './batch-failures';
import { mergedMetadata, withPatch } from '../user/merge-metadata';
import { CreateUserDto, MergeUserDto, UpdateUserDto } from '../user/user.dto';

/** Whether a row creates a user, changes one that exists, or does either. */
export const MODES = ['create', 'upsert', 'update'] as const;
export type Mode = (typeof MODES)[number];

/** The field by which a row finds its user. */
export const KEY_FIELDS = ['email', 'externalId', 'id'] as const;
export type KeyField = (typeof KEY_FIELDS)[number];

export interface Rules {
  mode: Mode;
  keyField: KeyField;
  /** Whether metadata is a merge patch. */
  merge: boolean;
}

/** A change of the user with this id. */
class UpdateByIdDto extends OmitType(UpdateUserDto, ['id']) {
  @Id('usr')
  id: string;
}

class MergeByIdDto extends OmitType(MergeUserDto, ['id']) {
  @Id('usr')
  id: string;
}

const dtoOf = ({ mode, keyField, merge }: Rules): Type<Partial<UserFields & { id: string }>> => {
  if (mode === 'create') return CreateUserDto;
  if (keyField === 'id') return merge ? MergeByIdDto : UpdateByIdDto;
  return merge ? MergeUserDto : UpdateUserDto;
};

/** A row, validated as the API validates a request. */
export interface ValidatedRow {
  row: unknown;
  /** What identifies its user: an id, or the key of the email; undefined if that is not valid. */
  key?: string;
  fields?: Partial<UserFields>;
  faults?: Fault[];
}

/** A stored user. The metadata is text: parsed, the metadata of 500 users could take 170 MB. */
export type StoredUser = Omit<User, 'metadata'> & { metadata: string };

/** The user with its metadata parsed. */
export const parsedUser = (stored: StoredUser): User => ({
  ...stored,
  metadata: JSON.parse(stored.metadata) as Metadata,
});

/** The user of a row. */
export interface BatchUser {
  id: string;
  /** Undefined if it is new. */
  stored?: StoredUser;
  /** The fields that the row changes, or all fields of a new user; undefined if nothing changes. */
  changes?: Partial<UserFields>;
}

/** The outcome of a row. */
export type RowOutcome =
  { kind: 'created' | 'updated' | 'unchanged'; user: BatchUser } | { kind: 'refused'; faults: Fault[] };

/** A row that changes a user may omit the fields that should not change, except the one that identifies the user. */
export function validateRow(row: unknown, rules: Rules): ValidatedRow {
  const { keyField } = rules;
  const { dto, faults } = validate(dtoOf(rules), row);
  const identity = (dto ?? validIn(row, faults, keyField))[keyField] ?? undefined;
  return { row, key: identity && keyOf(identity, keyField), fields: dto, faults };
}

/** The form in which the identities of users are compared. */
export const keyOf = (identity: string, keyField: KeyField) =>
  keyField === 'email' ? emailKey(identity) : identity;

/**
 * Decides the outcome of each row, in order. `users` are those who have a unique value of a row. Of several rows with
 * the same key, the first one that is not refused counts.
 */
export function decide(
  rows: readonly ValidatedRow[],
  users: readonly StoredUser[],
  rules: Rules,
): Promise<RowOutcome[]> {
  const { keyField } = rules;
  const byKey = new Map(users.map((user) => [user[keyField] && keyOf(user[keyField], keyField), user]));
  const owners: Owners = new Map();
  for (const user of users) takeValues(owners, user.id, user);
  const seen = new Set<string>();
  return mapGivingWay(rows, (row) => {
    if (row.key !== undefined && seen.has(row.key)) return refused(row.faults ?? [TAKEN[keyField]]);
    const user = rules.mode === 'create' || row.key === undefined ? undefined : byKey.get(row.key);
    const outcome = user ? decideChange(row, user, owners, rules) : decideOther(row, owners, rules);
    if (outcome.kind !== 'refused') seen.add(row.key!);
    return outcome;
  });
}

function decideChange(
  { fields, faults }: ValidatedRow,
  stored: StoredUser,
  owners: Owners,
  { merge }: Rules,
): RowOutcome {
  if (faults) return refused(faults);
  const { id } = stored;
  const before = parsedUser(stored);
  const merged = merge && fields!.metadata ? mergedMetadata(before.metadata, fields!.metadata) : undefined;
  if (merged?.faults) return refused(merged.faults);
  const changes = changesOf(before, merged ? { ...fields, metadata: merged.changed } : fields!);
  if (!changes) return { kind: 'unchanged', user: { id, stored } };
  const fault = takeValues(owners, id, { ...before, ...changes });
  return fault ? refused([fault]) : { kind: 'updated', user: { id, stored, changes } };
}

/** The outcome of a row whose user does not exist. */
function decideOther(row: ValidatedRow, owners: Owners, rules: Rules): RowOutcome {
  if (rules.mode !== 'update') return decideNew(row, owners, rules);
  const faults = withoutKey(row.key, row.faults ?? [], rules.keyField);
  return refused(faults.length > 0 ? faults : [NOT_FOUND]);
}

function decideNew(validated: ValidatedRow, owners: Owners, { mode, keyField, merge }: Rules): RowOutcome {
  const { row, key, fields, faults } = validated;
  const created =
    mode === 'create'
      ? { dto: fields as CreateUserDto, faults }
      : validate(CreateUserDto, merge ? withMerged(validated) : row);
  if (created.faults || key === undefined) return refused(withoutKey(key, created.faults ?? [], keyField));
  const changes = withDefaults(created.dto);
  const id = newId('usr');
  const fault = takeValues(owners, id, { ...changes, userNameKey: null });
  return fault ? refused([fault]) : { kind: 'created', user: { id, changes } };
}

const refused = (faults: Fault[]): RowOutcome => ({ kind: 'refused', faults });

/** The id of the user who has each unique value, or had it when the batch began. */
export type Owners = Map<string, string>;

/** Takes the unique values of a user, or returns the fault of the first one that another user has. */
export function takeValues(
  owners: Owners,
  id: string,
  { email, externalId, userNameKey }: Pick<User, 'email' | 'externalId' | 'userNameKey'>,
): Fault | undefined {
  const key = emailKey(email);
  // In the order in which the database checks them. A user without a user name has its email as user name.
  const values: [string, Fault][] = [
    [`email ${key}`, EMAIL_TAKEN],
    [`userName ${userNameKey ?? key}`, USER_NAME_TAKEN],
    ...(externalId === null ? [] : [[`externalId ${externalId}`, EXTERNAL_ID_TAKEN] as [string, Fault]]),
  ];
  const taken = values.find(([value]) => (owners.get(value) ?? id) !== id);
  if (!taken) for (const [value] of values) owners.set(value, id);
  return taken?.[1];
}

/** The row of a new user, into whose metadata, which is empty, its merge patch has been merged. */
function withMerged({ row, faults = [] }: ValidatedRow): unknown {
  if (!isObject(row) || !isObject(row.metadata) || faults.some(({ field }) => /^metadata\b/.test(field)))
    return row;
  return { ...row, metadata: withPatch({}, row.metadata) };
}

const ID_TAKEN: Fault = { field: 'id', code: 'taken', message: 'is already the id of an earlier element' };
const TAKEN: Record<KeyField, Fault> = {
  email: EMAIL_TAKEN,
  externalId: EXTERNAL_ID_TAKEN,
  id: ID_TAKEN,
};

/** The faults of a row, with the one of an identity that is missing: only the email is required of every new user. */
const withoutKey = (key: string | undefined, faults: Fault[], keyField: KeyField): Fault[] =>
  key !== undefined || faults.some(({ field }) => field === keyField || field === 'body')
    ? faults
    : [...faults, { field: keyField, code: 'required', message: 'is required' }];

/** The identity in a row with faults, if it is valid itself. A thousand other faults keep validation from it. */
function validIn(
  row: unknown,
  faults: readonly Fault[] | undefined,
  keyField: KeyField,
): Partial<Record<KeyField, string>> {
  const value = (Object(row) as Partial<Record<KeyField, unknown>>)[keyField];
  const isFaulty = typeof value !== 'string' || faults?.some(({ field }) => field === keyField);
  return isFaulty ? {} : { [keyField]: value.trim() };
}
