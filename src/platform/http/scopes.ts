import { type ExecutionContext, SetMetadata } from '@nestjs/common';

/** The rights of a token. `admin` grants full access; no other scope implies another. */
export const SCOPES = ['users:read', 'users:write', 'users:delete', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

export const allows = (granted: readonly Scope[], needed: readonly Scope[]) =>
  granted.includes('admin') || needed.every((scope) => granted.includes(scope));

/** The scopes that a route requires, all of them; `public` if it requires no token, `operator` if the operator's. */
export type Access = readonly Scope[] | 'public' | 'operator';

const ACCESS = 'ums:access';

/** The access of a route that declares none. */
const DEFAULT: Access = ['admin'];

/** The route, or every route of the controller, requires a token with all of these scopes. */
export const Scopes = (...scopes: [Scope, ...Scope[]]) => SetMetadata(ACCESS, scopes);

/** The route, or every route of the controller, requires a valid token of any scope. */
export const AnyToken = () => SetMetadata(ACCESS, []);

/** The route, or every route of the controller, requires no token and is not rate limited. */
export const Public = () => SetMetadata(ACCESS, 'public');

/** The route, or every route of the controller, requires the operator's token. */
export const OperatorOnly = () => SetMetadata(ACCESS, 'operator');

const ANY_NETWORK = 'ums:any-network';

/** The route admits a token also from outside of the networks that it is allowed in. */
export const FromAnyNetwork = () => SetMetadata(ANY_NETWORK, true);

export const isOpenToAnyNetwork = (context: ExecutionContext): boolean =>
  Reflect.hasMetadata(ANY_NETWORK, context.getHandler());

/** The access of a route. A declaration on the method overrides one on the class. */
export const accessOf = (handler: Function, controller: Function): Access =>
  Reflect.getMetadata(ACCESS, handler) ?? Reflect.getMetadata(ACCESS, controller) ?? DEFAULT;

/** Whether a route may change something. A search may be a POST, too. */
export const mayChange = (method: string, access: Access): boolean =>
  method !== 'GET' && method !== 'HEAD' && String(access) !== 'users:read';

/** The access of the route that a guard checks. */
export const accessTo = (context: ExecutionContext): Access =>
  accessOf(context.getHandler(), context.getClass());
