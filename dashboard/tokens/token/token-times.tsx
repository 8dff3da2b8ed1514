import type { Token } from '../../../client/index.ts';
import { Ago, DateOf, isSoon, ShortDate, Until } from '../../ui/time.tsx';
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

/** The same in a word: the time that is left if that is short. */
export function ShortExpiry({ token }: { token: Token }) {
  const { expiresAt, state } = token;
  if (!expiresAt) return <Never />;
  if (state !== 'active' || !isSoon(expiresAt)) return <ShortDate iso={expiresAt} />;
  return (
    <span class={isStanding(token) ? 'chip warning' : 'quiet'}>
      <Until iso={expiresAt} />
    </span>
  );
}

const Never = () => <span class="quiet">Never</span>;
