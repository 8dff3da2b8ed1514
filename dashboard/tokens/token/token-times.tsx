import type { Token } from '../../../client/index.ts';
import { Ago, DateOf, isSoon, Until } from '../../ui/time.tsx';
import { isStanding } from './origin.tsx';

export const LastUsed = ({ token: { lastUsedAt } }: { token: Token }) =>
  lastUsedAt ? <Ago iso={lastUsedAt} /> : <Never />;

/** The expiry of a token, with a warning if that is soon. The others are meant to end within hours. */
export function Expiry({ token }: { token: Token }) {
  const { expiresAt, state } = token;
  return (
    <>
      {expiresAt ? <DateOf iso={expiresAt} /> : <Never />}{' '}
      {state === 'active' && expiresAt && isSoon(expiresAt) && (
        <span class={isStanding(token) ? 'chip warning sub' : 'quiet sub'}>
          {isStanding(token) && 'Expires '}
          <Until iso={expiresAt} />
        </span>
      )}
    </>
  );
}

const Never = () => <span class="quiet">Never</span>;
