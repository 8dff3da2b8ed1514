import type { Token } from '../../client/index.ts';
import { Cell, Row } from '../ui/table.tsx';
import { Ago, DateOf, isSoon, Until } from '../ui/time.tsx';

interface Props {
  token: Token;
  /** Whether this session uses the token. */
  isCurrent: boolean;
  onRevoke(): void;
}

export const TokenRow = ({ token, isCurrent, onRevoke }: Props) => (
  <Row>
    <Cell class="main">
      <strong>{token.name}</strong> {isCurrent && <span class="chip accent">This session</span>}
      <code class="sub">{token.hint}</code>
    </Cell>
    <Cell label="Scopes">
      <ul class="chips" role="list">
        {token.scopes.map((scope) => (
          <li key={scope} class="chip mono">
            {scope}
          </li>
        ))}
      </ul>
    </Cell>
    <Cell label="Created">
      <DateOf iso={token.createdAt} />
    </Cell>
    <Cell label="Last used">{token.lastUsedAt ? <Ago iso={token.lastUsedAt} /> : <Never />}</Cell>
    <Cell label="Expires">
      {token.expiresAt ? <DateOf iso={token.expiresAt} /> : <Never />}{' '}
      {token.state === 'active' && token.expiresAt && isSoon(token.expiresAt) && (
        <span class="chip warning sub">
          Expires <Until iso={token.expiresAt} />
        </span>
      )}
    </Cell>
    <Cell label="State">
      <span class={`state ${token.state}`}>{token.state}</span>
    </Cell>
    <Cell class="actions">
      {token.state === 'active' && (
        <button
          type="button"
          class="plain danger small"
          aria-label={`Revoke ${token.name}`}
          onClick={onRevoke}
        >
          Revoke
        </button>
      )}
    </Cell>
  </Row>
);

const Never = () => <span class="quiet">Never</span>;
