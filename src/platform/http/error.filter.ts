import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Logger,
  NotFoundException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { connectionBroke, databaseFailure, describeError } from '../database/errors';
import { isRouted } from './caller';
import { invalidInput } from './fault';
import { NO_ROUTE, sendProblem, UNAVAILABLE } from './problem';
import { requestIdOf } from './request-id';
import type { Problem } from './wire-format';

/** Turns exceptions into the request's error body. Errors that the caller did not cause are logged, not disclosed. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Requests');

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    // Without a route, the router rejected the request: its path is unknown or cannot be decoded.
    if (!isRouted(request) && exception instanceof HttpException) exception = new NotFoundException(NO_ROUTE);
    const problem = problemOf(exception);
    // A 501 is not a failure of the service.
    if (problem.status >= 500 && problem.status !== 501)
      logFailure(this.logger, requestIdOf(request), exception);
    if (response.writableEnded) return; // the HTTP parser has rejected the rest of the request, and it has been answered
    // Too late for a body: the broken connection tells the caller that the response is incomplete.
    if (response.headersSent) response.destroy();
    else sendProblem(request, response, problem);
  }
}

function problemOf(exception: unknown): Problem {
  if (databaseFailure(exception) === 'unavailable') {
    return { status: 503, detail: UNAVAILABLE };
  }
  if (databaseFailure(exception) === 'unstorable') {
    exception = invalidInput([
      { field: 'body', code: 'invalid', message: 'contains a value that cannot be stored' },
    ]);
  }
  if (exception instanceof HttpException) {
    const { code, keyword, errors, retryAfter } = exception.getResponse() as Partial<Problem>;
    return {
      status: exception.getStatus(),
      code,
      keyword,
      detail: exception.message,
      errors,
      retryAfter,
    };
  }
  return { status: 500, detail: 'Internal error. Contact the operators with this request id.' };
}

/**
 * Logs why a request was answered with a 5xx. Callers decide how often the service refuses them, so that is one
 * short warning. So is a connection that broke: if the database is gone, the next requests report it. An unavailable
 * database fails every request, wherever it is: only other failures have a stack.
 */
export function logFailure(logger: Logger, requestId: string, exception: unknown): void {
  if (isRefusal(exception)) {
    logger.warn({ requestId, message: exception.message });
    return;
  }
  const cause = (exception instanceof HttpException && exception.cause) || exception;
  const error: { stack?: string } = describeError(cause);
  if (databaseFailure(cause) === 'unavailable') delete error.stack;
  if (connectionBroke(cause))
    logger.warn({ requestId, message: 'the connection to the database broke', error });
  else logger.error({ requestId, error });
}

/** Whether it is a 503 of the service itself: of a limit, or because it is not ready. That of a failure has a cause. */
export const isRefusal = (exception: unknown): exception is HttpException =>
  exception instanceof HttpException && exception.getStatus() === 503 && exception.cause === undefined;
