import { formatCount, titleOf } from '../ui/format.ts';
import { directoryLabelOf, directoryValueOf } from '../users/user/directory.ts';
import { type Entry, recordIn } from './sentence.ts';

/** A field before and after the event. A value is undefined if it is absent or unknown. */
export interface Change {
  /** Its path, as in `metadata.plan`. */
  field: string;
  before: unknown;
  after: unknown;
}

/** Fields that every change sets, or that the entry shows elsewhere. */
const UNREMARKABLE = ['id', 'version', 'createdAt', 'updatedAt'];

/** The changed fields of an update; otherwise all fields, before a deletion or after the event. */
export function changesOf({ type, target, data }: Entry): Change[] {
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

/** What stands for a value that the change does not have. */
export const absentIn = ({ field }: Change, side: 'before' | 'after') =>
  side === 'after' && isOfDirectory({ field }) ? '–' : 'none';

export const isOfDirectory = ({ field }: Pick<Change, 'field'>) => field.startsWith(DIRECTORY);

export function titleOfChange({ field }: Change): string {
  if (isOfDirectory({ field })) return `Directory: ${directoryLabelOf(field.slice(DIRECTORY.length))}`;
  return field === 'rateLimit' ? 'Requests a minute' : titleOf(field);
}

function valuesOf({ metadata, ...fields }: Record<string, unknown>): Map<string, unknown> {
  const outer = Object.entries(fields)
    .map(([field, value]) => [field, inWords(value ?? NULLS[field])] as const)
    .filter(([field, value]) => !UNREMARKABLE.includes(field) && value !== undefined);
  const inner = Object.entries(metadata ?? {}).map(([key, value]) => [`metadata.${key}`, value] as const);
  return new Map([...outer, ...inner]);
}

/** What null means for fields of tokens. For others it means that there is no value. */
const NULLS: Record<string, string> = {
  rateLimit: 'the limit of the service',
  allowedNetworks: 'from anywhere',
};

/** A list as lines, and a number as it is shown elsewhere. */
function inWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.join('\n');
  return typeof value === 'number' ? formatCount(value) : value;
}
