import { countOf, titleOf } from '../ui/format.ts';
import { directoryLabelOf, directoryValueOf } from '../users/user/directory.ts';
import { type Entry, memberIdOf, recordIn } from './sentence.ts';

/** A field before and after the event. A value is undefined if it is absent or unknown. */
export interface Change {
  /** Its path, as in `metadata.plan`. */
  field: string;
  before: unknown;
  after: unknown;
}

/** Fields that every change sets, or that the entry shows elsewhere. */
const UNREMARKABLE = ['id', 'version', 'createdAt', 'updatedAt'];

/** What null means for fields of tokens. For others it means that there is no value. */
export const NULLS: Record<string, string> = {
  rateLimit: 'the limit of the service',
  allowedNetworks: 'from anywhere',
};

/** The changed fields of an update; otherwise all fields, before a deletion or after the event. */
export function changesOf(entry: Entry): Change[] {
  const { type, target, data } = entry;
  const member = memberIdOf(entry);
  if (member !== undefined) {
    const isAdded = type === 'group.member_added';
    const [before, after] = isAdded ? [undefined, member] : [member, undefined];
    return [{ field: 'user', before, after }];
  }
  const record = recordIn(data, target.type) ?? {};
  const { directory, ...previous } = recordIn(data, 'previous') ?? {};
  const isDeleted = type.endsWith('.deleted');
  const before = valuesOf(data?.previous ? { ...record, ...previous } : isDeleted ? record : {});
  const after = valuesOf(isDeleted ? {} : record);
  const fields = [...new Set([...before.keys(), ...after.keys()])]
    .map((field) => ({ field, before: before.get(field), after: after.get(field) }))
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
  return [...fields, ...Object.entries(directory ?? {}).map(([name, value]) => ofDirectory(name, value))];
}

/** An event has the former values of a directory's attributes alone. */
const ofDirectory = (name: string, value: unknown): Change => ({
  field: `${DIRECTORY}${name}`,
  before: value === null ? undefined : directoryValueOf(name, value),
  after: undefined,
});

const DIRECTORY = 'directory.';

export const isOfDirectory = ({ field }: Pick<Change, 'field'>) => field.startsWith(DIRECTORY);

const TITLES: Record<string, string> = {
  active: 'State',
  enabled: 'State',
  suspended: 'State',
  rateLimit: 'Requests a minute',
  types: 'Events',
  url: 'URL',
  payload: 'Content',
  ordering: 'Order',
  expiresIn: 'Lasts',
  rotatedFrom: 'Replaces',
  parentId: 'Issued by',
};

export function titleOfChange({ field }: Pick<Change, 'field'>): string {
  if (isOfDirectory({ field })) return `Directory: ${directoryLabelOf(field.slice(DIRECTORY.length))}`;
  return TITLES[field] ?? titleOf(field);
}

function valuesOf({ metadata, ...fields }: Record<string, unknown>): Map<string, unknown> {
  const outer = Object.entries(fields).filter(
    ([field, value]) =>
      !UNREMARKABLE.includes(field) && (value ?? (field in NULLS ? null : undefined)) !== undefined,
  );
  const inner = Object.entries(metadata ?? {}).map(([key, value]) => [`metadata.${key}`, value] as const);
  return new Map([...outer, ...inner]);
}

const UNITS: Record<string, string> = { d: 'day', h: 'hour', m: 'minute', s: 'second' };

/** `90d` is “90 days”. */
export function durationOf(value: string): string {
  const [, count, unit] = /^(\d+)([dhms])$/.exec(value) ?? [];
  return count === undefined ? value : countOf(Number(count), UNITS[unit]);
}
