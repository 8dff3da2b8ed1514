import type { CreateToken } from './types.ts';

/** The options of `createClient()`: those of the connection, and either `token` or `credentials`. */
export type ClientOptions = ConnectionOptions &
  (
    | {
        /** The API token, or a function that returns it. It is called before each attempt, so tokens can be rotated. */
        token: string | (() => string | Promise<string>);
        credentials?: undefined;
      }
    | {
        /**
         * What the client exchanges for short-lived tokens, which it keeps in memory and renews in time. A secret does
         * not belong in a web page: whoever opens the page can read it.
         */
        credentials: Credentials;
        token?: undefined;
      }
  );

/** The options of `createOperatorClient()`. The operator's token cannot be exchanged, so there are no `credentials`. */
export interface OperatorClientOptions extends ConnectionOptions {
  /** A value in the service's `OPERATOR_TOKEN`, or a function that returns it, called before each attempt. */
  token: string | (() => string | Promise<string>);
  credentials?: undefined;
}

export interface ConnectionOptions {
  /**
   * The address of the service, including any path prefix but without `/api/v1`: `https://example.com/internal`. In a
   * browser it may be relative to the page: `''` is the page's own origin. Append `/.` to a prefix that ends in `/v1`.
   */
  baseUrl: string;
  /** The timeout of each attempt in milliseconds. Default: 10,000. */
  timeoutMs?: number;
  /** The total time a call may wait between attempts, in milliseconds; 0 disables retries. Default: 30,000. */
  retryBudgetMs?: number;
  /** Creates the X-Request-ID of a call. Retries reuse it. By default the service creates one. */
  requestId?: () => string;
  /** The person for whom each change is made, unless the call names another. See `CallOptions`. */
  onBehalfOf?: string;
  /** A replacement for the global `fetch`. */
  fetch?: typeof fetch;
}

export type Credentials = ClientCredentials | AssertionCredentials;

/** An API token, of which only short-lived children are sent with calls. */
export interface ClientCredentials {
  /** The ID of the API token: `tok_` and 26 letters and digits. */
  clientId: string;
  /** The value of the API token, which starts with `umt_`. */
  clientSecret: string;
  /** The scopes of the short-lived tokens, at least one. Default: all scopes of the API token. */
  scopes?: CreateToken['scopes'];
  assertion?: undefined;
}

/** A JWT of an issuer that the service trusts, so that no secret is stored. */
export interface AssertionCredentials {
  /**
   * Returns the JWT, such as the token of a Kubernetes service account. It is called before each exchange, because such
   * JWTs are short-lived, too.
   */
  assertion: () => string | Promise<string>;
  /** The scopes of the short-lived tokens, at least one. Default: all scopes that the service grants to the JWT. */
  scopes?: CreateToken['scopes'];
  /** The organization: `org_` and 26 letters and digits. Required if the JWT is accepted for several. */
  organizationId?: string;
  clientId?: undefined;
  clientSecret?: undefined;
}

export interface CallOptions {
  /** Aborts the call, including its retries. */
  signal?: AbortSignal;
  timeoutMs?: number;
  requestId?: string;
  /**
   * The person for whom you make the change, as you name them: 1 to 200 characters, sent as `X-On-Behalf-Of`. Events
   * show it as your word. It grants nothing, and reads ignore it.
   */
  onBehalfOf?: string;
}

export interface CreateOptions extends CallOptions {
  /**
   * Identifies this creation, so that it happens once however often it is sent. By default each call has its own key.
   */
  idempotencyKey?: string;
}

export interface WriteOptions extends CallOptions {
  /** The `version` that the user must still have; if it has another one, the call fails with `precondition_failed`. */
  ifMatch?: number;
}

export interface UpdateOptions extends WriteOptions {
  /**
   * Merges `metadata` instead of replacing it (RFC 7396): a key that is null is removed, also inside an object, and
   * keys that are not given stay. Two callers that change different keys at once both keep their change.
   */
  merge?: boolean;
}
