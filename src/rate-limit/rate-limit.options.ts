export interface RateLimitOptions {
  /** Requests that a token without a limit of its own may make in a window of 60 seconds. */
  rateLimitPerMinute: number;
  /**
   * Where the windows are counted: `postgres` counts all processes together, and `memory` each process separately,
   * which is correct only for a single process.
   */
  rateLimitStorage: 'postgres' | 'memory';
}
