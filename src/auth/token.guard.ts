import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  ServiceUnavailableException,
} from '@nestjs/common';
import type { Response } from 'express';
import { databaseFailure } from '../database/errors';
import { RETRY_AFTER_UNAVAILABLE } from '../http/problem';

/** The guards that judge a request, in their order. */
export const GUARDS = Symbol('user management guards');

const passed = new WeakSet<object>();

/**
 * All that stands between a caller and a route. It asks for a symbol and not for the guards, so that any controller can
 * use it, one of an application too; and counts a request once, though class and method both want it.
 */
@Injectable()
export class TokenGuard implements CanActivate {
  constructor(@Inject(GUARDS) private readonly guards: CanActivate[]) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<object>();
    if (passed.has(request)) return true;
    try {
      for (const guard of this.guards) {
        if (!(await guard.canActivate(context))) return false;
      }
    } catch (error) {
      if (databaseFailure(error) !== 'unavailable') throw error;
      // The filter of an application would make a 500 of a driver's error.
      http.getResponse<Response>().setHeader('Retry-After', RETRY_AFTER_UNAVAILABLE);
      throw new ServiceUnavailableException('The database is out of reach or overloaded. Try again.', {
        cause: error,
      });
    }
    passed.add(request);
    return true;
  }
}
