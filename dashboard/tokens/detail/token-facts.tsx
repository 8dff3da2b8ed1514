import type { Token } from '../../../client/index.ts';
import { useSession } from '../../session/session.ts';
import { useStore } from '../../store.ts';
import { CodeChips } from '../../ui/code-chips.tsx';
import { CopyId } from '../../ui/copy-id.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Expiry, LastUsed } from '../token/token-times.tsx';

const count = new Intl.NumberFormat('en');

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
      {token.createdBy && (
        <>
          {' '}
          by <bdi class="name">{token.createdBy.name}</bdi>, who signed in
        </>
      )}
    </Fact>
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
      {token.rateLimit === null
        ? 'That of the service'
        : `${count.format(token.rateLimit)} requests a minute`}
      {isCurrent && <OwnRequests />}
    </Fact>
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
      {count.format(limit - remaining)} of {count.format(limit)} used in this minute
    </span>
  );
}
