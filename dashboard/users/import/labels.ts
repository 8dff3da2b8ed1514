import { keyOfTarget } from '../../../csv/targets.ts';
import { USER_FIELDS } from '../user/fields.tsx';
import { WRITABLE_FIELDS } from '../user/values.ts';
import { KEY } from './targets.ts';

const labelOfField = (field: (typeof WRITABLE_FIELDS)[number]) => USER_FIELDS[field].input.label;

/** What a column can become, by the values of the choice. */
export const CHOICES: [value: string, label: string][] = [
  ['', 'Left out'],
  ...WRITABLE_FIELDS.map((field): [string, string] => [
    field,
    field === 'metadata' ? 'Metadata as JSON' : labelOfField(field),
  ]),
  [KEY, 'Metadata key'],
];

/** The name of a target, or of the field of a fault. */
export function labelOf(target: string): string {
  const key = keyOfTarget(target);
  if (key !== undefined) return `Metadata: ${key}`;
  const field = WRITABLE_FIELDS.find((name) => name === target);
  return field ? labelOfField(field) : 'Row';
}
