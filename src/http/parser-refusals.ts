import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import { type Problem, problemBody, sendProblem } from './problem';

/** What Node's HTTP parser refuses never reaches Express, so here it gets the error body and an X-Request-ID. */
export function answerParserRefusals(server: Server): void {
  server.on(
    'clientError',
    (error: NodeJS.ErrnoException, socket: Socket & { _httpMessage?: ServerResponse }) => {
      // An answer that has begun cannot become another one.
      if (!socket.writable || socket._httpMessage?.headersSent) return void socket.destroy();
      socket.end(rawResponse(refusalOf(error)), () => socket.destroy());
    },
  );

  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Connection', 'close');
    sendProblem(request, response, {
      status: 417,
      detail: 'The only expectation that is met is 100-continue.',
    });
  });

  // Node answers a missing Host itself, without the headers; `requireHost` does it instead.
  (server as Server & { requireHostHeader: boolean }).requireHostHeader = false;
}

/** HTTP/1.1 wants a Host on every request. */
export function requireHost(request: Request, response: Response, next: NextFunction): void {
  if (request.headers.host !== undefined || request.httpVersion === '1.0') return next();
  response.setHeader('Connection', 'close');
  sendProblem(request, response, { status: 400, ...badRequest('The Host header is missing.') });
}

const badRequest = (detail: string): Pick<Problem, 'detail' | 'errors'> => ({
  detail,
  errors: [{ field: 'request', code: 'invalid', message: 'must be well-formed HTTP' }],
});

function refusalOf({ code }: NodeJS.ErrnoException): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, detail: 'The headers are too large.' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, detail: 'The request took too long to arrive.' };
  return { status: 400, ...badRequest('This is not an HTTP request.') };
}

function rawResponse(problem: Problem): string {
  const requestId = randomUUID();
  const body = problemBody(problem, requestId);
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `X-Request-ID: ${requestId}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
