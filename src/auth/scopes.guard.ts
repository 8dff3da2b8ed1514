import { type CanActivate, type ExecutionContext, ForbiddenException, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { recordRefusal, tokenOf } from '../http/caller';
import { accessTo, allows } from '../http/scopes';

/** Checks the caller's scopes. Answers 403 if the token lacks one that the route requires. */
@Injectable()
export class ScopesGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const needed = accessTo(context);
    if (needed === 'public') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    if (allows(tokenOf(request)!.scopes, needed)) return true;
    const scope = needed.join(' ');
    recordRefusal(request, scope);
    http
      .getResponse<Response>()
      .setHeader('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${scope}"`);
    throw new ForbiddenException(`The token lacks the scope ${scope}.`);
  }
}
