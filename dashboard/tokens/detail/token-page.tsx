import { useState } from 'preact/hooks';
import type { NewToken } from '../../../client/index.ts';
import { History } from '../../activity/history.tsx';
import { Link } from '../../router/link.tsx';
import { useSession } from '../../session/session.ts';
import { focusHeading } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useResource } from '../../ui/use-resource.ts';
import { hasStatus } from '../../ui/use-submit.ts';
import { isStanding } from '../token/origin.tsx';
import { RevokeDialog } from '../token/revoke-dialog.tsx';
import { RotateDialog } from '../token/rotate-dialog.tsx';
import { useTokenEvents } from '../token/token-events.ts';
import { Rotation } from './rotation.tsx';
import { TokenFacts } from './token-facts.tsx';

const ENTRIES = 20;

/** Everything about one token. */
export default function TokenPage({ id }: { id: string }) {
  const { client, token: current, end, renew } = useSession();
  const { onCreated, onEnded } = useTokenEvents();
  const found = useResource(id, (signal) => client.tokens.get(id, { signal }));
  const [dialog, setDialog] = useState<'rotate' | 'revoke'>();
  const [changes, setChanges] = useState(0);
  const token = found.value;
  const isCurrent = id === current.id;
  const close = () => setDialog(undefined);
  const settle = () => {
    close();
    setChanges((count) => count + 1);
    found.reload();
    onEnded();
  };
  const rotated = (successor: NewToken) => {
    onCreated(successor);
    if (isCurrent) renew(successor);
    settle();
  };

  // The heading is the same element in both cases, so that it keeps the focus.
  if (!token)
    return (
      <>
        <p class="trail">
          <Link to="tokens">API tokens</Link>
        </p>
        <div class="heading">
          <div class="title">
            <h1 tabIndex={-1}>API token</h1>
          </div>
        </div>
        {found.isLoading && <Skeleton />}
        {hasStatus(found.error, 404) ? (
          <p class="empty">
            There is no such token. <Link to="tokens">See all tokens</Link>
          </p>
        ) : (
          <Failure error={found.error} onRetry={found.reload} />
        )}
      </>
    );
  return (
    <>
      <p class="trail">
        <Link to="tokens">API tokens</Link>
      </p>
      <div class="heading">
        <div class="title">
          <h1 tabIndex={-1}>
            <bdi>{token.name}</bdi>
          </h1>
          {isCurrent && <span class="chip accent">This session</span>}
        </div>
        {token.state === 'active' && (
          <div class="buttons">
            {isStanding(token) && (
              <button type="button" onClick={() => setDialog('rotate')}>
                Rotate
              </button>
            )}
            <button type="button" class="danger" onClick={() => setDialog('revoke')}>
              Revoke
            </button>
          </div>
        )}
      </div>
      <Failure error={found.error} onRetry={found.reload} />
      <div class="detail">
        <div class="stack">
          <Panel title="Token">
            <TokenFacts token={token} isCurrent={isCurrent} />
          </Panel>
          <Rotation token={token} version={changes} />
        </div>
        <div class="stack">
          <Panel title="What it did">
            <History
              label={`What ${token.name} did`}
              query={{ actor: id }}
              limit={ENTRIES}
              empty={
                token.parentId === null
                  ? 'It has changed nothing, as far as events are kept.'
                  : 'What it does counts as done by the token that issued it.'
              }
              version={changes}
            />
          </Panel>
          <Panel title="What happened to it">
            <History
              label={`What happened to ${token.name}`}
              query={{ target: id }}
              limit={ENTRIES}
              empty={
                token.rotatedFrom
                  ? 'Nothing yet. Its rotation is in the history of the token that it replaced.'
                  : 'Nothing is kept of what happened to this token.'
              }
              version={changes}
            />
          </Panel>
        </div>
      </div>
      {dialog === 'rotate' && (
        <RotateDialog token={token} isCurrent={isCurrent} onClose={close} onRotated={rotated} />
      )}
      {dialog === 'revoke' && (
        <RevokeDialog
          token={token}
          isCurrent={isCurrent}
          onClose={close}
          onRevoked={() => {
            if (isCurrent) return end('revoked');
            settle();
            focusHeading();
          }}
        />
      )}
    </>
  );
}
