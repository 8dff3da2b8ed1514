import { useState } from 'preact/hooks';
import type { NewToken } from '../../../client/index.ts';
import type { Scope } from '../../session/may.tsx';
import { useSession } from '../../session/session.ts';
import { InputField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ExpiryField, useExpiry } from '../token/expiry-field.tsx';
import { CUSTOM, DAYS, type Life } from '../token/lives.ts';
import { NetworksField, useNetworks } from '../token/networks-field.tsx';
import { RateLimitField, rateLimitIn, ScopesField } from '../token/token-fields.tsx';

const LIVES: Life[] = [...DAYS, CUSTOM, ['never', 'Never', Infinity]];

interface Props {
  onClose(): void;
  onCreated(token: NewToken): void;
}

export function CreateTokenDialog({ onClose, onCreated }: Props) {
  const { client } = useSession();
  const expiry = useExpiry('90', LIVES);
  const [isAdmin, setIsAdmin] = useState(false);
  const networks = useNetworks(null);
  const create = async (data: FormData) => {
    const expiresIn = expiry.expiresIn();
    const token = await client.tokens.create({
      name: String(data.get('name')),
      scopes: data.getAll('scopes') as Scope[],
      expiresIn,
      rateLimit: rateLimitIn(data) ?? undefined,
      allowedNetworks: networks.allowedNetworks(),
    });
    onCreated(token);
  };

  return (
    <FormDialog
      title="Create an API token"
      action="Create token"
      doing="Creating …"
      fields={['name', 'scopes', 'expiresIn', 'rateLimit', 'allowedNetworks']}
      onSubmit={create}
      onClose={onClose}
    >
      {(errorAt, errorsBelow) => (
        <>
          <InputField
            label="Name"
            hint="What is it for? The name helps you find it again."
            error={errorAt('name')}
            name="name"
            autofocus
          />

          <ScopesField
            error={errorAt('scopes') && 'Select at least one scope.'}
            onChange={(scope, isChecked) => scope === 'admin' && setIsAdmin(isChecked)}
          />
          <div role="status">
            {isAdmin && (
              <p class="banner danger">
                Whoever has this token can change and delete everything here, and create more tokens. Choose
                narrower scopes if they are enough.
              </p>
            )}
          </div>

          <ExpiryField label="Expiry" expiry={expiry} error={errorAt('expiresIn')} />
          <div role="status">
            {expiry.choice === 'never' && (
              <p class="banner warning">
                A token that never expires stays valid until it is revoked, even if it has leaked unnoticed.
                Set an expiry if you can.
              </p>
            )}
          </div>

          <RateLimitField error={errorAt('rateLimit')} />
          <NetworksField
            networks={networks}
            error={errorAt('allowedNetworks')}
            faults={errorsBelow('allowedNetworks')}
          />
        </>
      )}
    </FormDialog>
  );
}
