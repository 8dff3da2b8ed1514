import { newId } from '../../database/id';
import type { Fault } from '../../http/fault';
import { judge } from '../../http/input/judge';
import { withDefaults } from '../user-columns';
import type { User } from '../user.entity';
import { emailKey, type WritableFields } from '../user.fields';
import { EMAIL_TAKEN } from '../users.faults';
import { CreateUserDto, UpdateUserDto } from '../users.dto';
import { changedFields } from '../writes/user-decisions';

/** Whether the email of an existing user is taken, or the row changes that user. */
export const MODES = ['create', 'upsert'] as const;
export type Mode = (typeof MODES)[number];

/** A row, judged as the API judges a request. */
export interface JudgedRow {
  row: unknown;
  /** The key of its email; undefined if it has no valid one. */
  key?: string;
  fields?: Partial<WritableFields>;
  faults?: Fault[];
}

/** The user with the email of a row. */
export interface KnownUser {
  id: string;
  /** The user as it is stored; undefined if it is new. */
  stored?: User;
  /** The user as the rows make it. */
  person: WritableFields;
}

/** What is to become of a row. */
export type Decision =
  { outcome: 'created' | 'updated' | 'unchanged'; user: KnownUser } | { outcome: 'refused'; faults: Fault[] };

/** With `upsert` a row may omit the fields that should not change, except the email, which identifies the user. */
export function judgeRow(row: unknown, mode: Mode): JudgedRow {
  const { dto, faults } = judge<Partial<WritableFields>>(
    mode === 'upsert' ? UpdateUserDto : CreateUserDto,
    row,
  );
  const email = dto ? dto.email : validEmailIn(row, faults);
  return { row, key: email === undefined ? undefined : emailKey(email), fields: dto, faults };
}

/** The distinct keys of the rows. */
export const keysOf = (rows: readonly JudgedRow[]): string[] => [
  ...new Set(rows.flatMap(({ key }) => key ?? [])),
];

/**
 * Decides what is to become of each row, and records new and changed users in `known`, by email key. If an email occurs twice,
 * the first row that is not refused has it.
 */
export function decide(rows: readonly JudgedRow[], known: Map<string, KnownUser>, mode: Mode): Decision[] {
  const seen = new Set<string>();
  return rows.map((row) => {
    const decision = decideRow(row, known, mode, row.key !== undefined && seen.has(row.key));
    if (decision.outcome !== 'refused') seen.add(row.key!);
    return decision;
  });
}

function decideRow(
  { row, key, fields, faults }: JudgedRow,
  known: Map<string, KnownUser>,
  mode: Mode,
  isRepeated: boolean,
): Decision {
  const user = key === undefined ? undefined : known.get(key);
  if (!user) {
    const created = mode === 'create' ? { dto: fields as CreateUserDto, faults } : judge(CreateUserDto, row);
    if (created.faults) return refused(created.faults);
    const added = { id: newId('usr'), person: withDefaults(created.dto) };
    known.set(key!, added);
    return { outcome: 'created', user: added };
  }
  if (faults) return refused(faults);
  if (mode === 'create' || isRepeated) return refused([EMAIL_TAKEN]);
  const changed = changedFields(user.person, fields!);
  if (changed.length === 0) return { outcome: 'unchanged', user };
  const changes = Object.fromEntries(changed.map((name) => [name, fields![name]]));
  user.person = { ...user.person, ...changes };
  return { outcome: 'updated', user };
}

const refused = (faults: Fault[]): Decision => ({ outcome: 'refused', faults });

/** The email of a row with faults, if it is not one of them. */
function validEmailIn(row: unknown, faults: readonly Fault[]): string | undefined {
  if (faults.some(({ field }) => field === 'email')) return undefined;
  return (Object(row) as { email?: string }).email?.trim();
}
