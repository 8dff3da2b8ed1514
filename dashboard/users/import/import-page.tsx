import { may } from '../../session/may.tsx';
import { useSession } from '../../session/session.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { ImportSteps } from './import-steps.tsx';

const USERS = { path: 'users', title: 'Users' };

/** Imports a CSV file: choose the file, say what its columns become, see what would happen, import it. */
export default function ImportPage() {
  const { token } = useSession();
  return (
    <>
      <PageHead list={USERS} title="Import users" />
      {may(token, 'users:write') ? (
        <ImportSteps />
      ) : (
        <p class="quiet lead">
          To import users, you need the scope users:write. You have {token.scopes.join(', ')}.
        </p>
      )}
    </>
  );
}
