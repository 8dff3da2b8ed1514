import { ExpiringMap } from './expiring-map';
import { WINDOW_MS, type WindowRecord, windowRecord, WindowStorage } from './window';

/** Counts the requests of this process only. */
export class MemoryStorage extends WindowStorage {
  private readonly windows = new ExpiringMap<string, { hits: number; endsAt: number }>(WINDOW_MS);

  async add(key: string, hits: number, limit: number): Promise<WindowRecord> {
    const now = Date.now();
    let window = this.windows.get(key);
    if (!window || window.endsAt <= now) {
      window = { hits: 0, endsAt: now + WINDOW_MS };
      this.windows.set(key, window);
    }
    const total = window.hits + hits;
    if (window.hits < limit) window.hits = total; // what is refused does not count, should the limit be raised
    return windowRecord(total, limit, window.endsAt, window.endsAt - now);
  }
}
