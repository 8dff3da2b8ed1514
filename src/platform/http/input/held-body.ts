import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import { finalize } from 'rxjs';

/** The response and the handler both hold the memory of a body, which is released when both have ended. */
const holds = new WeakMap<Response, { count: number; release: () => void }>();

/** Holds the memory of a body for the response, until `letGo()` is called. */
export const hold = (response: Response, release: () => void): void =>
  void holds.set(response, { count: 1, release });

export function letGo(response: Response): void {
  const held = holds.get(response)!;
  if (--held.count === 0) held.release();
}

/** Holds the memory of a body while its handler works, even if the caller disconnects. */
@Injectable()
export class HeldBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const response = context.switchToHttp().getResponse<Response>();
    const held = holds.get(response);
    if (!held || held.count === 0) return next.handle();
    held.count++;
    return next.handle().pipe(finalize(() => letGo(response)));
  }
}
