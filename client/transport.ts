import { AccessTokens } from './access-tokens.ts';
import { ApiError, failed } from './api-error.ts';
import { absoluteUrl } from './base-url.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { type Page, Pages } from './pages.ts';
import { request, setOnBehalfOf, waitFor } from './request.ts';
import { Retries } from './retries.ts';

type Query = Record<string, string | number | string[] | undefined>;

interface Call {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  query?: object;
  body?: object;
  /** Default: JSON. */
  bodyType?: string;
  ifMatch?: number;
  idempotencyKey?: string;
}

/** Sends calls, and retries retryable ones after temporary errors. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #baseUrl: string;
  readonly #accessTokens: AccessTokens | undefined;

  constructor(options: ClientOptions) {
    const { credentials } = options;
    this.#options = options;
    this.#baseUrl = absoluteUrl(options.baseUrl);
    this.#accessTokens = credentials && new AccessTokens(credentials, this.#baseUrl, options);
  }

  /** Iterates over the items of the list at the path. */
  list<Item>(path: string, query: object | undefined, options?: CallOptions): Pages<Item> {
    return new Pages((cursor) =>
      this.send<Page<Item>>(
        { method: 'GET', path, query: cursor === undefined ? query : { ...query, cursor } },
        options,
      ),
    );
  }

  async send<Result>(call: Call, options: CallOptions = {}): Promise<Result> {
    const requestId = options.requestId ?? this.#options.requestId?.();
    const onBehalfOf = options.onBehalfOf ?? this.#options.onBehalfOf;
    const mayRepeat = call.method === 'GET' || call.method === 'DELETE' || call.idempotencyKey !== undefined;
    const retries = new Retries(this.#options.retryBudgetMs, options.signal);
    let mayHaveDeleted = false;
    let hasDiscarded = false;
    for (;;) {
      const token = await this.#token(options, retries);
      try {
        return await this.#attempt<Result>(call, token, { ...options, requestId, onBehalfOf });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        // An earlier attempt may have deleted the resource although its response was lost. Either way it is gone.
        if (call.method === 'DELETE' && error.status === 404 && mayHaveDeleted) return undefined as Result;
        if (error.status === 401 && this.#accessTokens && !hasDiscarded) {
          // The token was revoked before its end. The call did nothing, so any call can be repeated.
          this.#accessTokens.discard(token);
          hasDiscarded = true;
          continue;
        }
        if (!mayRepeat) throw error;
        await retries.waitAfter(error);
        mayHaveDeleted ||= error.status !== 429;
      }
    }
  }

  /** Gets the token for an attempt. Temporary failures are retried for every call, because nothing has been sent. */
  async #token(options: CallOptions, retries: Retries): Promise<string> {
    const { token, timeoutMs } = this.#options;
    for (;;) {
      options.signal?.throwIfAborted();
      try {
        const current = this.#accessTokens?.current() ?? (typeof token === 'function' ? token() : token!);
        if (typeof current === 'string') return current;
        return await waitFor(current, { ...options, timeoutMs: options.timeoutMs ?? timeoutMs });
      } catch (error) {
        await retries.waitAfter(error);
      }
    }
  }

  async #attempt<Result>(call: Call, token: string, options: CallOptions): Promise<Result> {
    const { timeoutMs, fetch = globalThis.fetch } = this.#options;
    const { response, body } = await request(
      fetch,
      `${this.#baseUrl}${call.path}${search(call.query as Query)}`,
      {
        method: call.method,
        headers: headersOf(call, token, options),
        body: call.body === undefined ? undefined : JSON.stringify(call.body),
      },
      { ...options, timeoutMs: options.timeoutMs ?? timeoutMs },
    );
    if (response.status === 204) return undefined as Result;
    if (!response.ok || body === undefined) throw failed(response, body, options.requestId);
    return body as Result;
  }
}

function headersOf(
  { method, body, bodyType = 'application/json', ifMatch, idempotencyKey }: Call,
  token: string,
  { requestId, onBehalfOf }: CallOptions,
): Headers {
  if (!token) throw new TypeError('The token is empty.');
  const headers = new Headers();
  try {
    headers.set('Authorization', `Bearer ${token}`);
    if (requestId !== undefined) headers.set('X-Request-ID', requestId);
    if (idempotencyKey !== undefined) headers.set('Idempotency-Key', idempotencyKey);
    if (method !== 'GET') setOnBehalfOf(headers, onBehalfOf);
  } catch {
    // The original error must not be its cause, because it quotes the token.
    throw new TypeError(
      'The token, request id, idempotency key or onBehalfOf has characters that HTTP headers cannot contain.',
    );
  }
  if (ifMatch !== undefined) headers.set('If-Match', `"${ifMatch}"`);
  if (body !== undefined) headers.set('Content-Type', bodyType);
  return headers;
}

function search(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size > 0 ? `?${parameters}` : '';
}
