import { useState } from 'preact/hooks';
import { History } from '../../activity/history.tsx';
import { Link } from '../../router/link.tsx';
import { useSession } from '../../session/session.ts';
import { Failure } from '../../ui/failure.tsx';
import { ItemActions } from '../../ui/item-actions.tsx';
import { Messages } from '../../ui/messages.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useResource } from '../../ui/use-resource.ts';
import { hasStatus } from '../../ui/faults.ts';
import { isStanding } from '../token/origin.tsx';
import { type OpenTokenDialog, TokenDialogs } from '../token/token-dialogs.tsx';
import { Rotation } from './rotation.tsx';
import { TokenFacts } from './token-facts.tsx';

const TOKENS = { path: 'tokens', title: 'API tokens' };
const ENTRIES = 20;

/** Everything about one token. */
export default function TokenPage({ id }: { id: string }) {
  const { client, token: current } = useSession();
  const found = useResource(id, (signal) => client.tokens.get(id, { signal }));
  const [action, setAction] = useState<OpenTokenDialog['action']>();
  const [changes, setChanges] = useState(0);
  const [notice, setNotice] = useState('');
  const open = (action: OpenTokenDialog['action']) => {
    setNotice('');
    setAction(action);
  };
  const token = found.value;
  const isCurrent = id === current.id;

  if (!token)
    return (
      <>
        <PageHead list={TOKENS} title="API token" />
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
      <PageHead
        list={TOKENS}
        title={token.name}
        marks={isCurrent && <span class="chip accent">This session</span>}
        actions={
          token.state === 'active' && (
            <ItemActions
              name={token.name}
              onEdit={isStanding(token) ? () => open('edit') : undefined}
              items={[
                ...(isStanding(token) ? [{ title: 'Rotate', onChoose: () => open('rotate') }] : []),
                { title: 'Revoke', danger: true, onChoose: () => open('revoke') },
              ]}
            />
          )
        }
      />
      <Messages notice={notice}>
        <Failure error={found.error} onRetry={found.reload} />
      </Messages>
      <div class="token-page">
        <div class="stack">
          <Panel title="Token">
            <TokenFacts token={token} isCurrent={isCurrent} />
          </Panel>
          <Rotation token={token} version={changes} />
        </div>
        <div class="stack">
          <History
            title="Done with this token"
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
          <History
            title="Changes to this token"
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
        </div>
      </div>
      {action && (
        <TokenDialogs
          dialog={{ action, token }}
          onClose={() => setAction(undefined)}
          onChanged={(notice = '') => {
            setNotice(notice);
            setChanges((count) => count + 1);
            found.reload();
          }}
        />
      )}
    </>
  );
}
