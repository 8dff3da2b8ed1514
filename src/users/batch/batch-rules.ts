import { newId } from '../../platform/database/id';
import type { Fault } from '../../platform/http/fault';
import { mapGivingWay } from '../../platform/fairness/give-way';
import { validate } from '../../platform/http/input/validate';
import { EMAIL_TAKEN, EXTERNAL_ID_TAKEN, USER_NAME_TAKEN } from '../user/unique-fields';
import { changesOf, withDefaults } from '../user/user.changes';
import type { Metadata, User, UserFields } from '../user/user.entity';
import { emailKey } from '../user/user.keys';
import { CreateUserDto, UpdateUserDto } from '../user/user.dto';

/** Whether a row of an existing user is refused or changes that user. */
export const MODES = ['create', 'upsert'] as const;
export type Mode = (typeof MODES)[number];

/** The field by which a row finds its user. */
export const KEY_FIELDS = ['email', 'externalId'] as const;
export type KeyField = (typeof KEY_FIELDS)[number];

export interface Rules {
  mode: Mode;
  keyField: KeyField;
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

/** With `upsert` a row may omit the fields that should not change, except the one that identifies the user. */
export function validateRow(row: unknown, { mode, keyField }: Rules): ValidatedRow {
  const { dto, faults } = validate<Partial<UserFields>>(
    mode === 'upsert' ? UpdateUserDto : CreateUserDto,
    row,
  );
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
    const user = rules.mode === 'upsert' && row.key !== undefined ? byKey.get(row.key) : undefined;
    const outcome = user ? decideChange(row, user, owners) : decideNew(row, owners, rules);
    if (outcome.kind !== 'refused') seen.add(row.key!);
    return outcome;
  });
}

function decideChange({ fields, faults }: ValidatedRow, stored: StoredUser, owners: Owners): RowOutcome {
  if (faults) return refused(faults);
  const { id } = stored;
  const before = parsedUser(stored);
  const changes = changesOf(before, fields!);
  if (!changes) return { kind: 'unchanged', user: { id, stored } };
  const fault = takeValues(owners, id, { ...before, ...changes });
  return fault ? refused([fault]) : { kind: 'updated', user: { id, stored, changes } };
}

function decideNew(
  { row, key, fields, faults }: ValidatedRow,
  owners: Owners,
  { mode, keyField }: Rules,
): RowOutcome {
  const created = mode === 'create' ? { dto: fields as CreateUserDto, faults } : validate(CreateUserDto, row);
  if (created.faults || key === undefined) return refused(withoutKey(key, created.faults ?? [], keyField));
  const changes = withDefaults(created.dto);
  const id = newId('usr');
  const fault = takeValues(owners, id, { ...changes, userNameKey: null });
  return fault ? refused([fault]) : { kind: 'created', user: { id, changes } };
}

const refused = (faults: Fault[]): RowOutcome => ({ kind: 'refused', faults });

/** The id of the user who has each unique value, or had it when the batch began. */
type Owners = Map<string, string>;

/** Takes the unique values of a user, or returns the fault of the first one that another user has. */
function takeValues(
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

const TAKEN: Record<KeyField, Fault> = { email: EMAIL_TAKEN, externalId: EXTERNAL_ID_TAKEN };

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
): Partial<UserFields> {
  const value = (Object(row) as Partial<Record<KeyField, unknown>>)[keyField];
  const isFaulty = typeof value !== 'string' || faults?.some(({ field }) => field === keyField);
  return isFaulty ? {} : { [keyField]: value.trim() };
}
