import type { Token } from '../../../client/index.ts';
import { Link } from '../../router/link.tsx';
import { useSession } from '../../session/session.ts';
import { useStore } from '../../store.ts';
import { CopyId } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Moment } from '../../ui/time.tsx';
import { useChildCount } from '../token/children.ts';
import { issuerOf } from '../token/origin.tsx';
import { ScopeChips } from '../token/scope-chips.tsx';
import { Expiry, LastUsed } from '../token/token-times.tsx';
import { countOf, formatCount } from '../../ui/format.ts';

/** All fields of a token. */
export const TokenFacts = ({ token, isCurrent }: { token: Token; isCurrent: boolean }) => (
  <Facts
    facts={[
      ['State', <span class={`state ${token.state}`}>{token.state}</span>],
      [
        'Value',
        <>
          <code>{token.hint}</code> <span class="quiet">shown only once, when it was created</span>
        </>,
      ],
      ['Scopes', <ScopeChips scopes={token.scopes} />],
      ['Created', <Created token={token} />],
      ['Issued by', issuerIn(token)],
      ['Last used', <LastUsed token={token} />],
      ['Expires', <Expiry token={token} />],
      ['Revoked', token.revokedAt && <Moment iso={token.revokedAt} />],
      [
        'Requests a minute',
        <>
          {token.rateLimit === null ? 'The limit of the service' : formatCount(token.rateLimit)}
          {isCurrent && <OwnRequests />}
        </>,
      ],
      ['Allowed networks', token.allowedNetworks ? <Networks networks={token.allowedNetworks} /> : 'All'],
      ['Issued', token.parentId === null && token.state === 'active' && <Children token={token} />],
      ['ID', <CopyId id={token.id} />],
    ]}
  />
);

const Networks = ({ networks }: { networks: string[] }) => (
  <ul role="list">
    {networks.map((network) => (
      <li key={network}>
        <code>{network}</code>
      </li>
    ))}
  </ul>
);

const Created = ({ token }: { token: Token }) => (
  <>
    <Moment iso={token.createdAt} />
    {token.createdBy && !issuerOf(token) && (
      <>
        {' '}
        by <bdi class="name">{token.createdBy.name}</bdi>, who signed in
      </>
    )}
  </>
);

/** The count in the headers of the last response. No other token's count can be known. */
function OwnRequests() {
  const rateLimit = useStore(useSession().rateLimit);
  if (!rateLimit) return null;
  const { limit, remaining } = rateLimit;
  return (
    <span class="quiet sub">
      {formatCount(limit - remaining)} of {formatCount(limit)} used in this minute
    </span>
  );
}

/** The token or the issuer that the token comes from, if it comes from an exchange. */
function issuerIn(token: Token) {
  const { name, parentId, createdBy } = token;
  if (parentId !== null)
    return (
      <>
        <Link to={`tokens/${parentId}`}>{name}</Link>
        <span class="quiet sub">It ends with that token, and shares its limit.</span>
      </>
    );
  if (!issuerOf(token)) return null;
  return (
    <>
      {createdBy!.issuer}
      <span class="quiet sub">
        to <bdi>{createdBy!.subject}</bdi>
      </span>
    </>
  );
}

/** How many tokens it has issued that are active. */
function Children({ token }: { token: Token }) {
  const { value, error, isLoading, reload } = useChildCount(token);
  return (
    <>
      <Failure error={error} onRetry={reload} />
      {value ? (
        <Link to={`tokens?parent=${token.id}&state=active`}>{countOf(value, 'active token')}</Link>
      ) : (
        <span class="quiet">{isLoading ? 'Loading …' : value === 0 && 'No active tokens'}</span>
      )}
    </>
  );
}
