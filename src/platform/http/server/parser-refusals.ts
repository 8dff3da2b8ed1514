import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, STATUS_CODES, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { NextFunction, Request, Response } from 'express';
import { sendProblem } from '../problem';
import { API_FORMAT, type Problem } from '../wire-format';
import { afterResponses } from './one-at-a-time';
import { SMALL_CHUNKS } from './small-chunks';

/** A connection with the response in progress on it. */
type Connection = Duplex & { _httpMessage?: ServerResponse };

/** Sends the error body and an X-Request-ID for requests that Node's HTTP parser rejects: they never reach Express. */
export function answerParserRefusals(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, connection: Connection) => {
    if (!connection.writable) return void connection.destroy();
    const problem = problemBehind(error);
    const response = connection._httpMessage;
    if (!response) return rejectConnection(connection, problem);
    // The response belongs to an earlier, complete request. It is sent first, as are those of the requests after it.
    if (response.req.complete) return afterResponses(connection, () => rejectConnection(connection, problem));
    if (response.headersSent) return void connection.destroy();
    response.setHeader('Connection', 'close');
    sendProblem(response.req, response, problem);
  });

  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Connection', 'close');
    sendProblem(request, response, {
      status: 417,
      detail: 'The only supported expectation is 100-continue.',
    });
  });

  // Node's own answer to a missing Host lacks the common headers; `requireTarget` sends one that has them.
  (server as Server & { requireHostHeader: boolean }).requireHostHeader = false;
}

const malformedRequest = (detail: string): Pick<Problem, 'detail' | 'errors'> => ({
  detail,
  errors: [{ field: 'request', code: 'invalid', message: 'must be well-formed HTTP' }],
});

function problemBehind({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, detail: 'The headers are too large.' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, detail: 'The request took too long to arrive.' };
  if (code === SMALL_CHUNKS)
    return {
      status: 400,
      detail: 'The request body comes in too many small chunks. Send larger ones, or a Content-Length.',
      errors: [{ field: 'body', code: 'too_many', message: 'must come in fewer chunks' }],
    };
  return { status: 400, ...malformedRequest('The request is not valid HTTP.') };
}

/** Writes an error response to a connection without a request object, and so without a path, and closes it. */
function rejectConnection(connection: Connection, problem: Problem): void {
  const requestId = randomUUID();
  const body = API_FORMAT.errorBody(problem, requestId);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `X-Request-ID: ${requestId}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `Content-Type: ${API_FORMAT.errorType}; charset=utf-8`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  connection.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => connection.destroy());
}

/** A path and a query, without a fragment; `*` is for OPTIONS. */
const TARGET = /^(\/[^#]*|\*)$/;

/** Replaces a target that is not a path, because Express fails on some of these before its first middleware. */
export function replaceStrangeTargets(server: Server): void {
  server.prependListener('request', (request: IncomingMessage) => {
    if (!TARGET.test(request.url!)) request.url = 'invalid';
  });
}

/** Rejects HTTP/1.1 requests without a Host header, and requests whose target is no path. */
export function requireTarget(request: Request, response: Response, next: NextFunction): void {
  const { url, method, headers, httpVersion } = request;
  const isPath = url.startsWith('/') || (url === '*' && method === 'OPTIONS');
  const hasHost = headers.host !== undefined || httpVersion === '1.0';
  if (isPath && hasHost) return next();
  response.setHeader('Connection', 'close');
  const detail = isPath ? 'The Host header is missing.' : 'The target of the request is not a path.';
  sendProblem(request, response, { status: 400, ...malformedRequest(detail) });
}
