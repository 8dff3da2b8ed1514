import { Link } from '../../router/link.tsx';
import { CodeChips } from '../../ui/code-chips.tsx';
import { countOf, formatCount } from '../../ui/format.ts';
import { Menu } from '../../ui/menu.tsx';
import { ACTIONS, type Column } from '../../ui/table.tsx';
import { ShortDate } from '../../ui/time.tsx';
import { IssuedBy, isStanding } from '../token/origin.tsx';
import type { OpenTokenDialog } from '../token/token-dialogs.tsx';
import { Expiry, LastUsed } from '../token/token-times.tsx';
import type { Listed } from './use-replaced.ts';

/** `currentId` is the token of this session. */
export const tokenColumns = (
  currentId: string,
  open: (dialog: OpenTokenDialog) => void,
): Column<Listed>[] => [
  {
    title: 'Token',
    class: 'main',
    value: (token) => (
      <div class={token.isReplaced ? 'replaced' : undefined}>
        <Link to={`tokens/${token.id}`} class="name">
          {token.name}
        </Link>{' '}
        {token.id === currentId && <span class="chip accent">This session</span>}
        {token.isReplaced && <span class="chip">Replaced by the one above</span>}
        <code class="sub">{token.hint}</code>
        {!isStanding(token) && (
          <span class="quiet sub">
            <IssuedBy token={token} />
          </span>
        )}
        {token.rateLimit !== null && (
          <span class="quiet sub">{formatCount(token.rateLimit)} requests a minute</span>
        )}
        {token.allowedNetworks && (
          <span class="quiet sub">Only from {countOf(token.allowedNetworks.length, 'network')}</span>
        )}
      </div>
    ),
  },
  { title: 'Scopes', value: ({ scopes }) => <CodeChips names={scopes} /> },
  { title: 'Created', value: ({ createdAt }) => <ShortDate iso={createdAt} /> },
  { title: 'Last used', value: (token) => <LastUsed token={token} /> },
  { title: 'Expires', value: (token) => <Expiry token={token} /> },
  { title: 'State', value: ({ state }) => <span class={`state ${state}`}>{state}</span> },
  {
    ...ACTIONS,
    value: (token) =>
      token.state === 'active' && (
        <Menu
          label={`Actions for ${token.isReplaced ? `${token.name} (replaced)` : token.name}`}
          items={[
            ...(isStanding(token)
              ? [
                  { title: 'Edit', onChoose: () => open({ action: 'edit', token }) },
                  { title: 'Rotate', onChoose: () => open({ action: 'rotate', token }) },
                ]
              : []),
            { title: 'Revoke', danger: true, onChoose: () => open({ action: 'revoke', token }) },
          ]}
        />
      ),
  },
];
