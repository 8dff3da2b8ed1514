import { useState } from 'preact/hooks';
import { Link } from '../../router/link.tsx';
import { useNew } from '../../router/place.ts';
import { useSession } from '../../session/session.ts';
import { focusHeading } from '../../ui/dialog.tsx';
import { CheckField } from '../../ui/field.tsx';
import { countOf } from '../../ui/format.ts';
import { ListPage } from '../../ui/list-page.tsx';
import { Segments } from '../../ui/segments.tsx';
import { useList } from '../../ui/use-list.ts';
import { useResource } from '../../ui/use-resource.ts';
import { type OpenTokenDialog, TokenDialogs } from '../token/token-dialogs.tsx';
import { useTokenEvents } from '../token/token-events.ts';
import { CreateTokenDialog } from './create-token-dialog.tsx';
import { tokenColumns } from './token-columns.tsx';
import { type StateFilter, STATES, useTokenFilter } from './token-filter.ts';
import { useRows } from './use-rows.ts';

export default function TokensPage() {
  const { client, token: current } = useSession();
  const { onCreated } = useTokenEvents();
  const { state, parent, hasSessions, change } = useTokenFilter();
  const [isCreating, setIsCreating] = useState(false);
  const [dialog, setDialog] = useState<OpenTokenDialog>();
  const [notice, setNotice] = useState('');
  const list = useList(
    JSON.stringify([state, parent, hasSessions]),
    (page, signal) =>
      client.tokens
        .list(
          {
            state: state === 'all' ? undefined : state,
            session: hasSessions || parent !== undefined ? undefined : false,
            parent,
            ...page,
          },
          { signal },
        )
        .page(),
    { isPage: true },
  );
  const open = (dialog: OpenTokenDialog) => {
    setNotice('');
    setDialog(dialog);
  };
  useNew(() => setIsCreating(true));
  const { rows, toggle } = useRows(list.items, state, parent);
  const count = list.items?.length ?? 0;

  return (
    <>
      <ListPage
        title="API tokens"
        actions={
          <button type="button" class="primary" aria-keyshortcuts="C" onClick={() => setIsCreating(true)}>
            Create token
          </button>
        }
        lead="Applications use tokens to call the API. The scopes of a token define what it can do."
        beside={
          <>
            <Segments
              legend="Filter tokens by state"
              options={STATES}
              value={state}
              onValue={(state) => change({ state: state === 'all' ? undefined : state })}
            />
            {parent === undefined ? (
              <CheckField
                checked={hasSessions}
                onChange={(event) => change({ sessions: event.currentTarget.checked ? '' : undefined })}
              >
                Sessions and issued tokens
              </CheckField>
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
        list={{ ...list, items: rows }}
        singular="token"
        caption="API tokens, newest first"
        columns={tokenColumns(current.id, open, toggle)}
        hint={
          rows?.some(({ isOpen }) => !isOpen) && !list.isStale && `${countOf(count, 'token')} on this page`
        }
        notice={notice}
        empty={emptyText(state, parent !== undefined)}
      />
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
      {dialog && (
        <TokenDialogs
          dialog={dialog}
          onClose={() => setDialog(undefined)}
          onChanged={(notice = '') => {
            setNotice(notice);
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

/** Names the token whose children are listed, and leads back to all tokens. */
function ParentFilter({ id, onClear }: { id: string; onClear(): void }) {
  const { client } = useSession();
  // Fails silently: the list shows its own errors.
  const { value } = useResource(id, (signal) => client.tokens.get(id, { signal }));
  return (
    <p class="line">
      <span>
        Only tokens issued by{' '}
        <Link to={`tokens/${id}`} class="name">
          {value?.name ?? id}
        </Link>
      </span>
      <button type="button" class="small" onClick={onClear}>
        Show all tokens
      </button>
    </p>
  );
}
