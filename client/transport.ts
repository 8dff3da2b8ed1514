import { ApiError, failed, isTransient, unreachable } from './api-error.ts';
import { absoluteUrl } from './base-url.ts';

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

type Query = Record<string, string | number | undefined>;

interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: object;
  body?: object;
  ifMatch?: number;
  idempotencyKey?: string;
}

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

/** Sends calls, and retries retryable ones after temporary errors. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #baseUrl: string;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#baseUrl = absoluteUrl(options.baseUrl);
  }

  async send<Result>(call: Call, options: CallOptions = {}): Promise<Result> {
    const requestId = options.requestId ?? this.#options.requestId?.();
    const mayRepeat = call.method === 'GET' || call.method === 'DELETE' || call.idempotencyKey !== undefined;
    let budget = mayRepeat ? (this.#options.retryBudgetMs ?? 30_000) : 0;
    let mayHaveDeleted = false;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#attempt<Result>(call, options, requestId);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // An earlier attempt may have deleted the resource although its response was lost. Either way it is gone.
        if (call.method === 'DELETE' && error.status === 404 && mayHaveDeleted) return undefined as Result;
        if (!isTransient(error)) throw error;
        const wait = waitBefore(attempt, error.retryAfter);
        if (wait > budget) throw error;
        budget -= wait;
        mayHaveDeleted ||= error.status !== 429;
        await sleep(wait, options.signal);
      }
    }
  }

  async #attempt<Result>(call: Call, options: CallOptions, requestId?: string): Promise<Result> {
    const { token, fetch = globalThis.fetch } = this.#options;
    const timeout = AbortSignal.timeout(options.timeoutMs ?? this.#options.timeoutMs ?? 10_000);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    options.signal?.throwIfAborted();
    const headers = headersOf(call, typeof token === 'function' ? await token() : token, requestId);
    const url = `${this.#baseUrl}${call.path}${search(call.query as Query)}`;
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const [response, text] = await receive(fetch(url, { method: call.method, headers, signal, body })).catch(
      (error: unknown) => {
        options.signal?.throwIfAborted();
        throw unreachable(error, timeout.aborted, requestId);
      },
    );
    if (response.status === 204) return undefined as Result;
    const answer = parse(text);
    if (!response.ok || answer === undefined) throw failed(response, answer, requestId);
    return answer as Result;
  }
}

/** Receives a whole response. A connection that breaks during the body is a network error, too. */
async function receive(sent: Promise<Response>): Promise<[Response, string]> {
  const response = await sent;
  return [response, await response.text()];
}

function headersOf(
  { body, ifMatch, idempotencyKey }: Call,
  token: string,
  requestId: string | undefined,
): Headers {
  if (!token) throw new TypeError('The token is empty. Set it to an API token, which starts with umt_.');
  const headers = new Headers();
  try {
    headers.set('Authorization', `Bearer ${token}`);
    if (requestId !== undefined) headers.set('X-Request-ID', requestId);
    if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey);
  } catch {
    // The original error must not be its cause, because it quotes the token.
    throw new TypeError(
      'The token, request id or idempotency key has characters that HTTP headers cannot contain.',
    );
  }
  if (ifMatch !== undefined) headers.set('If-Match', `"${ifMatch}"`);
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  return headers;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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

export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
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
