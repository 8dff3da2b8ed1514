import type { NewToken } from '../../../client/index.ts';
import { baseUrl } from '../../router/address.ts';
import { SecretDialog } from '../../ui/secret-dialog.tsx';

/** Shows the value of a new token. */
export const NewTokenDialog = ({ token, onClose }: { token: NewToken; onClose(): void }) => (
  <SecretDialog
    title={`Token “${token.name}” ${token.rotatedFrom ? 'rotated' : 'created'}`}
    label="Token"
    value={token.token}
    example={{ label: 'Try it', text: curlOf(token), rows: 3 }}
    ifLost="create another one, then revoke this one"
    onClose={onClose}
  />
);

/** A command that the token's scopes allow. */
function curlOf({ scopes, token }: NewToken): string {
  const canReadUsers = scopes.includes('users:read') || scopes.includes('admin');
  const path = canReadUsers ? 'users' : 'tokens/current';
  return `curl '${baseUrl.replaceAll("'", '%27')}/api/v1/${path}' -H 'Authorization: Bearer ${token}'`;
}
