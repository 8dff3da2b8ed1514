import { HttpException, Inject, Injectable } from '@nestjs/common';
import { InjectThrottlerStorage } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { OPERATOR_SHARE } from '../fairness/owners';
import { SERVICE_OPTIONS } from '../feature/options.module';
import { type KnownToken, OPERATOR, recordRefusal, tokenOf } from '../http/caller';
import type { RateLimitOptions } from './rate-limit.options';
import { WINDOW_MS, windowKey, type WindowRecord, type WindowStorage } from './window';

interface RequestAndResponse {
  request: Request;
  response: Response;
}

/** Whose window it is, and how many requests it has: null if the limit of the service applies. */
type TokenWindow = Pick<KnownToken, 'organizationId' | 'windowId' | 'rateLimit'>;

/** The window of the operator, which no setting changes. */
export const OPERATOR_WINDOW: TokenWindow = {
  organizationId: OPERATOR_SHARE,
  windowId: OPERATOR,
  rateLimit: 1000,
};

/** Counts the requests of tokens, and reports their windows in the responses. */
@Injectable()
export class TokenWindows {
  constructor(
    @InjectThrottlerStorage() private readonly storage: WindowStorage,
    @Inject(SERVICE_OPTIONS) private readonly options: RateLimitOptions,
  ) {}

  /** Counts a request. Throws a 429 over the limit. */
  async admit({ request, response }: RequestAndResponse, window: TokenWindow): Promise<void> {
    const limit = this.limitOf(window);
    const record = await this.storage.increment(keyOf(window), WINDOW_MS, limit);
    setHeaders(response, limit, record);
    const { totalHits, timeToExpire } = record;
    if (totalHits <= limit) return;
    recordRefusal(request, 'rate_limited');
    response.setHeader('Retry-After', timeToExpire);
    const message = `Rate limit exceeded: ${limit} requests per ${WINDOW_MS / 1000} s. Retry in ${timeToExpire} s.`;
    throw new HttpException({ statusCode: 429, code: 'rate_limited', message }, 429);
  }

  /**
   * Counts a request that writes a lot as so many; it has been counted once to be admitted. Refuses nothing: what
   * exceeds the limit is at the expense of the requests that follow in the window.
   */
  async addCost({ request, response }: RequestAndResponse, requests: number): Promise<void> {
    if (requests <= 1) return;
    const window = tokenOf(request)!;
    const limit = this.limitOf(window);
    // What the request has written stays written, so its caller must not be told to send it again.
    const record = await this.storage.add(keyOf(window), requests - 1, limit).catch(() => null);
    if (record) setHeaders(response, limit, record);
  }

  private limitOf({ rateLimit }: TokenWindow): number {
    return rateLimit ?? this.options.rateLimitPerMinute;
  }
}

const keyOf = ({ organizationId, windowId }: TokenWindow) => windowKey(organizationId, windowId);

function setHeaders(response: Response, limit: number, { totalHits, resetAt }: WindowRecord): void {
  response.setHeader('X-RateLimit-Limit', limit);
  response.setHeader('X-RateLimit-Remaining', Math.max(0, limit - totalHits));
  response.setHeader('X-RateLimit-Reset', Math.ceil(resetAt / 1000));
}
