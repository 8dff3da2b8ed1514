import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  RequestMethod,
  UseInterceptors,
} from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/internal';
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
class HeldBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler) {
    const response = context.switchToHttp().getResponse<Response>();
    const held = holds.get(response);
    if (!held || held.count === 0) return next.handle();
    held.count++;
    return next.handle().pipe(finalize(() => letGo(response)));
  }
}

const WITH_BODY: unknown[] = [RequestMethod.POST, RequestMethod.PUT, RequestMethod.PATCH];

/** Holds the bodies of a controller. Routes without one have nothing to hold. */
export const HoldBodies = (): ClassDecorator => (controller) => {
  for (const name of Object.getOwnPropertyNames(controller.prototype)) {
    const value = controller.prototype[name];
    if (WITH_BODY.includes(Reflect.getMetadata(METHOD_METADATA, value)))
      UseInterceptors(HeldBodyInterceptor)(controller.prototype, name, { value });
  }
};
