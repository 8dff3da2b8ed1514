import { History } from '../activity/history.tsx';
import { Link } from '../router/link.tsx';
import { may } from '../session/may.tsx';
import { useSession } from '../session/session.ts';
import { EndingTokens } from './ending-tokens.tsx';
import { FailingWebhooks } from './failing-webhooks.tsx';
import { UserCounts } from './user-counts.tsx';

const ENTRIES = 8;

/** The organization at a glance, as far as the scopes of the token allow. */
export default function OverviewPage() {
  const { token } = useSession();
  const isAdmin = may(token, 'admin');
  const seesUsers = may(token, 'users:read');
  return (
    <>
      <div class="heading">
        <h1 tabIndex={-1}>Overview</h1>
      </div>
      {seesUsers && <UserCounts />}
      {isAdmin && (
        <>
          <div class="panels">
            <EndingTokens />
            <FailingWebhooks />
          </div>
          <History
            title="Latest activity"
            aside={<Link to="activity">All activity</Link>}
            label="Latest activity"
            query={{}}
            limit={ENTRIES}
            empty="Nothing has happened yet."
          />
        </>
      )}
      {!isAdmin && (
        <p class="hint">
          {seesUsers
            ? 'Tokens, webhooks and activity are shown to tokens with the scope admin.'
            : 'The scopes of your token allow nothing that is shown here.'}
        </p>
      )}
    </>
  );
}
