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
    for (const [tokenId, { hits, startedAt, now }] of windows) {
      const known = this.windows.get(tokenId);
      // Answers may arrive in another order than they were counted.
      if (known && known.storage === storage && known.until > askedAt && known.hits > hits) continue;
      this.windows.set(tokenId, { hits, until: askedAt + startedAt + WINDOW_MS - now, storage });
    }
  }

  /** The windows of these tokens that have not ended, without those last seen in `except`. */
  of(tokenIds: Iterable<string>, except?: string): Map<string, SeenWindow> {
    const seen = new Map<string, SeenWindow>();
    for (const tokenId of tokenIds) {
      const window = this.windows.get(tokenId);
      if (!window || window.storage === except) continue;
      const remainingMs = Math.floor(window.until - performance.now());
      if (remainingMs > 0) seen.set(tokenId, { hits: window.hits, remainingMs });
    }
    return seen;
  }
}
