import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { readOnBehalfOf, recordRefusal, tokenOf } from '../platform/http/caller';
import { forbidden, networkNotAllowed, organizationSuspended } from '../platform/http/fault';
import { accessTo, allows, isOpenToAnyNetwork, mayChange } from '../platform/http/scopes';

/**
 * Checks what the caller may do. Answers 403 if it is outside of the networks of its token, if its organization is
 * suspended, or if the token lacks a scope. Then reads for whom the caller makes a change.
 */
@Injectable()
export class ScopesGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const needed = accessTo(context);
    this.check(context);
    if (needed !== 'public' && mayChange(request.method, needed)) readOnBehalfOf(request);
    return true;
  }

  private check(context: ExecutionContext): void {
    const needed = accessTo(context);
    if (needed === 'public' || needed === 'operator') return; // AuthGuard has recognized the operator
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const { isElsewhere, suspended, scopes } = tokenOf(request)!;
    if (isElsewhere && !isOpenToAnyNetwork(context)) {
      recordRefusal(request, 'network_not_allowed');
      throw networkNotAllowed();
    }
    if (suspended) {
      recordRefusal(request, 'organization_suspended');
      throw organizationSuspended();
    }
    if (allows(scopes, needed)) return;
    const scope = needed.join(' ');
    recordRefusal(request, scope);
    http
      .getResponse<Response>()
      .setHeader('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${scope}"`);
    throw forbidden('insufficient_scope', `The token lacks the scope ${scope}.`);
  }
}
