import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerException, ThrottlerGuard } from '@nestjs/throttler';
import type { Response } from 'express';
import type { AuthenticatedRequest } from '../auth/authenticated-request';
import type { WindowRecord } from './window';

/** How often: counts the requests of a token, all routes together, and says so on every response. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  // One limit holds for all routes alike: what the guard as shipped looks up of each route, for every request, is not there.
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const [{ name, limit, ttl }] = this.throttlers as { name: string; limit: number; ttl: number }[];
    const http = context.switchToHttp();
    const tokenId = http.getRequest<AuthenticatedRequest>().token.id;
    const response = http.getResponse<Response>();
    const window = await this.storageService.increment(tokenId, ttl, limit, 0, name);
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
