import { useState } from 'preact/hooks';
import type { Token, UpdateToken } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { hasStatus } from '../../ui/faults.ts';
import { InputField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { isLastAdmin } from './last-admin.ts';
import { LastAdminBanner } from './last-admin-banner.tsx';
import { NetworksField, useNetworks } from './networks-field.tsx';
import { RateLimitField, rateLimitIn, ScopesField } from './token-fields.tsx';

const OWN_ADMIN = 'You are signed in with this token. The dashboard requires admin, so saving signs you out.';

interface Props {
  token: Token;
  onClose(): void;
  onDone(notice: string): void;
  /** Somebody else has ended the token. */
  onEnded(): void;
}

export function EditTokenDialog({ token, onClose, onDone, onEnded }: Props) {
  const { client, token: current, end, update } = useSession();
  const isCurrent = token.id === current.id;
  const [scopes, setScopes] = useState(token.scopes);
  const networks = useNetworks(token.allowedNetworks);
  const [isAskingAgain, setIsAskingAgain] = useState(false);
  const losesAdmin = token.scopes.includes('admin') && !scopes.includes('admin');
  const save = async (data: FormData) => {
    const changes = changesOf(token, {
      name: String(data.get('name')).trim(),
      scopes,
      rateLimit: rateLimitIn(data),
      allowedNetworks: networks.allowedNetworks(),
    });
    if (Object.keys(changes).length === 0) return onDone('No changes were made');
    if (losesAdmin && !isAskingAgain && (await isLastAdmin(client, token))) return setIsAskingAgain(true);
    const saved = await client.tokens.update(token.id, changes).catch((error: unknown) => {
      if (hasStatus(error, 404) || hasStatus(error, 409)) onEnded();
      throw error;
    });
    if (isCurrent && losesAdmin) return end('narrowed');
    if (isCurrent) update(saved);
    onDone(`Saved ${saved.name}`);
  };

  return (
    <FormDialog
      title={`Edit “${token.name}”`}
      action={isAskingAgain ? 'Take admin from the last admin token' : 'Save changes'}
      doing="Saving …"
      fields={['name', 'scopes', 'rateLimit', 'allowedNetworks']}
      onSubmit={save}
      onClose={onClose}
    >
      {(errorAt, errorsBelow) => (
        <>
          <InputField label="Name" error={errorAt('name')} name="name" autofocus defaultValue={token.name} />
          <ScopesField
            scopes={token.scopes}
            error={errorAt('scopes') && `Scopes ${errorAt('scopes')}.`}
            onChange={(scope, isChecked) => {
              setScopes(token.scopes.filter((each) => (each === scope ? isChecked : scopes.includes(each))));
              setIsAskingAgain(false);
            }}
          />
          <div role="status">
            {scopes.length < token.scopes.length && (
              <p class="banner warning">
                A scope that you take away cannot be given back. To have it again, create another token.{' '}
                {isCurrent && losesAdmin && OWN_ADMIN}
              </p>
            )}
          </div>
          <RateLimitField initial={token.rateLimit} error={errorAt('rateLimit')} />
          <NetworksField
            networks={networks}
            error={errorAt('allowedNetworks')}
            faults={errorsBelow('allowedNetworks')}
          />
          <div role="status">
            {isCurrent && networks.isLimitedAnew && (
              <p class="banner warning">
                You are signed in with this token. If you are in none of these networks, saving signs you out,
                and only another admin token can undo it.
              </p>
            )}
          </div>
          {isAskingAgain && (
            <LastAdminBanner>Without admin, nobody can sign in here or manage tokens.</LastAdminBanner>
          )}
        </>
      )}
    </FormDialog>
  );
}

/** The values that differ from those of the token. */
const changesOf = (token: Token, values: Required<UpdateToken>): UpdateToken =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([field, value]) => JSON.stringify(value) !== JSON.stringify(token[field as keyof UpdateToken]),
    ),
  );
