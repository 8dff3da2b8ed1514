import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerRequest } from '@nestjs/throttler';
import type { Request, Response } from 'express';
import { isOperator, tokenOf } from '../http/caller';
import { accessTo } from '../http/scopes';
import { OPERATOR_WINDOW, TokenWindows } from './token-windows';

/** Counts the requests of a token across all routes and reports its window in every response. A 429 over the limit. */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  @Inject() private readonly windows: TokenWindows;

  protected override async shouldSkip(context: ExecutionContext): Promise<boolean> {
    return accessTo(context) === 'public';
  }

  protected override async handleRequest({ context }: ThrottlerRequest): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const window = isOperator(request) ? OPERATOR_WINDOW : tokenOf(request)!;
    await this.windows.admit({ request, response: http.getResponse<Response>() }, window);
    return true;
  }
}
