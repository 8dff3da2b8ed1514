import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Fault } from './fault';
import { requestIdOf, setCommonHeaders } from './request-id';

/** The contents of an error response, independent of a request. */
export interface Problem {
  status: number;
  /** Default: the code of the status. */
  code?: string;
  detail: string;
  errors?: Fault[];
  /** The `Retry-After`, in seconds; every 503 has one. */
  retryAfter?: number;
}

const CODES: Record<number, string> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'insufficient_scope',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'conflict',
  412: 'precondition_failed',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  417: 'expectation_failed',
  422: 'idempotency_mismatch',
  428: 'precondition_required',
  429: 'rate_limited',
  431: 'headers_too_large',
  503: 'unavailable',
};

/** The `Retry-After` of a 503, in seconds. */
export const RETRY_AFTER_UNAVAILABLE = '2';

/** The one error body (RFC 9457). */
export const problemBody = ({ status, code, detail, errors }: Problem, requestId: string) =>
  JSON.stringify({
    title: STATUS_CODES[status],
    status,
    code: code ?? CODES[status] ?? 'internal_error',
    detail,
    requestId,
    errors,
  });

export const NO_ROUTE = 'There is no such route.';

export const UNAVAILABLE = 'The database is unreachable or overloaded. Try again.';

/** Answers a request with the error body and the headers of every error response. */
export function sendProblem(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  setCommonHeaders(request, response);
  const retryAfter = problem.retryAfter ?? (problem.status === 503 ? RETRY_AFTER_UNAVAILABLE : undefined);
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
  const body = problemBody(problem, requestIdOf(request));
  response.statusCode = problem.status;
  response.setHeader('Content-Type', 'application/problem+json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(request.method === 'HEAD' ? undefined : body);
}
