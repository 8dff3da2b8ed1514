import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { Response } from 'express';
import * as scopes from '../../platform/http/scopes';
import { GUARDS } from '../../service.module';
import { ofService, rethrowUnavailable } from './host-route';

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
    const isAllowed = await this.runGuards(context).catch(rethrowUnavailable(http.getResponse<Response>()));
    if (isAllowed) passed.set(request, handler);
    return isAllowed;
  }

  private async runGuards(context: ExecutionContext): Promise<boolean> {
    for (const guard of ofService<CanActivate[]>(this.modules, GUARDS))
      if (!(await guard.canActivate(context))) return false;
    return true;
  }
}

// These decorators also apply TokenGuard: without it, nothing in a host would check the scopes.

/** The route of a host application, or every route of its controller, requires a token with all of these scopes. */
export const Scopes = (...required: [scopes.Scope, ...scopes.Scope[]]) =>
  applyDecorators(scopes.Scopes(...required), UseGuards(TokenGuard));

/** The route of a host application, or every route of its controller, requires a valid token of any scope. */
export const AnyToken = () => applyDecorators(scopes.AnyToken(), UseGuards(TokenGuard));
