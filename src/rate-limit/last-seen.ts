import { ExpiringMap } from './expiring-map';
import { type CountedWindow, type SeenWindow, WINDOW_MS } from './window';

/**
 * What this process last saw of each window, and in which storage. It measures remaining time on its own clock, from before it
 * asked, so a window never seems to last longer than it does.
 */
export class LastSeen {
  private readonly windows = new ExpiringMap<string, { hits: number; until: number; storage: string }>(
    WINDOW_MS,
  );

  remember(windows: ReadonlyMap<string, CountedWindow>, storage: string, askedAt: number): void {
    for (const [key, { hits, startedAt, now }] of windows) {
      const known = this.windows.get(key);
      // Answers may arrive in another order than they were counted.
      if (known && known.storage === storage && known.until > askedAt && known.hits > hits) continue;
      this.windows.set(key, { hits, until: askedAt + startedAt + WINDOW_MS - now, storage });
    }
  }

  /** The windows of these keys that have not ended, except those last seen in the storage `except`. */
  of(keys: Iterable<string>, except?: string): Map<string, SeenWindow> {
    const seen = new Map<string, SeenWindow>();
    for (const key of keys) {
      const window = this.windows.get(key);
      if (!window || window.storage === except) continue;
      const remainingMs = Math.floor(window.until - performance.now());
      if (remainingMs > 0) seen.set(key, { hits: window.hits, remainingMs });
    }
    return seen;
  }
}
