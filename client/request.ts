import { unreachable } from './api-error.ts';
import type { CallOptions } from './options.ts';

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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
