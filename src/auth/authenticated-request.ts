import type { Request } from 'express';
import type { Scope } from './scopes';

/** What a request knows of its caller. */
export interface CallerToken {
  id: string;
  organizationId: string;
  scopes: Scope[];
}

/** A request that the AuthGuard has let through. */
export interface AuthenticatedRequest extends Request {
  token: CallerToken;
}
