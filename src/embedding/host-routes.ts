import { applyDecorators, UseGuards } from '@nestjs/common';
import * as scopes from '../http/scopes';
import { TokenGuard } from './token.guard';

// These decorators also apply TokenGuard: without it, nothing in a host would check the scopes.

/** The route of a host application, or every route of its controller, requires a token with all of these scopes. */
export const Scopes = (...required: [scopes.Scope, ...scopes.Scope[]]) =>
  applyDecorators(scopes.Scopes(...required), UseGuards(TokenGuard));

/** The route of a host application, or every route of its controller, requires a valid token of any scope. */
export const AnyToken = () => applyDecorators(scopes.AnyToken(), UseGuards(TokenGuard));
