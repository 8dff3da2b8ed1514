import type { CanActivate } from '@nestjs/common';
import type { Request, Response } from 'express';
import { ScopesGuard } from '../../auth/scopes.guard';
import { authenticate, type CallerToken, type KnownToken, markRouted } from '../../platform/http/caller';

const ID = `tok_${'0'.repeat(26)}`;

/** What an unlimited token of a host's test has, beside an organization and scopes. */
const DEFAULTS = {
  id: ID,
  name: 'Test',
  expiresAt: null,
  rateLimit: null,
  parentId: null,
  windowId: ID,
  isElsewhere: false,
  suspended: false,
} satisfies Partial<KnownToken>;

/** The token of a test. Everything else has a default: an id, the name `Test`, no end and no limit. */
export type TestToken = Pick<CallerToken, 'organizationId' | 'scopes'> & Partial<CallerToken>;

/**
 * A guard in place of `TokenGuard`, by which every request comes from this token, whatever its headers are. It needs
 * no database and counts no requests. A route that requires another scope answers 403, as with `TokenGuard`.
 */
export function asToken(token: TestToken): CanActivate {
  const scopes = new ScopesGuard();
  return {
    canActivate(context) {
      const http = context.switchToHttp();
      const request = http.getRequest<Request>();
      markRouted(request);
      authenticate(request, http.getResponse<Response>(), { ...DEFAULTS, ...token });
      return scopes.canActivate(context);
    },
  };
}
