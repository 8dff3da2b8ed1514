import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Logger,
  NotFoundException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { databaseFailure, describeError } from '../database/errors';
import { type Fault, invalidInput } from './fault';
import { type Problem, sendProblem } from './problem';
import { identify } from './request-id';

/** Any throw becomes the one error body. A cause that the caller did not give is logged and not told. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('Error');

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const problem = problemOf(exception);
    if (problem.status >= 500) {
      const error = (exception instanceof HttpException && exception.cause) || exception;
      this.logger.error({ requestId: identify(request, response), error: describeError(error) });
    }
    if (response.writableEnded) return; // answered already, by what refuses the rest of a broken request
    // Too late for a body: the caller learns from the broken connection that the answer is not whole.
    if (response.headersSent) response.destroy();
    else sendProblem(request, response, problem);
  }
}

/** For what the router turns away before any controller: an unknown path, or one that cannot be decoded. */
@Catch()
export class UnroutedFilter extends ErrorFilter {
  override catch(exception: unknown, host: ArgumentsHost): void {
    super.catch(
      exception instanceof HttpException
        ? new NotFoundException('There is nothing at this path.')
        : exception,
      host,
    );
  }
}

function problemOf(exception: unknown): Problem {
  if (databaseFailure(exception) === 'unavailable') {
    return { status: 503, detail: 'The database is out of reach or overloaded. Try again.' };
  }
  if (databaseFailure(exception) === 'unstorable') {
    exception = invalidInput([
      { field: 'body', code: 'invalid', message: 'holds a value that cannot be stored' },
    ]);
  }
  if (exception instanceof HttpException) {
    const { code, errors } = exception.getResponse() as { code?: string; errors?: Fault[] };
    return { status: exception.getStatus(), code, detail: exception.message, errors };
  }
  return { status: 500, detail: 'The service failed. Tell its operators the request id.' };
}
