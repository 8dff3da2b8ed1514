import { useState } from 'preact/hooks';
import type { NewToken, Token } from '../../client/index.ts';
import { useSession } from '../session.ts';
import { focusHeading } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { ListStatus } from '../ui/list-status.tsx';
import { Pager } from '../ui/pager.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { ACTIONS, Table } from '../ui/table.tsx';
import { SIZES, useList } from '../ui/use-list.ts';
import { CreateTokenDialog } from './create-token-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';
import { type StateFilter, StateFilterBar } from './state-filter-bar.tsx';
import { TokenRow } from './token-row.tsx';
import { useReplaced } from './use-replaced.ts';

interface Props {
  /** Also of a token that replaces another. */
  onCreated(token: NewToken): void;
  /** A token was revoked or rotated. */
  onEnded(): void;
}

export function TokensPage({ onCreated, onEnded }: Props) {
  const { client, token: current, end, renew } = useSession();
  const [state, setState] = useState<StateFilter>('all');
  const [size, setSize] = useState<number>(SIZES[0]);
  const [isCreating, setIsCreating] = useState(false);
  const [rotating, setRotating] = useState<Token>();
  const [revoking, setRevoking] = useState<Token>();
  const list = useList(JSON.stringify([state, size]), (cursor, signal) =>
    client.tokens
      .list({ state: state === 'all' ? undefined : state, limit: size, cursor }, { signal })
      .page(),
  );
  const listed = useReplaced(list.items);

  return (
    <>
      <div class="heading">
        <h1 tabIndex={-1}>API tokens</h1>
        <button type="button" class="primary" onClick={() => setIsCreating(true)}>
          Create token
        </button>
      </div>
      <p class="quiet lead">
        Applications use tokens to call the API. The scopes of a token define what it can do.
      </p>
      <div class="tools">
        <StateFilterBar state={state} onState={setState} />
        <ListStatus list={list} singular="token" plural="tokens" />
      </div>
      <Failure error={list.error} onRetry={list.retry} />
      {!list.items && list.isLoading && <Skeleton />}
      {listed && listed.length > 0 && (
        <Table
          caption="API tokens, newest first"
          columns={['Token', 'Scopes', 'Created', 'Last used', 'Expires', 'State', ACTIONS]}
          busy={list.isLoading}
          stale={list.isStale}
        >
          {listed.map(({ token, isReplaced }) => (
            <TokenRow
              key={token.id}
              token={token}
              isCurrent={token.id === current.id}
              isReplaced={isReplaced}
              onRotate={() => setRotating(token)}
              onRevoke={() => setRevoking(token)}
            />
          ))}
        </Table>
      )}
      {list.items?.length === 0 && !list.isStale && (
        <p class="empty">{state === 'all' ? 'There are no tokens yet.' : `There are no ${state} tokens.`}</p>
      )}
      <Pager label="Pages of tokens" list={list} size={size} onSize={setSize} />
      {isCreating && (
        <CreateTokenDialog
          onClose={() => setIsCreating(false)}
          onCreated={(token) => {
            setIsCreating(false);
            onCreated(token);
            list.reload();
          }}
        />
      )}
      {rotating && (
        <RotateDialog
          token={rotating}
          isCurrent={rotating.id === current.id}
          onClose={() => setRotating(undefined)}
          onRotated={(token) => {
            setRotating(undefined);
            onCreated(token);
            if (rotating.id === current.id) renew(token);
            onEnded();
            list.reload();
          }}
        />
      )}
      {revoking && (
        <RevokeDialog
          token={revoking}
          isCurrent={revoking.id === current.id}
          onClose={() => setRevoking(undefined)}
          onRevoked={() => {
            if (revoking.id === current.id) return end('revoked');
            setRevoking(undefined);
            focusHeading();
            onEnded();
            list.reload();
          }}
        />
      )}
    </>
  );
}
