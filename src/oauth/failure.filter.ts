import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { recordRefusal } from '../platform/http/caller';
import { ErrorFilter } from '../platform/http/error.filter';
import { type NetworkLimit, NetworkLimiter } from '../platform/rate-limit/network-limiter';
import { usesBasic } from './client-credentials.grant';

/** Whoever guesses secrets fails often. Those who are right are not counted. */
export const FAILURES: NetworkLimit = { name: 'token endpoint', limit: 60, per: 'minute' };

/** Answers failures of the token endpoint, and counts those of each network that are its fault. */
@Catch()
@Injectable()
export class OAuthFailureFilter implements ExceptionFilter {
  private readonly errors = new ErrorFilter();

  constructor(private readonly limiter: NetworkLimiter) {}

  async catch(exception: unknown, host: ArgumentsHost): Promise<void> {
    const http = host.switchToHttp();
    const judged = this.judge(exception, http.getRequest<Request>(), http.getResponse<Response>());
    this.errors.catch(await judged.catch((error: unknown) => error), host);
  }

  /** The failure that is shown. */
  private async judge(exception: unknown, request: Request, response: Response): Promise<unknown> {
    if (!(exception instanceof HttpException)) return exception;
    const status = exception.getStatus();
    if (status >= 500 || status === 429) return exception;
    const { isBlocked, timeToExpire: retryAfter } = await this.limiter.count(request.ip, FAILURES);
    if (isBlocked) {
      recordRefusal(request, 'rate_limited');
      const message = `Too many requests from your network have failed. Retry in ${retryAfter} s.`;
      return new HttpException({ message, retryAfter }, 429);
    }
    if (status === 401) {
      recordRefusal(request, 'invalid_client');
      // A host may have answered in the meantime.
      if (usesBasic(request) && !response.headersSent) response.setHeader('WWW-Authenticate', 'Basic');
      return exception;
    }
    return new HttpException(exception.getResponse(), 400, { cause: exception }); // also for a 413 or 415
  }
}
