import { HttpException, type Logger } from '@nestjs/common';
import { databaseFailure, describeError } from '../database/errors';

/**
 * Logs why a request was answered with a 5xx. Callers decide how often a limit refuses them, so that is one short
 * warning. An unavailable database fails every request, wherever it is: only other failures have a stack.
 */
export function logFailure(logger: Logger, requestId: string, exception: unknown): void {
  if (isRefusal(exception)) {
    logger.warn({ requestId, message: exception.message });
    return;
  }
  const cause = (exception instanceof HttpException && exception.cause) || exception;
  const error: { stack?: string } = describeError(cause);
  if (databaseFailure(cause) === 'unavailable') delete error.stack;
  logger.error({ requestId, error });
}

/** Whether a limit of the service has refused the request: such an exception has no cause. */
export const isRefusal = (exception: unknown): exception is HttpException =>
  exception instanceof HttpException && exception.getStatus() === 503 && exception.cause === undefined;
