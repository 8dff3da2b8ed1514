import { GroupedLoader } from '../database/per-turn';
import { ExpiringMap } from './expiring-map';
import { idsOf, type WindowCounter, type WindowRecord, windowRecord, type WindowStorage } from './window';

interface Hit {
  hits: number;
  resetAt: number;
  remainingMs: number;
}

/** The group of all organizations, if they need not be counted apart. */
const TOGETHER = '';

/**
 * Counts exactly across all processes, on a server that they share. The hits of one turn of the event loop go in one
 * statement, and a caller over its limit causes no further statement until its window ends.
 */
export class SharedStorage implements WindowStorage {
  private readonly hits = new GroupedLoader<string, Hit>((keys) => this.count(keys));
  private readonly exhausted: ExpiringMap<string, { resetAt: number; until: number }>;

  constructor(private readonly counter: WindowCounter) {
    this.exhausted = new ExpiringMap(counter.windowMs);
  }

  async increment(key: string, _ttl: number, limit: number): Promise<WindowRecord> {
    const window = this.exhausted.get(key);
    if (window && window.until > performance.now()) {
      return windowRecord(limit + 1, limit, window.resetAt, window.until - performance.now());
    }
    const { hits, resetAt, remainingMs } = await this.hits.load(
      this.counter.countsPerOrganization ? idsOf(key)[0] : TOGETHER,
      key,
    );
    if (hits > limit) this.exhausted.set(key, { resetAt, until: performance.now() + remainingMs });
    return windowRecord(hits, limit, resetAt, remainingMs);
  }

  private async count(keys: readonly string[]): Promise<Hit[]> {
    const batch = new Map<string, number>();
    for (const key of keys) batch.set(key, (batch.get(key) ?? 0) + 1);
    const windows = await this.counter.count(batch);
    // A window includes the hits of the whole batch; each hit gets a number of its own, in order.
    const numbered = new Map([...batch].map(([key, hits]) => [key, windows.get(key)!.hits - hits]));
    return keys.map((key) => {
      const { startedAt, now } = windows.get(key)!;
      const hits = numbered.get(key)! + 1;
      numbered.set(key, hits);
      const resetAt = startedAt + this.counter.windowMs;
      return { hits, resetAt, remainingMs: resetAt - now };
    });
  }
}
