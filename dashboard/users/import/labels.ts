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
