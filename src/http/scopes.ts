import { type ExecutionContext, SetMetadata } from '@nestjs/common';

/** What a token may do. `admin` is full access; nothing else implies anything else. */
export const SCOPES = ['users:read', 'users:write', 'users:delete', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export const allows = (granted: readonly Scope[], needed: readonly Scope[]) =>
  granted.includes('admin') || needed.every((scope) => granted.includes(scope));

/** The scopes that a route requires, all of them; or that it needs no token. */
export type Access = readonly Scope[] | 'public';

const ACCESS = 'ums:access';

/** A route that names no scope is for admins. */
const DEFAULT: Access = ['admin'];

/** The route, or each of the controller, requires a token with all of these scopes. */
export const Scopes = (...scopes: [Scope, ...Scope[]]) => SetMetadata(ACCESS, scopes);

/** The route, or each of the controller, requires a valid token of any scope. */
export const AnyToken = () => SetMetadata(ACCESS, []);

/** The route, or each of the controller, requires no token and counts towards no limit. */
export const Public = () => SetMetadata(ACCESS, 'public');

/** What a route requires; what its method says overrides what its class says. */
export const accessOf = (handler: Function, controller: Function): Access =>
  Reflect.getMetadata(ACCESS, handler) ?? Reflect.getMetadata(ACCESS, controller) ?? DEFAULT;

/** The same for the route that a guard is asked about. */
export const accessTo = (context: ExecutionContext): Access =>
  accessOf(context.getHandler(), context.getClass());
