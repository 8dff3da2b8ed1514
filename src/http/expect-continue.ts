import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** The requests that wait, and whether their connections would be kept. */
const waiting = new WeakMap<IncomingMessage, boolean>();

/**
 * A caller that sends `Expect: 100-continue` waits to be asked for its body. Node asks at once; this asks when the body is
 * about to be read. Where that never happens the connection closes, since nobody knows whether a body will still come.
 */
export function deferContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response.shouldKeepAlive);
    response.shouldKeepAlive = false;
    server.emit('request', request, response);
  });
}

/** Asks a caller that is waiting for its body. */
export function inviteBody(request: IncomingMessage, response: ServerResponse): void {
  const keepAlive = waiting.get(request);
  if (keepAlive === undefined) return;
  waiting.delete(request);
  response.shouldKeepAlive = keepAlive;
  response.writeContinue();
}
