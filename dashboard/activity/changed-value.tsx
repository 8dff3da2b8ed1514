import { CodeChips } from '../ui/code-chips.tsx';
import { formatCount, titleOf } from '../ui/format.ts';
import { FieldValue } from '../users/user/field-value.tsx';
import { durationOf, NULLS } from './changes.ts';
import { UserNamed } from './named.tsx';
import { shortened } from './sentence.ts';
import { WholeTime } from './times.tsx';
import type { Names } from './use-names.ts';
import { ORDERINGS, PAYLOADS } from './webhook-values.ts';

interface Props {
  field: string;
  value: unknown;
  names: Names;
}

/** A value of an entry, as the pages show it. */
export function ChangedValue({ field, value, names }: Props) {
  if (value === undefined) return <span class="quiet">–</span>;
  if (value === null && field in NULLS) return <span class="quiet">{NULLS[field]}</span>;
  if (field in STATES && typeof value === 'boolean') return <>{STATES[field][value ? 0 : 1]}</>;
  if (LISTS.includes(field) && Array.isArray(value))
    return <CodeChips names={value.map((each) => (each === '*' ? 'all' : String(each)))} />;
  if (field in CHOICES && String(value) in CHOICES[field]) return <>{CHOICES[field][String(value)]}</>;
  if (WORDS.includes(field) && typeof value === 'string' && value) return <>{titleOf(value)}</>;
  if (field === 'expiresIn' && typeof value === 'string') return <>{durationOf(value)}</>;
  if (field === 'createdBy') return <CreatedBy value={value} />;
  if (field.includes('.') || typeof value === 'boolean') return <FieldValue field={field} value={value} />;
  if (typeof value === 'number') return <>{formatCount(value)}</>;
  if (typeof value !== 'string') return <FieldValue field={field} value={value} />;
  if (TIME.test(value)) return <WholeTime iso={value} />;
  if (field === 'user') return <UserNamed id={value} names={names} />;
  if (CODES.includes(field)) return <code title={value}>{ID.test(value) ? shortened(value) : value}</code>;
  return <FieldValue field={field} value={value} />;
}

const STATES: Record<string, [ifTrue: string, ifFalse: string]> = {
  active: ['Active', 'Inactive'],
  enabled: ['Enabled', 'Disabled'],
  suspended: ['Suspended', 'Active'],
};
const LISTS = ['scopes', 'types', 'allowedNetworks'];
const CHOICES: Record<string, Record<string, string>> = { payload: PAYLOADS, ordering: ORDERINGS };
const WORDS = ['state', 'disabledReason'];
const CODES = ['hint', 'rotatedFrom', 'parentId', 'url'];

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const ID = /^(usr|grp|tok|whk|org)_[0-9a-z]{26}$/;

/** The person who has signed in, or the program that an issuer vouches for. */
function CreatedBy({ value }: { value: unknown }) {
  const { name, subject, issuer } = value as Record<string, unknown>;
  return (
    <>
      <bdi>{String(name ?? subject)}</bdi> <span class="quiet">{typeof issuer === 'string' && issuer}</span>
    </>
  );
}
