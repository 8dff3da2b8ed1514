import { newId } from '../../database/id';
import type { Fault } from '../../http/fault';
import { validate } from '../../http/input/validate';
import { EMAIL_TAKEN } from '../user/email-taken';
import { changesOf, withDefaults } from '../user/user.changes';
import type { User, UserFields } from '../user/user.entity';
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

/** The user with the email of a row. */
export interface KnownUser {
  id: string;
  /** The user as it is stored; undefined if it is new. */
  stored?: User;
  /** Its fields as the rows make them. */
  current: UserFields;
}

/** The outcome of a row. */
export type Decision =
  { outcome: 'created' | 'updated' | 'unchanged'; user: KnownUser } | { outcome: 'refused'; faults: Fault[] };

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
 * Decides the outcome of each row, and records new and changed users in `known`, by email key. If an email occurs twice, the first
 * row that is not refused gets it.
 */
export function decide(rows: readonly ValidatedRow[], known: Map<string, KnownUser>, mode: Mode): Decision[] {
  const seen = new Set<string>();
  return rows.map((row) => {
    const decision = decideRow(row, known, mode, row.key !== undefined && seen.has(row.key));
    if (decision.outcome !== 'refused') seen.add(row.key!);
    return decision;
  });
}

function decideRow(
  { row, key, fields, faults }: ValidatedRow,
  known: Map<string, KnownUser>,
  mode: Mode,
  isRepeated: boolean,
): Decision {
  const user = key === undefined ? undefined : known.get(key);
  if (!user) {
    const created =
      mode === 'create' ? { dto: fields as CreateUserDto, faults } : validate(CreateUserDto, row);
    if (created.faults) return refused(created.faults);
    const added = { id: newId('usr'), current: withDefaults(created.dto) };
    known.set(key!, added);
    return { outcome: 'created', user: added };
  }
  if (faults) return refused(faults);
  if (mode === 'create' || isRepeated) return refused([EMAIL_TAKEN]);
  const changes = changesOf(user.current, fields!);
  if (!changes) return { outcome: 'unchanged', user };
  user.current = { ...user.current, ...changes };
  return { outcome: 'updated', user };
}

const refused = (faults: Fault[]): Decision => ({ outcome: 'refused', faults });

/** The email of a row with faults, if it is not one of them. */
function validEmailIn(row: unknown, faults: readonly Fault[]): string | undefined {
  if (faults.some(({ field }) => field === 'email')) return undefined;
  return (Object(row) as { email?: string }).email?.trim();
}
