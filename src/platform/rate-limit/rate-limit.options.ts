export interface RateLimitOptions {
  rateLimitPerMinute: number;
  rateLimitStorage: 'postgres' | 'memory';
}
