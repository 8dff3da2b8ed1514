import { SetMetadata } from '@nestjs/common';
import type { Scope } from './scopes';

export const REQUIRED_SCOPES = 'ums:scopes';

/** The scopes a token needs for a route, all of them. A route without this is for admins only. */
export const Scopes = (...scopes: [Scope, ...Scope[]]) => SetMetadata(REQUIRED_SCOPES, scopes);

/** Any valid token may call the route, whatever its scopes. */
export const AnyToken = () => SetMetadata(REQUIRED_SCOPES, []);
