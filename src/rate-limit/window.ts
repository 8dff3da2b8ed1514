import type { ThrottlerStorage } from '@nestjs/throttler';

/** The length of a token's window, which starts with its first request. */
export const WINDOW_MS = 60_000;

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** The result of a hit: the throttler's record, and the end of the window. */
export interface WindowRecord extends ThrottlerRecord {
  /** Unix milliseconds on the clock of the storage. */
  resetAt: number;
}

/** Counts the hits of a token in its window. */
export interface WindowStorage extends ThrottlerStorage {
  increment(tokenId: string, ttl: number, limit: number): Promise<WindowRecord>;
}

/** A window on a server, in Unix milliseconds on its clock. */
export interface CountedWindow {
  hits: number;
  startedAt: number;
  now: number;
}

/** A server that counts for all processes. */
export interface WindowCounter {
  /** The name of the storage in use. */
  readonly storage: string;
  /** How often the fallback had to take over. */
  readonly fallbacks: number;
  /** Adds these hits to the windows of their tokens at once, and returns each window with them. */
  count(hits: ReadonlyMap<string, number>): Promise<Map<string, CountedWindow>>;
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
