import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { NextFunction, Request, Response } from 'express';

/** The tasks that follow each connection's response in progress. A connection without an entry has no such response. */
const queues = new WeakMap<Duplex, Waiting[]>();

interface Waiting {
  task: () => void;
  /** Undefined if the task serves no request. */
  request?: IncomingMessage;
}

/** A packet has fewer requests, unless it is filled with the shortest ones to waste memory. */
const MAX_WAITING = 1_000;

/**
 * Serves the requests of a connection one after the other. Node emits all requests of a packet at once, so a caller who
 * sends many and reads no response would make the process hold all responses.
 */
export function serveOneAtATime(request: Request, response: Response, next: NextFunction): void {
  const { socket } = request;
  const serve = () => {
    response.once('close', () => continueWith(socket));
    next();
  };
  const queue = queues.get(socket);
  if (!queue) {
    queues.set(socket, []);
    return serve();
  }
  if (queue.length === MAX_WAITING) return void socket.destroy();
  queue.push({ task: serve, request });
  socket.pause();
}

/** Runs the task when all complete requests so far are answered. The rest of an incomplete one will not arrive. */
export function afterResponses(connection: Duplex, task: () => void): void {
  const queue = queues.get(connection);
  if (!queue) return task();
  if (queue.at(-1)?.request?.complete === false) queue.pop();
  queue.push({ task });
}

function continueWith(connection: Duplex): void {
  const queue = queues.get(connection)!;
  // After `Connection: close` the connection is not writable, and the rest of the requests must not be served.
  const next = connection.writable ? queue.shift() : undefined;
  if (queue.length > 0)
    connection.pause(); // Node resumes the connection when a response is sent
  else connection.resume();
  if (next) next.task();
  else queues.delete(connection);
}
