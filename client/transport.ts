import { ApiError, errorOf } from './api-error';

export interface ClientOptions {
  /** Where the service is, with what stands before its paths: `https://example.com/internal`. */
  baseUrl: string;
  /** The API token, or what gives it: asked before each request, so that a token can be replaced. */
  token: string | (() => string | Promise<string>);
  /** How long an answer may take, in milliseconds; each attempt anew. Default 10,000. */
  timeoutMs?: number;
  /** How long a call may wait between its attempts, all waits together, in milliseconds. 0: no retries. Default 30,000. */
  retryBudgetMs?: number;
  /** Makes the X-Request-ID of a call; its retries have the same one. By default the service makes it. */
  requestId?: () => string;
  /** What to call instead of the global `fetch`. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  /** Ends the call, its retries included. */
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

/** Sends calls, and repeats those that may be repeated: a GET or DELETE that met a 429, a 503 or nobody. */
export class Transport {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  async send<Result>(call: Call, options: CallOptions = {}): Promise<Result> {
    const requestId = options.requestId ?? this.#options.requestId?.();
    const repeatable = call.method === 'GET' || call.method === 'DELETE';
    let budget = repeatable ? (this.#options.retryBudgetMs ?? 30_000) : 0;
    let mayBeDone = false;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt<Result>(call, options, requestId);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // An attempt before this one may have deleted it, though its answer was lost.
        if (call.method === 'DELETE' && error.status === 404 && mayBeDone) return undefined as Result;
        if (!RETRIED.has(error.status)) throw error;
        const wait = waitBefore(attempt, error.retryAfter);
        if (wait > budget) throw error;
        budget -= wait;
        mayBeDone ||= error.status !== 429;
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
        ? 'The service took too long to answer.'
        : 'The service did not answer.';
      const fields = { status: 0, code: 'unreachable' as const, requestId, retryAfter: undefined };
      throw new ApiError(message, fields, { cause: error });
    }
  }
}

/** No answer, too many requests, unavailable. */
const RETRIED = new Set([0, 429, 503]);

/** Twice as long each time, and not at the same moment as everybody; and as long as the service says. */
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
