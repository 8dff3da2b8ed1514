import DataLoader from 'dataloader';
import { PER_TURN } from '../database/per-turn';
import { ExpiringMap } from './expiring-map';
import { WINDOW_MS, type WindowCounter, type WindowRecord, windowRecord, type WindowStorage } from './window';

interface Hit {
  hits: number;
  resetAt: number;
  remainingMs: number;
}

/**
 * Counts exactly across all processes, on a server that they share. The hits of one turn of the event loop go in one
 * statement, and a token over its limit causes no further statement until its window ends.
 */
export class SharedStorage implements WindowStorage {
  private readonly hits = new DataLoader<string, Hit, string>((tokenIds) => this.count(tokenIds), PER_TURN);
  private readonly exhausted = new ExpiringMap<string, { resetAt: number; until: number }>(WINDOW_MS);

  constructor(private readonly counter: WindowCounter) {}

  async increment(tokenId: string, _ttl: number, limit: number): Promise<WindowRecord> {
    const window = this.exhausted.get(tokenId);
    if (window && window.until > performance.now()) {
      return windowRecord(limit + 1, limit, window.resetAt, window.until - performance.now());
    }
    const { hits, resetAt, remainingMs } = await this.hits.load(tokenId);
    if (hits > limit) this.exhausted.set(tokenId, { resetAt, until: performance.now() + remainingMs });
    return windowRecord(hits, limit, resetAt, remainingMs);
  }

  private async count(tokenIds: readonly string[]): Promise<Hit[]> {
    const batch = new Map<string, number>();
    for (const id of tokenIds) batch.set(id, (batch.get(id) ?? 0) + 1);
    const windows = await this.counter.count(batch);
    // A window includes the hits of the whole batch; each hit gets a number of its own, in order.
    const numbered = new Map([...batch].map(([id, hits]) => [id, windows.get(id)!.hits - hits]));
    return tokenIds.map((id) => {
      const { startedAt, now } = windows.get(id)!;
      const hits = numbered.get(id)! + 1;
      numbered.set(id, hits);
      const resetAt = startedAt + WINDOW_MS;
      return { hits, resetAt, remainingMs: resetAt - now };
    });
  }
}
