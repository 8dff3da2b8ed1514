import { targetOfHeader } from '../../../csv/proposals.ts';
import { keyOfTarget, type Target } from '../../../csv/targets.ts';
import { countOf } from '../../ui/format.ts';
import { USER_FIELDS } from '../user/fields.tsx';
import { type UserValues, WRITABLE_FIELDS } from '../user/values.ts';
import type { ImportRules } from './run-import.ts';
import { KEY } from './targets.ts';

/** The fields in the order in which a person would look for them. */
const FIELDS = ['name', 'email', 'role', 'active', 'externalId'] as const satisfies (keyof UserValues)[];

/** What a column can become, by the values of the choice. */
export const CHOICES: [value: string, label: string][] = [
  ...FIELDS.map((field): [string, string] => [field, USER_FIELDS[field].title]),
  [KEY, 'Metadata key'],
  ['metadata', 'Metadata as JSON'],
  ['', 'Left out'],
];

/** The name of a target, or of the field of a fault. */
export function labelOf(target: string): string {
  const key = keyOfTarget(target);
  if (key !== undefined) return `Metadata “${key}”`;
  const field = WRITABLE_FIELDS.find((name) => name === target);
  return field ? USER_FIELDS[field].title : 'The row';
}

/** What a person can choose for a row whose user exists. */
export const RULES = {
  create: 'Refuse the row',
  email: 'Update the user with the same email',
  externalId: 'Update the user with the same external ID (may change the email)',
};

export type Rule = keyof typeof RULES;

export const rulesOf = (rule: Rule): ImportRules =>
  rule === 'create' ? { mode: 'create' } : { mode: 'upsert', by: rule };

/** What columns become, in a few words. */
export function summaryOf(targets: Target[]): string {
  const keys = targets.filter((target) => keyOfTarget(target) !== undefined).length;
  const left = targets.filter((target) => target === undefined).length;
  const labels = CHOICES.filter(([value]) => value && targets.includes(value)).map(([, label]) => label);
  if (keys > 0) labels.push(countOf(keys, 'metadata key'));
  return `${labels.join(', ') || 'Nothing'}${left > 0 ? ` · ${countOf(left, 'column')} left out` : ''}`;
}

/** Says which columns were recognized, by their names or by their values. */
export function recognitionOf(header: string[], proposed: Target[]): string {
  const count = proposed.filter((target) => target !== undefined).length;
  if (count === 0) return 'No column was recognized. Choose what each of them becomes.';
  const byValues = header.filter(
    (name, at) => proposed[at] !== undefined && targetOfHeader(name) !== proposed[at],
  );
  const how =
    byValues.length > 0 ? `, ${byValues.map((name) => `“${name}”`).join(' and ')} by the values` : '';
  if (count === header.length)
    return count === 1 ? `The column was recognized${how}.` : `All ${count} columns were recognized${how}.`;
  const were = count === 1 ? 'was' : 'were';
  return `${count} of ${header.length} columns ${were} recognized${how}. What is left out is not imported.`;
}

const UNITS = ['bytes', 'KB', 'MB', 'GB'];

/** “850 bytes”, “12 KB”, “1.3 MB” */
export function sizeOf(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  const size = bytes / 1_000 ** power;
  return `${power > 0 && size < 10 ? size.toFixed(1) : Math.round(size)} ${UNITS[power]}`;
}
