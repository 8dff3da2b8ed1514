import { Link } from '../../router/link.tsx';
import { countOf, formatCount } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Ago } from '../../ui/time.tsx';
import { IssuedBy, isStanding } from '../token/origin.tsx';
import { FEW, type Listed } from './rows.ts';

interface Props {
  token: Listed;
  isCurrent: boolean;
  /** Shows the tokens that it has issued, or hides them. */
  onToggle(): void;
}

/** What a token is, on two lines. One that another token has issued has no name of its own. */
export const TokenCell = ({ token, isCurrent, onToggle }: Props) => (
  <div class={token.below && token.below !== 'filter' ? 'token issued' : 'token'}>
    <div class="line-1">
      <Link to={`tokens/${token.id}`} class="name" title={token.name}>
        {token.parentId === null ? token.name : <code>{token.hint}</code>}
      </Link>
      {isCurrent && <span class="chip accent">This session</span>}
      {token.below === 'replacement' && (
        <span class="chip" title="by the one above">
          Replaced
        </span>
      )}
      {token.issued > FEW && (
        <button type="button" class="plain disclosure" aria-expanded={token.isOpen} onClick={onToggle}>
          <Icon name="next" />
          {countOf(token.issued, 'issued token')}
        </button>
      )}
    </div>
    <div class="quiet sub clip">
      <About token={token} />
      {token.rateLimit !== null && ` · ${formatCount(token.rateLimit)} requests a minute`}
      {token.allowedNetworks && ` · Only from ${countOf(token.allowedNetworks.length, 'network')}`}
    </div>
  </div>
);

/** Where it comes from, or what its value looks like. */
function About({ token }: { token: Listed }) {
  if (token.below === 'parent' || token.below === 'filter')
    return (
      <>
        Issued <Ago iso={token.createdAt} />
      </>
    );
  if (token.parentId !== null) return <IssuedBy token={token} />;
  return (
    <>
      <code>{token.hint}</code>
      {!isStanding(token) && (
        <>
          {' · '}
          <IssuedBy token={token} />
        </>
      )}
    </>
  );
}
