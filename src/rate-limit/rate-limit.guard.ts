import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerException, ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { recordRefusal, tokenOf } from '../http/caller';
import { accessTo } from '../http/scopes';
import { type WindowRecord, windowKey } from './window';
import { setWindowHeaders } from './window-headers';

/** Counts the requests of a token across all routes and reports its window in every response. A 429 over the limit. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  protected override async shouldSkip(context: ExecutionContext): Promise<boolean> {
    return accessTo(context) === 'public';
  }

  protected override async handleRequest({
    context,
    limit: serviceLimit,
    ttl,
    throttler,
  }: ThrottlerRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const { organizationId, id, rateLimit } = tokenOf(request)!;
    const limit = rateLimit ?? serviceLimit;
    const key = windowKey(organizationId, id);
    const window = await this.storageService.increment(key, ttl, limit, 0, throttler.name!);
    const { totalHits, timeToExpire } = window;
    setWindowHeaders(response, limit, window as WindowRecord);
    if (totalHits <= limit) return true;
    recordRefusal(request, 'rate_limited');
    response.setHeader('Retry-After', timeToExpire);
    throw new ThrottlerException(
      `Rate limit exceeded: ${limit} requests per ${ttl / 1000} s. Retry in ${timeToExpire} s.`,
    );
  }
}
