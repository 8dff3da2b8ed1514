import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { Request, Response } from 'express';
import { PAGE_HEADERS } from '../../dashboard/dashboard.files';
import { databaseFailure } from '../../database/errors';
import { isRefusal, logFailure } from '../../http/error.filter';
import { recordRefusal } from '../../http/caller';
import { RETRY_AFTER_UNAVAILABLE, UNAVAILABLE } from '../../http/problem';
import { requestIdOf, setCommonHeaders } from '../../http/request-id';
import { failurePage } from './failure-page';
import { SignInFailure } from './sign-in-failure';

/** Answers every failure with a page, because a person sees it. */
@Catch()
export class FailurePageFilter implements ExceptionFilter {
  private readonly logger = new Logger('SignIn');

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const failure = error instanceof SignInFailure ? error : this.unexpected(error, requestIdOf(request));
    if (failure.status === 429) recordRefusal(request, 'rate_limited');
    setCommonHeaders(request, response);
    const retryAfter =
      failure.retryAfter?.toString() ?? (failure.status === 503 ? RETRY_AFTER_UNAVAILABLE : undefined);
    if (retryAfter !== undefined) response.set('Retry-After', retryAfter);
    response.status(failure.status).set(PAGE_HEADERS).type('html').send(failurePage(failure));
  }

  private unexpected(error: unknown, requestId: string): SignInFailure {
    logFailure(this.logger, requestId, error);
    return databaseFailure(error) === 'unavailable' || isRefusal(error)
      ? new SignInFailure(503, 'The service does not answer', UNAVAILABLE)
      : new SignInFailure(500, 'Something went wrong', 'The sign-in has failed.', [
          `Request id: ${requestId}`,
        ]);
  }
}
