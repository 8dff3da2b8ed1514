import { type CanActivate, type ExecutionContext, ForbiddenException, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import type { AuthenticatedRequest } from './authenticated-request';
import { allows, type Scope } from './scopes';
import { REQUIRED_SCOPES } from './scopes.decorator';

/** Whether the caller may: 403 without the route's scopes. */
@Injectable()
export class ScopesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const { token } = http.getRequest<AuthenticatedRequest>();
    const needed = this.reflector.getAllAndOverride<Scope[] | undefined>(REQUIRED_SCOPES, [
      context.getHandler(),
      context.getClass(),
    ]) ?? ['admin' as const];
    if (allows(token.scopes, needed)) return true;
    const scope = needed.join(' ');
    http
      .getResponse<Response>()
      .setHeader('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${scope}"`);
    throw new ForbiddenException(`The token lacks the scope ${scope}.`);
  }
}
