import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdOf, setCommonHeaders } from './request-id';
import { formatOf, type Problem } from './wire-format';

/** The `Retry-After` of a 503, in seconds. */
export const RETRY_AFTER_UNAVAILABLE = '2';

export const NO_ROUTE = 'There is no such route.';

export const UNAVAILABLE = 'The database is unreachable or overloaded. Try again.';

/** Answers a request with the error body of its wire format and the headers of every error response. */
export function sendProblem(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  setCommonHeaders(request, response);
  const retryAfter = problem.retryAfter ?? (problem.status === 503 ? RETRY_AFTER_UNAVAILABLE : undefined);
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
  const format = formatOf(request);
  const body = format.errorBody(problem, requestIdOf(request));
  response.statusCode = problem.status;
  response.setHeader('Content-Type', `${format.errorType}; charset=utf-8`);
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(request.method === 'HEAD' ? undefined : body);
}
