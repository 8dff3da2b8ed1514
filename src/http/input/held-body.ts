import {
  BadRequestException,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { finalize } from 'rxjs';
import { holderOf } from '../caller';
import { bodyTooLarge, DEFAULT_BODY_LIMIT } from './body-of-route';
import { networkOf } from '../server/network';
import { type Guest, noRoom, Room } from './room';
import { type UnparsedBody, UnparsedBodies } from './unparsed-bodies';

const MB = 1024 * 1024;

/** A body may wait so long for room. */
const MAX_QUEUE_MS = 5_000;

/** Node reads so much of a body that nobody reads. */
const READ_BY_NODE = 64 * 1024;

/** The bodies of all requests that are not parsed yet. */
const unparsed = new UnparsedBodies(16 * MB);

/** Large ones are counted: one of 1 MB can take 22 MB when it is parsed. */
const large = {
  reading: new Room({ one: 2, all: Infinity }),
  parsed: new Room({ one: 2, all: 4 }),
};

/** Small ones count by their bytes. */
const small = {
  reading: new Room({ one: MB, all: Infinity }),
  parsed: new Room({ one: MB, all: 4 * MB }),
};

/** The response and the handler both hold the memory of a body, which is released when both have ended. */
const holds = new WeakMap<Response, { count: number; release: () => void }>();

/**
 * Reads the body of a request, and returns when there is memory to parse it. Throws a 503 if there is none in time, or
 * if the body is stopped because its owner has too many.
 */
export async function readWithinMemory(
  request: Request,
  response: Response,
  limit: number,
  read: () => Promise<void>,
): Promise<void> {
  const bytes = Number(request.headers['content-length'] ?? limit);
  const isLarge = bytes > DEFAULT_BODY_LIMIT;
  const { parsed, ...room } = isLarge ? large : small;
  const stopping = new AbortController();
  const { signal } = stopping;
  const holder = holderOf(request);
  const owner = holder ?? networkOf(request.ip);
  // Without a token, strangers share an owner: those who stall must not keep the others waiting.
  const reading = holder === undefined ? undefined : room.reading;
  const guest: Guest = { owner, size: isLarge ? 1 : bytes, patienceMs: MAX_QUEUE_MS, signal };
  const body: UnparsedBody = { owner, bytes: 0, stop: () => stopping.abort(noRoom()) };
  let closed = () => stopping.abort(new BadRequestException('The caller has closed the connection.'));
  onceClosed(request, response, () => closed());
  unparsed.set(body, Math.min(bytes, READ_BY_NODE));
  const count = ({ length }: Buffer) => {
    unparsed.set(body, body.bytes + length);
    // The reader would read the rest of the body before it refuses it.
    if (body.bytes > limit) stopping.abort(bodyTooLarge(limit));
  };
  try {
    await reading?.enter(guest);
    try {
      unparsed.set(body, 0);
      request.on('data', count);
      await unlessStopped(signal, read);
      await parsed.enter(guest);
    } finally {
      request.off('data', count);
      reading?.leave(guest);
    }
    const release = () => {
      request.body = undefined; // Node keeps the last request of a connection until the next one
      parsed.leave(guest);
    };
    holds.set(response, { count: 1, release });
    closed = () => letGo(response);
    if (signal.aborted) closed();
    signal.throwIfAborted();
  } catch (error) {
    request.body = undefined;
    if (signal.aborted) stopReading(request, response);
    throw error;
  } finally {
    unparsed.delete(body);
  }
}

async function unlessStopped(signal: AbortSignal, read: () => Promise<void>): Promise<void> {
  signal.throwIfAborted();
  let stop!: () => void;
  const isStopped = new Promise<never>((_, reject) => (stop = () => reject(signal.reason)));
  signal.addEventListener('abort', stop);
  await Promise.race([read(), isStopped]).finally(() => signal.removeEventListener('abort', stop));
}

/** What has arrived is released with the request; otherwise the rest would still be read. */
function stopReading(request: Request, response: Response): void {
  request.pause();
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/** A response that waits behind another one on its connection does not notice that the connection closes. */
function onceClosed({ socket }: Request, response: Response, listener: () => void): void {
  let isOpen = true;
  const close = () => {
    response.off('close', close);
    socket.off('close', close);
    // If both close, the second call comes although its listener has been removed.
    if (isOpen) listener();
    isOpen = false;
  };
  response.once('close', close);
  socket.once('close', close);
  if (response.destroyed || socket.destroyed) close();
}

function letGo(response: Response): void {
  const hold = holds.get(response)!;
  if (--hold.count === 0) hold.release();
}

/** Keeps the memory of a body reserved while its handler works, even if the caller disconnects. */
@Injectable()
export class HeldBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const response = context.switchToHttp().getResponse<Response>();
    const hold = holds.get(response);
    if (!hold || hold.count === 0) return next.handle();
    hold.count++;
    return next.handle().pipe(finalize(() => letGo(response)));
  }
}
