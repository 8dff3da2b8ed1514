import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Repeats a request that is refused for a moment, as a client does: an organization has few connections, and no request
 * waits long for one, or for another request with its Idempotency-Key. `isPassing` tells by its detail whether a 503 is
 * such a refusal.
 */
export async function patiently(
  request: () => Promise<Response>,
  isPassing: (detail: string) => boolean = () => true,
): Promise<Response> {
  for (;;) {
    const answer = await request();
    if (answer.status !== 503 && answer.status !== 409) return answer;
    const { code, detail } = (await answer.clone().json()) as { code: string; detail: string };
    if (answer.status === 503 ? !isPassing(detail) : code !== 'idempotency_in_progress') return answer;
    const seconds = answer.headers.get('Retry-After');
    expect(seconds).not.toBeNull();
    await sleep(Number(seconds) * 1_000);
  }
}
