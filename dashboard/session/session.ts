import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Client, createClient, type NewToken, type Token } from '../../client/index.ts';
import { baseUrl } from '../router/address.ts';
import { createStore, type Store } from '../store.ts';

/** Why a session ended. */
export type EndReason = 'signed-out' | 'refused' | 'suspended' | 'shut-out' | 'narrowed' | 'idle' | 'revoked';

/** Called when a session has ended. */
type OnEnded = (client: Client, reason: EndReason) => void;

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
  /** The token's expiry as of the last response; null if it never expires. */
  expiresAt: Store<string | null>;
  end(reason: EndReason): void;
  /** Continues with what has become of this token. */
  update(token: Token): void;
  /** Continues with the token that replaces this one. */
  renew(token: NewToken): void;
}

/** The page's callbacks for changes of the session. */
export interface SessionEvents {
  onSession(session: Session): void;
  onEnd(ended: Session, reason: EndReason): void;
}

/** Opens a session with a token of any scopes. Rejects if the service does not accept the token. */
export async function openSession(value: string, events: SessionEvents, onEnded?: OnEnded): Promise<Session> {
  const { client, begin } = connect(value, events, onEnded);
  return begin(await client.tokens.current());
}

function connect(value: string, events: SessionEvents, onEnded?: OnEnded) {
  const rateLimit = createStore<RateLimit | undefined>(undefined);
  const expiresAt = createStore<string | null>(null);
  let session: Session | undefined; // until it exists, a 401 only rejects the call
  const client = createClient({
    baseUrl: `${baseUrl}/.`, // lets a path prefix end in /v1, which the client otherwise rejects
    token: value,
    retryBudgetMs: 2_000, // a person should see the failure soon
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      const limit = rateLimitOf(response.headers);
      if (limit) {
        rateLimit.set(limit);
        expiresAt.set(response.headers.get('X-Token-Expires-At'));
      }
      if (response.status === 401) session?.end('refused');
      const reason = session && (await endReasonOf(response, session.token));
      if (reason) session?.end(reason);
      return response;
    },
  });
  const begin = (token: Token): Session => {
    expiresAt.set(token.expiresAt);
    const begun: Session = {
      client,
      token,
      rateLimit,
      expiresAt,
      end: (reason) => {
        events.onEnd(begun, reason);
        onEnded?.(client, reason);
      },
      update: (token) => events.onSession(begin(token)),
      renew: ({ token: value, ...record }) => events.onSession(connect(value, events).begin(record)),
    };
    session = begun;
    return begun;
  };
  return { client, begin };
}

/** Why nothing works any more with this token, if a 403 says so. The response is left to be read. */
async function endReasonOf(response: Response, { scopes }: Token): Promise<EndReason | undefined> {
  if (response.status !== 403) return undefined;
  const problem = (await response
    .clone()
    .json()
    .catch(() => null)) as { code?: unknown } | null;
  switch (problem?.code) {
    case 'organization_suspended':
      return 'suspended';
    case 'network_not_allowed':
      return 'shut-out';
    case 'insufficient_scope': // for an admin, none is
      return scopes.includes('admin') ? 'narrowed' : undefined;
  }
  return undefined;
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
