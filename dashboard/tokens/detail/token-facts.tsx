import type { Token } from '../../../client/index.ts';
import { Link } from '../../router/link.tsx';
import { useSession } from '../../session/session.ts';
import { useStore } from '../../store.ts';
import { CodeChips } from '../../ui/code-chips.tsx';
import { CopyId } from '../../ui/copy-id.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Failure } from '../../ui/failure.tsx';
import { Moment } from '../../ui/time.tsx';
import { useChildCount } from '../token/children.ts';
import { issuerOf } from '../token/origin.tsx';
import { Expiry, LastUsed } from '../token/token-times.tsx';
import { countOf, formatCount } from '../../ui/format.ts';

/** All fields of a token. */
export const TokenFacts = ({ token, isCurrent }: { token: Token; isCurrent: boolean }) => (
  <Facts>
    <Fact title="State">
      <span class={`state ${token.state}`}>{token.state}</span>
    </Fact>
    <Fact title="Value">
      <code>{token.hint}</code> <span class="quiet">shown only once, when it was created</span>
    </Fact>
    <Fact title="Scopes">
      <CodeChips names={token.scopes} />
    </Fact>
    <Fact title="Created">
      <Moment iso={token.createdAt} />
      {token.createdBy && !issuerOf(token) && (
        <>
          {' '}
          by <bdi class="name">{token.createdBy.name}</bdi>, who signed in
        </>
      )}
    </Fact>
    <Issuer token={token} />
    <Fact title="Last used">
      <LastUsed token={token} />
    </Fact>
    <Fact title="Expires">
      <Expiry token={token} />
    </Fact>
    {token.revokedAt && (
      <Fact title="Revoked">
        <Moment iso={token.revokedAt} />
      </Fact>
    )}
    <Fact title="Limit">
      {token.rateLimit === null ? 'That of the service' : `${formatCount(token.rateLimit)} requests a minute`}
      {isCurrent && <OwnRequests />}
    </Fact>
    {token.parentId === null && token.state === 'active' && <Children token={token} />}
    <Fact title="ID">
      <CopyId id={token.id} />
    </Fact>
  </Facts>
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
function Issuer({ token }: { token: Token }) {
  const { name, parentId, createdBy } = token;
  if (parentId !== null)
    return (
      <Fact title="Issued by">
        <Link to={`tokens/${parentId}`}>{name}</Link>
        <span class="quiet sub">It ends with that token, and shares its limit.</span>
      </Fact>
    );
  if (!issuerOf(token)) return null;
  return (
    <Fact title="Issued by">
      {createdBy!.issuer}
      <span class="quiet sub">
        to <bdi>{createdBy!.subject}</bdi>
      </span>
    </Fact>
  );
}

/** How many tokens it has issued that are active. */
function Children({ token }: { token: Token }) {
  const { value, error, isLoading, reload } = useChildCount(token);
  return (
    <Fact title="Issued">
      <Failure error={error} onRetry={reload} />
      {value ? (
        <Link to={`tokens?parent=${token.id}&state=active`}>{countOf(value, 'active token')}</Link>
      ) : (
        <span class="quiet">{isLoading ? 'Loading …' : value === 0 && 'No active tokens'}</span>
      )}
    </Fact>
  );
}
