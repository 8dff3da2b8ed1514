import type { ThrottlerStorage } from '@nestjs/throttler';

/** The length of a token's window, which starts with its first request. */
export const WINDOW_MS = 60_000;

/** Two windows of a token that start closer together than this are the same window, counted in two storages. */
export const SAME_WINDOW_MS = WINDOW_MS / 2;

/** A window that starts this far in the future dates from before the server's clock was set back, and is over. */
export const MAX_AHEAD_MS = 1_000;

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** The result of a hit: the throttler's record, and the end of the window. */
export interface WindowRecord extends ThrottlerRecord {
  /** Unix milliseconds on the clock of the storage. */
  resetAt: number;
}

/** The key of a caller, usually a token. A cluster keeps the windows of an organization together, so it names both. */
export const windowKey = (organizationId: string, tokenId: string): string => `${organizationId} ${tokenId}`;

export const idsOf = (key: string) => key.split(' ') as [organizationId: string, tokenId: string];

/** Counts the hits of a caller, which is named by its `windowKey()`, in its window. */
export interface WindowStorage extends ThrottlerStorage {
  increment(key: string, ttl: number, limit: number): Promise<WindowRecord>;
}

/** A window on a server, in Unix milliseconds on its clock. */
export interface CountedWindow {
  hits: number;
  startedAt: number;
  now: number;
}

/** What a process has seen of a window. It has no time of day, because the clocks of two servers differ. */
export interface SeenWindow {
  hits: number;
  remainingMs: number;
}

/** A server that counts for all processes. */
export interface WindowCounter {
  /** The name of the storage in use. */
  readonly storage: string;
  /** How long its windows last. */
  readonly windowMs: number;
  /** How often the fallback had to take over. */
  readonly fallbacks: number;
  /** Whether each organization is counted by a statement of its own, because the node of one may be down while others answer. */
  readonly countsPerOrganization: boolean;
  /**
   * Adds these hits to the windows of their keys at once, and returns each window with them. A window with fewer hits than were
   * `seen` continues from the seen hits.
   */
  count(
    hits: ReadonlyMap<string, number>,
    seen?: ReadonlyMap<string, SeenWindow>,
  ): Promise<Map<string, CountedWindow>>;
}

/** The record of a hit in a window that ends in `remainingMs`. */
export const windowRecord = (
  totalHits: number,
  limit: number,
  resetAt: number,
  remainingMs: number,
): WindowRecord => {
  const timeToExpire = Math.max(1, Math.ceil(remainingMs / 1000));
  return { totalHits, resetAt, timeToExpire, isBlocked: totalHits > limit, timeToBlockExpire: timeToExpire };
};
