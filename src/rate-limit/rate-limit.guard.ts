import { Injectable } from '@nestjs/common';
import { ThrottlerException, ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Response } from 'express';
import type { AuthenticatedRequest } from '../auth/authenticated-request';
import type { WindowRecord } from './window';

/** How often: counts the requests of a token, all routes together, and says so on every response. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  // The guard as shipped tells nothing on a 429 but when to come back, and counts seconds where we name the moment.
  protected override async handleRequest({
    context,
    limit,
    ttl,
    blockDuration,
    throttler,
  }: ThrottlerRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const tokenId = http.getRequest<AuthenticatedRequest>().token.id;
    const response = http.getResponse<Response>();
    const window = await this.storageService.increment(tokenId, ttl, limit, blockDuration, throttler.name!);
    const { totalHits, resetAt, timeToExpire } = window as WindowRecord;
    response.setHeader('X-RateLimit-Limit', limit);
    response.setHeader('X-RateLimit-Remaining', Math.max(0, limit - totalHits));
    response.setHeader('X-RateLimit-Reset', Math.ceil(resetAt / 1000));
    if (totalHits <= limit) return true;
    response.setHeader('Retry-After', timeToExpire);
    throw new ThrottlerException(
      `The token has made its ${limit} requests of this minute. Try again in ${timeToExpire} s.`,
    );
  }
}
