import { unavailableToken, unreachable } from './api-error.ts';
import type { CallOptions } from './options.ts';

/** Sets for whom the request acts, in UTF-8: each character of a header is sent as a byte. */
export function setOnBehalfOf(headers: Headers, person: string | undefined): void {
  if (person === undefined) return;
  headers.set('X-On-Behalf-Of', String.fromCharCode(...new TextEncoder().encode(person)));
}

/**
 * Sends a request once, and receives the whole response and its JSON, if it has any. Without a response it rejects with
 * an `ApiError`, or with the reason of the caller's signal.
 */
export async function request(
  send: typeof fetch,
  url: string,
  init: RequestInit,
  { timeoutMs = 10_000, signal, requestId }: CallOptions,
): Promise<{ response: Response; body: unknown }> {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
  try {
    const response = await send(url, { ...init, signal: either });
    // A connection that breaks during the body is a network error, too.
    return { response, body: parse(await response.text()) };
  } catch (error) {
    signal?.throwIfAborted();
    throw unreachable(error, timeout.aborted, requestId);
  }
}

/**
 * Waits for a token, no longer than for a response. Whatever provides the token continues: other calls may be waiting
 * for it, too.
 */
export function waitFor(
  token: string | Promise<string>,
  { timeoutMs = 10_000, signal }: CallOptions,
): Promise<string> {
  return new Promise((done, fail) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const stop = () => fail(signal!.reason);
    signal?.addEventListener('abort', stop, { once: true });
    timeout.addEventListener('abort', () => fail(unavailableToken()), { once: true });
    void Promise.resolve(token)
      .then(done, fail)
      .finally(() => signal?.removeEventListener('abort', stop));
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
