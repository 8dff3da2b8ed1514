import {
  BadRequestException,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  ServiceUnavailableException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { finalize } from 'rxjs';
import { tokenOf } from '../caller';
import { DEFAULT_BODY_LIMIT } from './body-limit';
import { BodyMemory } from './body-memory';

const MB = 1024 * 1024;

/** Counts bodies: one of 1 MB can take 22 MB when it is parsed. */
const large = new BodyMemory({ one: 2, all: 4 });

/** Counts bytes. */
const small = new BodyMemory({ one: MB, all: 4 * MB });

/** The response and the handler both hold the memory of a body, which is released when both have ended. */
const holds = new WeakMap<Response, { count: number; release: () => void }>();

/**
 * Waits for the memory that the body of a request takes, and then reads it. Throws a 503 if there is none in time, or
 * if the body arrives so slowly that another organization gets the memory.
 */
export async function readWithinMemory(
  request: Request,
  response: Response,
  limit: number,
  read: () => Promise<void>,
): Promise<void> {
  const bytes = Number(request.headers['content-length'] ?? limit);
  const organizationId = tokenOf(request)?.organizationId ?? '';
  let stop!: () => void;
  const isStopped = new Promise<never>((_, reject) => (stop = () => reject(tooSlow())));
  isStopped.catch(() => {});
  const close = () => {
    response.setHeader('Connection', 'close'); // or the parser would go on to read
    stop();
  };
  const reservation =
    bytes > DEFAULT_BODY_LIMIT
      ? await large.reserve(organizationId, 1, close)
      : await small.reserve(organizationId, bytes, close);
  holdUntilClosed(request, response, reservation.release);
  await Promise.race([read(), isStopped]).finally(() => reservation.hasArrived());
}

function holdUntilClosed(request: Request, response: Response, release: () => void): void {
  holds.set(response, { count: 1, release });
  // A response that waits behind another one on its connection does not notice that the connection closes. If both
  // close, the second call comes although its listener has been removed.
  let isOpen = true;
  const close = () => {
    response.off('close', close);
    request.socket.off('close', close);
    if (isOpen) letGo(response);
    isOpen = false;
  };
  response.once('close', close);
  request.socket.once('close', close);
  if (!response.destroyed && !request.socket.destroyed) return;
  close();
  throw new BadRequestException('The caller has closed the connection.');
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

const tooSlow = () =>
  new ServiceUnavailableException('The request body arrives too slowly while others wait. Try again.');
