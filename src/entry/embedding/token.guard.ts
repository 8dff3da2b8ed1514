import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Response } from 'express';
import { databaseFailure } from '../../platform/database/errors';
import { unavailable } from '../../platform/http/fault';
import { RETRY_AFTER_UNAVAILABLE, UNAVAILABLE } from '../../platform/http/problem';
import * as scopes from '../../platform/http/scopes';
import { GUARDS } from '../../service.module';

/** The route for which a request has passed: it may come to another one, if a handler of the host passes it on. */
const passed = new WeakMap<object, Function>();

/**
 * Runs the service's three global guards for the routes of a host application. It looks them up, so that every
 * controller of the host can use it. It runs once per request and route, even if both class and method declare scopes.
 */
@Injectable()
export class TokenGuard implements CanActivate {
  /** @internal Nest constructs it. */
  constructor(private readonly modules: ModuleRef) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<object>();
    const handler = context.getHandler();
    if (passed.get(request) === handler) return true;
    const guards = this.guards();
    try {
      for (const guard of guards) {
        if (!(await guard.canActivate(context))) return false;
      }
    } catch (error) {
      if (databaseFailure(error) !== 'unavailable') throw error;
      // The host's filter would turn a driver's error into a 500.
      http.getResponse<Response>().setHeader('Retry-After', RETRY_AFTER_UNAVAILABLE);
      throw unavailable(UNAVAILABLE, { cause: error });
    }
    passed.set(request, handler);
    return true;
  }

  private guards(): CanActivate[] {
    try {
      return this.modules.get(GUARDS, { strict: false });
    } catch (cause) {
      throw new Error('This application has no UserManagementModule, whose tokens the route requires.', {
        cause,
      });
    }
  }
}

// These decorators also apply TokenGuard: without it, nothing in a host would check the scopes.

/** The route of a host application, or every route of its controller, requires a token with all of these scopes. */
export const Scopes = (...required: [scopes.Scope, ...scopes.Scope[]]) =>
  applyDecorators(scopes.Scopes(...required), UseGuards(TokenGuard));

/** The route of a host application, or every route of its controller, requires a valid token of any scope. */
export const AnyToken = () => applyDecorators(scopes.AnyToken(), UseGuards(TokenGuard));
