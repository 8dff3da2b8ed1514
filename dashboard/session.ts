import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Client, createClient, type Token } from '../client/index.ts';
import { createStore, type Store } from './store.ts';

/** Why a session ended. */
export type EndReason = 'signed-out' | 'refused' | 'idle' | 'revoked';

/** The token's rate limit as of the last response. */
export interface RateLimit {
  limit: number;
  remaining: number;
  /** In milliseconds, by the local clock. */
  resetsAt: number;
}

export interface Session {
  /** The only holder of the token's value. */
  client: Client;
  /** The token's record, without its value. */
  token: Token;
  rateLimit: Store<RateLimit | undefined>;
  end(reason: EndReason): void;
}

/** The API's address, relative to the page, so that it includes any path prefix of a host or gateway. */
export const baseUrl = new URL('.', location.href).href.replace(/\/$/, '');

/** Opens a session with a token of any scopes. Rejects if the service does not accept the token. */
export async function openSession(
  value: string,
  onEnd: (ended: Session, reason: EndReason) => void,
): Promise<Session> {
  const rateLimit = createStore<RateLimit | undefined>(undefined);
  let end: Session['end'] = () => {}; // until the session exists, a 401 rejects this function instead
  const client = createClient({
    baseUrl,
    token: value,
    retryBudgetMs: 2_000, // a person should see the failure soon
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      rateLimit.set(rateLimitOf(response.headers) ?? rateLimit.get());
      if (response.status === 401) end('refused');
      return response;
    },
  });
  const token = await client.tokens.current();
  const session: Session = { client, token, rateLimit, end: (reason) => onEnd(session, reason) };
  end = session.end;
  return session;
}

/** The length of a rate limit window. Caps the wait if the local clock differs from the service's. */
const WINDOW_MS = 60_000;

function rateLimitOf(headers: Headers): RateLimit | undefined {
  const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((name) =>
    Number(headers.get(`X-RateLimit-${name}`) ?? NaN),
  );
  if (Number.isNaN(limit + remaining + reset)) return undefined;
  const inMs = Math.min(Math.max(reset * 1000 - Date.now(), 0), WINDOW_MS);
  return { limit, remaining, resetsAt: Date.now() + inMs };
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** The current session. Use it only below `SessionContext.Provider`. */
export const useSession = () => useContext(SessionContext)!;
