import { type Scope } from '../../session/may.tsx';
import { Icon } from '../../ui/icon.tsx';
import { LocalFaults } from '../../ui/faults.ts';
import { InputField } from '../../ui/field.tsx';

/** The scopes and what they allow. */
const SCOPES: Record<Scope, string> = {
  'users:read': 'Read, list and search users.',
  'users:write': 'Create users and change their name, email, role and metadata.',
  'users:delete': 'Delete users.',
  admin: 'Full access: all that the other scopes allow, plus creating, changing and revoking API tokens.',
};

interface ScopesProps {
  /** Those of a token, which are all checked at first; without them all there are, unchecked. */
  scopes?: Scope[];
  error?: string;
  onChange?(scope: Scope, isChecked: boolean): void;
}

/** Boxes whose checked ones are in the form's data. */
export const ScopesField = ({ scopes, error, onChange }: ScopesProps) => (
  <fieldset class="field" aria-describedby="scopes-error">
    <legend>Scopes</legend>
    {(scopes ?? (Object.keys(SCOPES) as Scope[])).map((scope, i) => (
      <label key={scope} class="check">
        <input
          type="checkbox"
          name="scopes"
          value={scope}
          defaultChecked={scopes !== undefined}
          aria-labelledby={`${scope}-name`}
          aria-describedby={`${scope}-description`}
          aria-invalid={i === 0 && error ? true : undefined}
          onChange={(event) => onChange?.(scope, event.currentTarget.checked)}
        />
        <span>
          <code id={`${scope}-name`}>{scope}</code> {scope === 'admin' && <Icon name="warning" />}
          <span class="quiet sub" id={`${scope}-description`}>
            {SCOPES[scope]}
          </span>
        </span>
      </label>
    ))}
    <p class="error" id="scopes-error" role="alert">
      {error}
    </p>
  </fieldset>
);

export const RateLimitField = ({ initial, error }: { initial?: number | null; error?: string }) => (
  <InputField
    label="Requests a minute"
    hint="Optional. Leave it empty to use the limit of the service."
    error={error}
    name="rateLimit"
    inputMode="numeric"
    defaultValue={String(initial ?? '')}
  />
);

/** The entered limit; null is that of the service. Throws a fault for a text that JSON would send as null, too. */
export function rateLimitIn(data: FormData): number | null {
  const text = String(data.get('rateLimit')).trim();
  if (text === '') return null;
  if (Number.isInteger(Number(text))) return Number(text);
  throw new LocalFaults([{ field: 'rateLimit', message: 'must be a whole number' }]);
}
