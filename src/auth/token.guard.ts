import {
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  ServiceUnavailableException,
} from '@nestjs/common';
import type { Response } from 'express';
import { databaseFailure } from '../database/errors';
import { RETRY_AFTER_UNAVAILABLE, UNAVAILABLE } from '../http/problem';

/** The injection token of the three global guards, in their order. */
export const GUARDS = Symbol('user management guards');

const passed = new WeakSet<object>();

/**
 * Runs the three global guards for the routes of a host application. They are injected by a symbol, so that every
 * controller of the host can use this guard. It runs once per request, even if both class and method declare scopes.
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
      // The host's filter would turn a driver's error into a 500.
      http.getResponse<Response>().setHeader('Retry-After', RETRY_AFTER_UNAVAILABLE);
      throw new ServiceUnavailableException(UNAVAILABLE, {
        cause: error,
      });
    }
    passed.add(request);
    return true;
  }
}
