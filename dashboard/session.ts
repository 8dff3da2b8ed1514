import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Client, createClient, type Token } from '../client/index.ts';
import { createStore, type Store } from './store.ts';

/** Why a session is over. */
export type Farewell = 'signed-out' | 'refused' | 'idle' | 'revoked';

/** What the last answer said of the token's limit. */
export interface RateLimit {
  limit: number;
  remaining: number;
  /** In milliseconds of this machine's clock. */
  resetsAt: number;
}

export interface Session {
  /** Holds the value of the token, which nothing else does. */
  client: Client;
  /** The record of that token. */
  token: Token;
  rateLimit: Store<RateLimit | undefined>;
  end(why: Farewell): void;
}

/** Where the API is: beside the page, whatever a host or a gateway has put before its path. */
export const baseUrl = new URL('.', location.href).href.replace(/\/$/, '');

/** A session with the token of this value, whatever its scopes; rejects where the service does not accept it. */
export async function openSession(
  value: string,
  onEnd: (ended: Session, why: Farewell) => void,
): Promise<Session> {
  const rateLimit = createStore<RateLimit | undefined>(undefined);
  let end: Session['end'] = () => {}; // who is not let in yet learns it from the rejection
  const client = createClient({
    baseUrl,
    token: value,
    retryBudgetMs: 2_000, // a person wants to know sooner
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      rateLimit.set(rateLimitOf(response.headers) ?? rateLimit.get());
      if (response.status === 401) end('refused');
      return response;
    },
  });
  const token = await client.tokens.current();
  const session: Session = { client, token, rateLimit, end: (why) => onEnd(session, why) };
  end = session.end;
  return session;
}

/** The longest a window lasts: a clock that differs from the service's must not make it longer. */
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

/** The session, in everything that is shown to somebody who is signed in. */
export const useSession = () => useContext(SessionContext)!;
