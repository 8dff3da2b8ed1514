import { useState } from 'preact/hooks';
import type { Token } from '../../../client/index.ts';
import { useNew } from '../../router/place.ts';
import { useSession } from '../../session/session.ts';
import { focusHeading } from '../../ui/dialog.tsx';
import { ListPage } from '../../ui/list-page.tsx';
import { ACTIONS } from '../../ui/table.tsx';
import { useList } from '../../ui/use-list.ts';
import { RevokeDialog } from '../token/revoke-dialog.tsx';
import { RotateDialog } from '../token/rotate-dialog.tsx';
import { useTokenEvents } from '../token/token-events.ts';
import { CreateTokenDialog } from './create-token-dialog.tsx';
import { ParentFilter } from './parent-filter.tsx';
import { type StateFilter, StateFilterBar } from './state-filter-bar.tsx';
import { useTokenFilter } from './token-filter.ts';
import { TokenRow } from './token-row.tsx';
import { useReplaced } from './use-replaced.ts';

export default function TokensPage() {
  const { client, token: current, end, renew } = useSession();
  const { onCreated, onEnded } = useTokenEvents();
  const { state, parent, hasSessions, size, change } = useTokenFilter();
  const [isCreating, setIsCreating] = useState(false);
  const [rotating, setRotating] = useState<Token>();
  const [revoking, setRevoking] = useState<Token>();
  const list = useList(
    JSON.stringify([state, parent, hasSessions, size]),
    (cursor, signal) =>
      client.tokens
        .list(
          {
            state: state === 'all' ? undefined : state,
            session: hasSessions || parent !== undefined ? undefined : false,
            parent,
            limit: size,
            cursor,
          },
          { signal },
        )
        .page(),
    { inHistory: true, size },
  );
  useNew(() => setIsCreating(true));
  const listed = useReplaced(list.items);

  return (
    <>
      <ListPage
        title="API tokens"
        actions={
          <button type="button" class="primary" onClick={() => setIsCreating(true)}>
            Create token
          </button>
        }
        lead="Applications use tokens to call the API. The scopes of a token define what it can do."
        beside={
          <>
            <StateFilterBar
              state={state}
              onState={(state) => change({ state: state === 'all' ? undefined : state })}
            />
            {parent === undefined ? (
              <label class="check">
                <input
                  type="checkbox"
                  checked={hasSessions}
                  onChange={(event) => change({ sessions: event.currentTarget.checked ? '' : undefined })}
                />
                <span>Sessions and issued tokens</span>
              </label>
            ) : (
              <ParentFilter
                id={parent}
                onClear={() => {
                  change({ parent: undefined, state: undefined });
                  focusHeading();
                }}
              />
            )}
          </>
        }
        list={list}
        items={listed}
        singular="token"
        plural="tokens"
        caption="API tokens, newest first"
        columns={['Token', 'Scopes', 'Created', 'Last used', 'Expires', 'State', ACTIONS]}
        empty={emptyText(state, parent !== undefined)}
        paging={{ size, onSize: (rows) => change({ rows: String(rows) }) }}
      >
        {({ token, isReplaced }) => (
          <TokenRow
            key={token.id}
            token={token}
            isCurrent={token.id === current.id}
            isReplaced={isReplaced}
            onRotate={() => setRotating(token)}
            onRevoke={() => setRevoking(token)}
          />
        )}
      </ListPage>
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

function emptyText(state: StateFilter, isOfParent: boolean): string {
  if (state !== 'all')
    return isOfParent ? `It has issued no ${state} tokens.` : `There are no ${state} tokens.`;
  return isOfParent
    ? 'There are none. An issued token is deleted a day after it ends.'
    : 'There are no tokens yet.';
}
