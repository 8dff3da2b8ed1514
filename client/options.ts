export interface ClientOptions {
  /**
   * The address of the service, including any path prefix: `https://example.com/internal`. In a browser it may be relative
   * to the page: `''` is the page's own origin.
   */
  baseUrl: string;
  /** The API token, or a function that returns it. It is called before each attempt, so tokens can be rotated. */
  token: string | (() => string | Promise<string>);
  /** The timeout of each attempt in milliseconds. Default: 10,000. */
  timeoutMs?: number;
  /** The total time a call may wait between attempts, in milliseconds; 0 disables retries. Default: 30,000. */
  retryBudgetMs?: number;
  /** Creates the X-Request-ID of a call. Retries reuse it. By default the service creates one. */
  requestId?: () => string;
  /** A replacement for the global `fetch`. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  /** Aborts the call, including its retries. */
  signal?: AbortSignal;
  timeoutMs?: number;
  requestId?: string;
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
