import type { Client, Delivery } from '../../../client/index.ts';
import { patiently, type TaskHooks } from '../../ui/patiently.ts';

/** The type of tests, which cannot be sent again. */
export const TEST_TYPE = 'webhook.test';

/** The largest page of the API. */
const PAGE_SIZE = 200;

/** An event is never older than its deliveries by the clocks of the service, which may differ by less than this. */
const MAX_SKEW_MS = 24 * 60 * 60_000;

/**
 * The ids of the events whose deliveries have all failed, oldest first: what has been delivered or waits is not sent
 * again. `onProgress` is called with the number of deliveries that have been read.
 */
export async function failedEvents(
  client: Client,
  webhookId: string,
  hooks: TaskHooks & { onProgress(count: number): void },
): Promise<string[]> {
  const failed = new Set<string>();
  let count = 0;
  /** Newest first, until `visit` returns true. */
  const read = async (state: Delivery['state'], visit: (delivery: Delivery) => unknown) => {
    let cursor: string | undefined;
    do {
      const query = { state, limit: PAGE_SIZE, cursor };
      const { data, nextCursor } = await patiently(
        () => client.webhooks.deliveries(webhookId, query, { signal: hooks.signal }).page(),
        hooks,
      );
      hooks.onProgress((count += data.length));
      if (data.some(visit)) return;
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined);
  };
  await read('failed', ({ type, eventId }) => void (type !== TEST_TYPE && failed.add(eventId)));
  if (failed.size === 0) return [];
  const oldest = Math.min(...[...failed].map(timeOf)) - MAX_SKEW_MS;
  // Pending ones first: they may be delivered meanwhile.
  for (const state of ['pending', 'delivered'] as const)
    await read(state, ({ eventId, createdAt }) => {
      failed.delete(eventId);
      return failed.size === 0 || Date.parse(createdAt) < oldest;
    });
  return [...failed].sort((a, b) => timeOf(a) - timeOf(b));
}

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** The time at which an id was assigned, which is in its first ten digits. */
const timeOf = (id: string) =>
  [...id.slice(4, 14)].reduce((time, digit) => time * 32 + DIGITS.indexOf(digit), 0);
