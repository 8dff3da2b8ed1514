import type { NewToken } from '../../../client/index.ts';
import type { Scope } from '../../session/may.tsx';
import { useSession } from '../../session/session.ts';
import { InputField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { DAYS, ExpiryField, useExpiry } from '../token/expiry-field.tsx';

/** The scopes and what they allow. */
const SCOPES: [Scope, string][] = [
  ['users:read', 'Read, list and search users.'],
  ['users:write', 'Create users and change their name, email, role and metadata.'],
  ['users:delete', 'Delete users.'],
  ['admin', 'Full access: all of the above, plus creating and revoking API tokens.'],
];

interface Props {
  onClose(): void;
  onCreated(token: NewToken): void;
}

export function CreateTokenDialog({ onClose, onCreated }: Props) {
  const { client } = useSession();
  const expiry = useExpiry('90');
  const create = async (data: FormData) => {
    const expiresIn = expiry.expiresIn();
    const rateLimit = String(data.get('rateLimit')).trim();
    const token = await client.tokens.create({
      name: String(data.get('name')),
      scopes: data.getAll('scopes') as Scope[],
      expiresIn,
      rateLimit: rateLimit === '' ? undefined : Number(rateLimit),
    });
    onCreated(token);
  };

  return (
    <FormDialog
      title="Create an API token"
      action="Create token"
      doing="Creating …"
      fields={['name', 'scopes', 'expiresIn', 'rateLimit']}
      onSubmit={create}
      onClose={onClose}
    >
      {(errorAt) => (
        <>
          <InputField
            label="Name"
            hint="What is it for? The name helps you find it again."
            error={errorAt('name')}
            name="name"
            autofocus
          />

          <fieldset class="field" aria-describedby="scopes-error">
            <legend>Scopes</legend>
            {SCOPES.map(([scope, description], i) => (
              <label key={scope} class="check">
                <input
                  type="checkbox"
                  name="scopes"
                  value={scope}
                  aria-labelledby={`${scope}-name`}
                  aria-describedby={`${scope}-description`}
                  aria-invalid={i === 0 && errorAt('scopes') ? true : undefined}
                />
                <span>
                  <code id={`${scope}-name`}>{scope}</code>
                  <span class="quiet sub" id={`${scope}-description`}>
                    {description}
                  </span>
                </span>
              </label>
            ))}
            <p class="error" id="scopes-error" role="alert">
              {errorAt('scopes') && 'Select at least one scope.'}
            </p>
          </fieldset>

          <ExpiryField
            label="Expiry"
            expiry={expiry}
            choices={[...DAYS, ['never', 'Never']]}
            error={errorAt('expiresIn')}
          />
          <div role="status">
            {expiry.choice === 'never' && (
              <p class="banner warning">
                A token that never expires stays valid until it is revoked, even if it has leaked unnoticed.
                Set an expiry if you can.
              </p>
            )}
          </div>

          <InputField
            label="Requests a minute"
            hint="Optional. Leave it empty to use the limit of the service."
            error={errorAt('rateLimit')}
            name="rateLimit"
            inputMode="numeric"
          />
        </>
      )}
    </FormDialog>
  );
}
