import { Inject, Injectable } from '@nestjs/common';
import { InjectThrottlerStorage } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { SERVICE_OPTIONS } from '../feature/options.module';
import { tokenOf } from '../http/caller';
import type { RateLimitOptions } from './rate-limit.options';
import { windowKey, type WindowStorage } from './window';
import { setWindowHeaders } from './window-headers';

/** Counts requests that write a lot as several. */
@Injectable()
export class RequestCost {
  constructor(
    @InjectThrottlerStorage() private readonly storage: WindowStorage,
    @Inject(SERVICE_OPTIONS) private readonly options: RateLimitOptions,
  ) {}

  /**
   * Counts a request as so many; it has been counted once to be admitted. Refuses nothing: what exceeds the limit is at
   * the expense of the requests that follow in the window.
   */
  async count(
    { request, response }: { request: Request; response: Response },
    requests: number,
  ): Promise<void> {
    if (requests <= 1) return;
    const { organizationId, id, rateLimit } = tokenOf(request)!;
    const limit = rateLimit ?? this.options.rateLimitPerMinute;
    // What the request has written stays written, so its caller must not be told to send it again.
    const window = await this.storage
      .add(windowKey(organizationId, id), requests - 1, limit)
      .catch(() => null);
    if (window) setWindowHeaders(response, limit, window);
  }
}
