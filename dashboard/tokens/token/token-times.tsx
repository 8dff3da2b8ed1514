import type { Token } from '../../../client/index.ts';
import { Ago, DateOf, isSoon, Until } from '../../ui/time.tsx';

export const LastUsed = ({ token: { lastUsedAt } }: { token: Token }) =>
  lastUsedAt ? <Ago iso={lastUsedAt} /> : <Never />;

/** The expiry of a token, with a warning if that is soon. */
export const Expiry = ({ token: { expiresAt, state } }: { token: Token }) => (
  <>
    {expiresAt ? <DateOf iso={expiresAt} /> : <Never />}{' '}
    {state === 'active' && expiresAt && isSoon(expiresAt) && (
      <span class="chip warning sub">
        Expires <Until iso={expiresAt} />
      </span>
    )}
  </>
);

const Never = () => <span class="quiet">Never</span>;
