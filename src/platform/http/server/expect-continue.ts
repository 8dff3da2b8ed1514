import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** The requests that wait for `100 Continue`, with the original keep-alive setting of their connections. */
const waiting = new WeakMap<IncomingMessage, boolean>();

/**
 * Delays `100 Continue` until the body is about to be read; Node would send it at once. If the body is never read, the
 * connection closes, because the caller may or may not send the body after the response.
 */
export function deferContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response.shouldKeepAlive);
    response.shouldKeepAlive = false;
    server.emit('request', request, response);
  });
}

/** Sends `100 Continue` if the caller waits for it. */
export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  const keepAlive = waiting.get(request);
  if (keepAlive === undefined) return;
  waiting.delete(request);
  response.shouldKeepAlive = keepAlive;
  response.writeContinue();
}
