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
import { BodyRoom } from './body-memory';

const MB = 1024 * 1024;

/** Counts bodies: one of 1 MB can take 22 MB when it is parsed. */
const large = new BodyRoom({ one: 2, all: 4 });

/** Counts bytes. */
const small = new BodyRoom({ one: MB, all: 4 * MB });

/** The response and the handler both hold the room of a body; it is given back when both have ended. */
const holds = new WeakMap<Response, { count: number; give: () => void }>();

/**
 * Waits for room for the body of a request, and then reads it. Throws a 503 if there is no room in time, or if the body arrives
 * so slowly that another organization gets the room.
 */
export async function readInRoom(
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
  const room =
    bytes > DEFAULT_BODY_LIMIT
      ? await large.take(organizationId, 1, close)
      : await small.take(organizationId, bytes, close);
  holdUntilClosed(request, response, room.giveBack);
  await Promise.race([read(), isStopped]).finally(() => room.hasArrived());
}

function holdUntilClosed(request: Request, response: Response, give: () => void): void {
  holds.set(response, { count: 1, give });
  // A response that waits behind another one on its connection does not notice that the connection closes. If both close, the
  // second call comes although its listener has been removed.
  let isOpen = true;
  const close = () => {
    response.off('close', close);
    request.socket.off('close', close);
    if (isOpen) releaseRoom(response);
    isOpen = false;
  };
  response.once('close', close);
  request.socket.once('close', close);
  if (!response.destroyed && !request.socket.destroyed) return;
  close();
  throw new BadRequestException('The caller has closed the connection.');
}

function releaseRoom(response: Response): void {
  const hold = holds.get(response)!;
  if (--hold.count === 0) hold.give();
}

/** Keeps the room of a body while its handler works, even if the caller disconnects. */
@Injectable()
export class HeldBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const response = context.switchToHttp().getResponse<Response>();
    const hold = holds.get(response);
    if (!hold || hold.count === 0) return next.handle();
    hold.count++;
    return next.handle().pipe(finalize(() => releaseRoom(response)));
  }
}

const tooSlow = () =>
  new ServiceUnavailableException('The request body arrives too slowly while others wait. Try again.');
