import { newId } from '../../database/id';
import type { Fault } from '../../http/fault';
import { mapGivingWay } from '../../http/server/give-way';
import { validate } from '../../http/input/validate';
import { EMAIL_TAKEN, USER_NAME_TAKEN } from '../user/unique-fields';
import { changesOf, withDefaults } from '../user/user.changes';
import type { Metadata, User, UserFields } from '../user/user.entity';
import { emailKey } from '../user/user.keys';
import { CreateUserDto, UpdateUserDto } from '../user/user.dto';

/** Whether the email of an existing user is taken, or the row changes that user. */
export const MODES = ['create', 'upsert'] as const;
export type Mode = (typeof MODES)[number];

/** A row, validated as the API validates a request. */
export interface ValidatedRow {
  row: unknown;
  /** The key of its email; undefined if it has no valid one. */
  key?: string;
  fields?: Partial<UserFields>;
  faults?: Fault[];
}

/** A stored user. The metadata is text: parsed, the metadata of 500 users could take 170 MB. */
export type StoredUser = Omit<User, 'metadata'> & { metadata: string };

/** The user with the email of a row. */
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

/** With `upsert` a row may omit the fields that should not change, except the email, which identifies the user. */
export function validateRow(row: unknown, mode: Mode): ValidatedRow {
  const { dto, faults } = validate<Partial<UserFields>>(
    mode === 'upsert' ? UpdateUserDto : CreateUserDto,
    row,
  );
  const email = dto ? dto.email : validEmailIn(row, faults);
  return { row, key: email === undefined ? undefined : emailKey(email), fields: dto, faults };
}

/** The distinct keys of the rows. */
export const keysOf = (rows: readonly ValidatedRow[]): string[] => [
  ...new Set(rows.flatMap(({ key }) => key ?? [])),
];

/**
 * Decides the outcome of each row, and records new and changed users in `known`, by email key. If an email occurs
 * twice, the first row that is not refused gets it. `userNames` are the keys that are the user name of another user.
 */
export function decide(
  rows: readonly ValidatedRow[],
  known: Map<string, KnownUser>,
  userNames: ReadonlySet<string>,
  mode: Mode,
): Promise<RowOutcome[]> {
  const seen = new Set<string>();
  return mapGivingWay(rows, (row) => {
    const outcome = decideRow(row, known, userNames, mode, row.key !== undefined && seen.has(row.key));
    if (outcome.kind !== 'refused') seen.add(row.key!);
    return outcome;
  });
}

function decideRow(
  { row, key, fields, faults }: ValidatedRow,
  known: Map<string, KnownUser>,
  userNames: ReadonlySet<string>,
  mode: Mode,
  isRepeated: boolean,
): RowOutcome {
  const user = key === undefined ? undefined : known.get(key);
  if (!user) {
    const created =
      mode === 'create' ? { dto: fields as CreateUserDto, faults } : validate(CreateUserDto, row);
    if (created.faults) return refused(created.faults);
    if (userNames.has(key!)) return refused([USER_NAME_TAKEN]);
    const added = { id: newId('usr'), changes: withDefaults(created.dto) };
    known.set(key!, added);
    return { kind: 'created', user: added };
  }
  if (faults) return refused(faults);
  if (mode === 'create' || isRepeated) return refused([EMAIL_TAKEN]);
  // The first row with this email that is not refused, so the user is stored and unchanged.
  user.changes = changesOf(parsedUser(user.stored!), fields!);
  return { kind: user.changes ? 'updated' : 'unchanged', user };
}

const refused = (faults: Fault[]): RowOutcome => ({ kind: 'refused', faults });

/** The email of a row with faults, if the email itself is valid. A thousand other faults keep validation from it. */
function validEmailIn(row: unknown, faults: readonly Fault[]): string | undefined {
  if (faults.some(({ field }) => field === 'email')) return undefined;
  const { email } = Object(row) as { email?: unknown };
  return typeof email === 'string' ? email.trim() : undefined;
}
