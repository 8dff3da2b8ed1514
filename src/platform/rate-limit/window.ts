import type { ThrottlerStorage } from '@nestjs/throttler';

/** The length of a token's window, which starts with its first request. */
export const WINDOW_MS = 60_000;

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** The result of a hit: the throttler's record, and the end of the window. */
export interface WindowRecord extends ThrottlerRecord {
  /** Unix milliseconds on the clock of the storage. */
  resetAt: number;
}

/** The key of a caller, usually a token. A cluster keeps the windows of an organization together, so it names both. */
export const windowKey = (organizationId: string, tokenId: string): string => `${organizationId} ${tokenId}`;

export const splitKey = (key: string) => key.split(' ') as [organizationId: string, tokenId: string];

/** Counts the hits of a caller, which is named by its `windowKey()`, in its window. */
export abstract class WindowStorage implements ThrottlerStorage {
  increment(key: string, _ttl: number, limit: number): Promise<WindowRecord> {
    return this.add(key, 1, limit);
  }

  /** Counts any number of hits at once, also beyond the limit. */
  abstract add(key: string, hits: number, limit: number): Promise<WindowRecord>;
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
