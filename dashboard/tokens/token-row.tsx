import type { Token } from '../../client/index.ts';
import { Cell, Row } from '../ui/table.tsx';
import { Ago, DateOf, isSoon, Until } from '../ui/time.tsx';

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
      <strong>{token.name}</strong> {isCurrent && <span class="chip accent">This session</span>}
      {isReplaced && <span class="chip">Replaced by the one above</span>}
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
        <>
          <button
            type="button"
            class="plain small"
            aria-label={`Rotate ${isReplaced ? `${token.name} (replaced)` : token.name}`}
            onClick={onRotate}
          >
            Rotate
          </button>{' '}
          <button
            type="button"
            class="plain danger small"
            aria-label={`Revoke ${isReplaced ? `${token.name} (replaced)` : token.name}`}
            onClick={onRevoke}
          >
            Revoke
          </button>
        </>
      )}
    </Cell>
  </Row>
);

const Never = () => <span class="quiet">Never</span>;
