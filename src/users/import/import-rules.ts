import type { Fault } from '../../http/fault';
import { judge } from '../../http/input/judge';
import { withDefaults } from '../user-columns';
import { changedFields } from '../writes/user-decisions';
import type { User } from '../user.entity';
import { EMAIL_TAKEN } from '../users.faults';
import { emailKey, USER_FIELDS, WRITABLE_NAMES, type WritableFields } from '../user.fields';
import { CreateUserDto, UpdateUserDto } from '../users.dto';

/** What the import does with a row; a refused row has a list of faults. */
export type Outcome = 'created' | 'updated' | 'unchanged' | Fault[];

/** An existing or new user with the email of a row in the batch. */
export interface KnownUser {
  /** The user as it is stored; undefined if it is new in this batch. */
  stored?: User;
  person: WritableFields;
}

type Fields = Partial<WritableFields> & { email: string };

/** A row and the result of its validation. */
export interface ValidatedRow {
  row: unknown;
  result: Fields | Fault[];
}

/**
 * Validates a row as the API does. Fields that the service sets are ignored, because an export contains them. With
 * `update` a row may omit the fields that should not change, except the email, which identifies the user.
 */
export function validateRow(row: unknown, update: boolean): ValidatedRow {
  const input = withoutServiceFields(row);
  const { dto, faults } = judge<Partial<WritableFields>>(update ? UpdateUserDto : CreateUserDto, input);
  if (faults) return { row: input, result: faults };
  if (dto.email === undefined) {
    return { row: input, result: [{ field: 'email', code: 'required', message: 'is required' }] };
  }
  return { row: input, result: dto as Fields };
}

/** Decides the outcome of each row, and records new and changed users in `known`, by email key. */
export function decideOutcomes(
  rows: ValidatedRow[],
  known: Map<string, KnownUser>,
  update: boolean,
): Outcome[] {
  return rows.map(({ row, result }) => {
    if (Array.isArray(result)) return result;
    const user = known.get(emailKey(result.email));
    if (!user) {
      const { dto, faults } = update ? judge(CreateUserDto, row) : { dto: result as CreateUserDto };
      if (faults) return faults;
      known.set(emailKey(dto.email), { person: withDefaults(dto) });
      return 'created';
    }
    const target = update ? { ...user.person, ...withoutUndefined(result) } : withDefaults(result);
    if (isSame(user.person, target as WritableFields)) return 'unchanged';
    if (!update) return [EMAIL_TAKEN];
    user.person = target as WritableFields;
    return 'updated';
  });
}

/** The distinct email keys of the valid rows, in a fixed order, so that two imports do not deadlock. */
export const emailKeysOf = (rows: ValidatedRow[]): string[] =>
  [...new Set(rows.flatMap(({ result }) => (Array.isArray(result) ? [] : emailKey(result.email))))].sort();

/** The row without the fields that the service sets. */
function withoutServiceFields(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row;
  const isServiceField = (name: string) =>
    Object.hasOwn(USER_FIELDS, name) && !WRITABLE_NAMES.includes(name as never);
  return Object.fromEntries(Object.entries(row).filter(([name]) => !isServiceField(name)));
}

const withoutUndefined = (fields: Partial<WritableFields>): Partial<WritableFields> =>
  Object.fromEntries(
    WRITABLE_NAMES.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
  );

const isSame = (a: WritableFields, b: WritableFields) => changedFields(a, b).length === 0;
