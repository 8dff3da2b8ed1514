import { applyDecorators, SetMetadata, UseGuards } from '@nestjs/common';
import type { Scope } from './scopes';
import { TokenGuard } from './token.guard';

export const REQUIRED_SCOPES = 'ums:scopes';

// With its guard: a route that names scopes which nobody asks for would be open to all.
const requiring = (scopes: Scope[]) =>
  applyDecorators(SetMetadata(REQUIRED_SCOPES, scopes), UseGuards(TokenGuard));

/** The route, or each of the controller, wants a token with these scopes, all of them. */
export const Scopes = (...scopes: [Scope, ...Scope[]]) => requiring(scopes);

/** The route, or each of the controller, wants a valid token, whatever its scopes. */
export const AnyToken = () => requiring([]);
