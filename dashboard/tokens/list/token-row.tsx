import type { Token } from '../../../client/index.ts';
import { Link } from '../../router/link.tsx';
import { CodeChips } from '../../ui/code-chips.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Cell, Row } from '../../ui/table.tsx';
import { ShortDate } from '../../ui/time.tsx';
import { IssuedBy, isStanding } from '../token/origin.tsx';
import { Expiry, LastUsed } from '../token/token-times.tsx';
import { formatCount } from '../../ui/format.ts';

interface Props {
  token: Token;
  /** Whether this session uses the token. */
  isCurrent: boolean;
  /** Whether the token in the row above replaces it. */
  isReplaced: boolean;
  onRotate(): void;
  onRevoke(): void;
}

export const TokenRow = ({ token, isCurrent, isReplaced, onRotate, onRevoke }: Props) => (
  <Row>
    <Cell class={isReplaced ? 'main replaced' : 'main'}>
      <Link to={`tokens/${token.id}`} class="name">
        {token.name}
      </Link>{' '}
      {isCurrent && <span class="chip accent">This session</span>}
      {isReplaced && <span class="chip">Replaced by the one above</span>}
      <code class="sub">{token.hint}</code>
      {!isStanding(token) && (
        <span class="quiet sub">
          <IssuedBy token={token} />
        </span>
      )}
      {token.rateLimit !== null && (
        <span class="quiet sub">{formatCount(token.rateLimit)} requests a minute</span>
      )}
    </Cell>
    <Cell label="Scopes">
      <CodeChips names={token.scopes} />
    </Cell>
    <Cell label="Created">
      <ShortDate iso={token.createdAt} />
    </Cell>
    <Cell label="Last used">
      <LastUsed token={token} />
    </Cell>
    <Cell label="Expires">
      <Expiry token={token} />
    </Cell>
    <Cell label="State">
      <span class={`state ${token.state}`}>{token.state}</span>
    </Cell>
    <Cell class="actions">
      {token.state === 'active' && (
        <Menu
          label={`Actions for ${isReplaced ? `${token.name} (replaced)` : token.name}`}
          items={[
            ...(isStanding(token) ? [{ title: 'Rotate', onChoose: onRotate }] : []),
            { title: 'Revoke', danger: true, onChoose: onRevoke },
          ]}
        />
      )}
    </Cell>
  </Row>
);
