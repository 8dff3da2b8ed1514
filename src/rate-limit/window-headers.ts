import type { Response } from 'express';
import type { WindowRecord } from './window';

/** Reports the window of a token in the response. */
export function setWindowHeaders(
  response: Response,
  limit: number,
  { totalHits, resetAt }: WindowRecord,
): void {
  response.setHeader('X-RateLimit-Limit', limit);
  response.setHeader('X-RateLimit-Remaining', Math.max(0, limit - totalHits));
  response.setHeader('X-RateLimit-Reset', Math.ceil(resetAt / 1000));
}
