import { ApiError, errorOf } from './api-error.ts';

export interface ClientOptions {
  /** The address of the service, including any path prefix: `https://example.com/internal`. */
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

type Query = Record<string, string | number | undefined>;

interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: object;
  body?: object;
}

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

/** Sends calls. GET and DELETE are retried after a 429, a 503 or a network error. */
export class Transport {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  async send<Result>(call: Call, options: CallOptions = {}): Promise<Result> {
    const requestId = options.requestId ?? this.#options.requestId?.();
    const isRetryable = call.method === 'GET' || call.method === 'DELETE';
    let budget = isRetryable ? (this.#options.retryBudgetMs ?? 30_000) : 0;
    let mayHaveDeleted = false;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt<Result>(call, options, requestId);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // An earlier attempt may have deleted the resource although its response was lost.
        if (call.method === 'DELETE' && error.status === 404 && mayHaveDeleted) return undefined as Result;
        if (!RETRYABLE_STATUSES.has(error.status)) throw error;
        const wait = waitBefore(attempt, error.retryAfter);
        if (wait > budget) throw error;
        budget -= wait;
        mayHaveDeleted ||= error.status !== 429;
        await sleep(wait, options.signal);
      }
    }
  }

  async #attempt<Result>(call: Call, options: CallOptions, requestId?: string): Promise<Result> {
    const { token, baseUrl, fetch = globalThis.fetch } = this.#options;
    const timeout = AbortSignal.timeout(options.timeoutMs ?? this.#options.timeoutMs ?? 10_000);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    options.signal?.throwIfAborted();
    const headers: Record<string, string> = {
      Authorization: `Bearer ${typeof token === 'function' ? await token() : token}`,
    };
    if (requestId !== undefined) headers['X-Request-ID'] = requestId;
    if (call.body !== undefined) headers['Content-Type'] = 'application/json';
    const url = `${baseUrl.replace(/\/+$/, '')}${call.path}${search(call.query as Query)}`;
    try {
      const response = await fetch(url, {
        method: call.method,
        headers,
        signal,
        body: call.body === undefined ? undefined : JSON.stringify(call.body),
      });
      if (!response.ok) throw await errorOf(response, requestId);
      return (response.status === 204 ? undefined : await response.json()) as Result;
    } catch (error) {
      if (error instanceof ApiError) throw error;
      options.signal?.throwIfAborted();
      const message = timeout.aborted
        ? 'The service did not respond in time.'
        : 'The service could not be reached.';
      const fields = { status: 0, code: 'unreachable' as const, requestId, retryAfter: undefined };
      throw new ApiError(message, fields, { cause: error });
    }
  }
}

/** 0 means no response. */
const RETRYABLE_STATUSES = new Set([0, 429, 503]);

/** Exponential backoff with jitter, but at least as long as `Retry-After`. */
function waitBefore(attempt: number, retryAfter?: number): number {
  const backoff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
  return Math.max(backoff, (retryAfter ?? 0) * 1000);
}

function search(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size > 0 ? `?${parameters}` : '';
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      fail(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      done();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
