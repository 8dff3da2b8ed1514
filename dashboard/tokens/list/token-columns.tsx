import { Menu } from '../../ui/menu.tsx';
import { ACTIONS, type Column } from '../../ui/table.tsx';
import { ShortDate } from '../../ui/time.tsx';
import { isStanding } from '../token/origin.tsx';
import { ScopeChips } from '../token/scope-chips.tsx';
import type { OpenTokenDialog } from '../token/token-dialogs.tsx';
import { LastUsed, ShortExpiry } from '../token/token-times.tsx';
import type { Listed } from './rows.ts';
import { TokenCell } from './token-cell.tsx';

/** `currentId` is the token of this session. */
export const tokenColumns = (
  currentId: string,
  open: (dialog: OpenTokenDialog) => void,
  toggle: (id: string) => void,
): Column<Listed>[] => [
  {
    title: 'Token',
    class: 'main',
    value: (token) => (
      <TokenCell token={token} isCurrent={token.id === currentId} onToggle={() => toggle(token.id)} />
    ),
  },
  { title: 'Scopes', width: '238px', value: ({ scopes }) => <ScopeChips scopes={scopes} /> },
  {
    title: 'Created',
    width: '110px',
    value: ({ createdAt }) => <ShortDate iso={createdAt} />,
  },
  { title: 'Last used', width: '120px', value: (token) => <LastUsed token={token} /> },
  { title: 'Expires', width: '120px', value: (token) => <ShortExpiry token={token} /> },
  { title: 'State', width: '100px', value: ({ state }) => <span class={`state ${state}`}>{state}</span> },
  {
    ...ACTIONS,
    width: '52px',
    value: (token) =>
      token.state === 'active' && (
        <Menu
          label={`Actions for ${nameOf(token)}`}
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

function nameOf({ name, hint, below, parentId }: Listed): string {
  if (parentId !== null) return `${name} (${hint})`;
  return below === 'replacement' ? `${name} (replaced)` : name;
}
