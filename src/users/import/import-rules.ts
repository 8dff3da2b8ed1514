import type { Fault } from '../../http/fault';
import { judge as judgeInput } from '../../http/input/judge';
import { withDefaults } from '../user-columns';
import { emailKey, USER_FIELDS, WRITABLE_NAMES, type WritableFields } from '../user.fields';
import { CreateUserDto, UpdateUserDto } from '../users.dto';

/** What becomes of a row: a list of faults is why it is refused. */
export type Outcome = 'created' | 'updated' | 'unchanged' | Fault[];

/** A user whom rows of a batch are about. */
export interface Known {
  /** Undefined: new in this batch. */
  id?: string;
  person: WritableFields;
  /** Whether this batch has changed somebody who was there. */
  changed?: boolean;
}

type Fields = Partial<WritableFields> & { email: string };

/** A row with what the rules of the API say of it. */
export interface Judged {
  row: unknown;
  result: Fields | Fault[];
}

/**
 * Judges a row by the rules of the API. What the service makes itself, and an export shows, is ignored. With `update` a
 * row may leave out what is not to change, but for the email, by which its user is found.
 */
export function judge(row: unknown, update: boolean): Judged {
  const given = withoutOurs(row);
  const { dto, faults } = judgeInput<Partial<WritableFields>>(update ? UpdateUserDto : CreateUserDto, given);
  if (faults) return { row: given, result: faults };
  if (dto.email === undefined) {
    return { row: given, result: [{ field: 'email', code: 'required', message: 'is required' }] };
  }
  return { row: given, result: dto as Fields };
}

/** Decides row by row, and notes in `known`, by email key, who is new and who is changed. */
export function decide(rows: Judged[], known: Map<string, Known>, update: boolean): Outcome[] {
  return rows.map(({ row, result }) => {
    if (Array.isArray(result)) return result;
    const there = known.get(emailKey(result.email));
    if (!there) {
      const { dto, faults } = update ? judgeInput(CreateUserDto, row) : { dto: result as CreateUserDto };
      if (faults) return faults;
      known.set(emailKey(dto.email), { person: withDefaults(dto) });
      return 'created';
    }
    const wanted = update ? { ...there.person, ...present(result) } : withDefaults(result);
    if (isSame(there.person, wanted as WritableFields)) return 'unchanged';
    if (!update) return [TAKEN];
    there.person = wanted as WritableFields;
    there.changed = there.id !== undefined;
    return 'updated';
  });
}

/** The emails of these rows, as they are compared; each once, in one order, so that two imports do not deadlock. */
export const keysOf = (rows: Judged[]): string[] =>
  [...new Set(rows.flatMap(({ result }) => (Array.isArray(result) ? [] : emailKey(result.email))))].sort();

const TAKEN: Fault = {
  field: 'email',
  code: 'taken',
  message: 'is already used by another user of the organization',
};

/** The row without the fields that the service sets. */
function withoutOurs(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row;
  const isOurs = (name: string) =>
    Object.hasOwn(USER_FIELDS, name) && !WRITABLE_NAMES.includes(name as never);
  return Object.fromEntries(Object.entries(row).filter(([name]) => !isOurs(name)));
}

const present = (fields: Partial<WritableFields>): Partial<WritableFields> =>
  Object.fromEntries(
    WRITABLE_NAMES.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
  );

// The order of keys is kept, so another order is another value.
const isSame = (a: WritableFields, b: WritableFields) =>
  WRITABLE_NAMES.every((name) =>
    USER_FIELDS[name].kind === 'json'
      ? JSON.stringify(a[name]) === JSON.stringify(b[name])
      : a[name] === b[name],
  );
