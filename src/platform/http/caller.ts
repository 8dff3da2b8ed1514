import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OPERATOR_SHARE } from '../fairness/owners';
import { requestIdOf } from './request-id';
import type { Scope } from './scopes';
import { onBehalfOf, principalOf } from './server/on-behalf-of';
import { formatOf, type Source } from './wire-format';

/** The token that a request was made with. */
export interface CallerToken {
  id: string;
  organizationId: string;
  name: string;
  scopes: Scope[];
  /** Null if it never expires. */
  expiresAt: Date | null;
  /** The number of requests that it may make in a minute; null if the limit of the service applies. */
  rateLimit: number | null;
  /** The token whose value was exchanged for this one; null if none was. */
  parentId: string | null;
}

/** The same token as the guards know it. */
export interface KnownToken extends CallerToken {
  /** In whose window its requests count: usually its own id. */
  windowId: string;
  /** Whether the request comes from outside of the networks of the token, so that it may only revoke itself. */
  isElsewhere: boolean;
  /** Whether its organization is suspended, so that it may do nothing. */
  suspended: boolean;
}

/** The operator, whose token is of no organization and in no table: its name as an actor and in the log. */
export const OPERATOR = 'operator';
export type Operator = typeof OPERATOR;

/** The caller of a service method: its organization, actor and origin, as an audit trail must record them. */
export interface Caller {
  organizationId: string;
  /** A token, or a program such as `ums users import`. */
  actor: { type: 'token'; id: string; name: string } | { type: 'system'; id: null; name: string };
  source: Source;
  requestId: string | null;
  /** The person for whom the caller acts, in its own words: 1 to 200 characters. It grants nothing. */
  onBehalfOf?: string;
}

/** The first argument of a service method. A plain organization id means that the host application is the caller. */
export type By = Caller | string;

export function callerOf(by: By): Caller {
  if (typeof by === 'string') return systemCaller(by, 'application', 'application');
  // That of a host application has not been checked.
  return by.onBehalfOf == null ? by : { ...by, onBehalfOf: principalOf(by.onBehalfOf, 'onBehalfOf') };
}

/** A caller that is a program rather than a token. */
export const systemCaller = (organizationId: string, source: Source, name: string): Caller => ({
  organizationId,
  actor: { type: 'system', id: null, name },
  source,
  requestId: null,
});

/** A caller that is a program rather than a token, and made this request. */
export const systemCallerIn = (
  request: IncomingMessage,
  organizationId: string,
  source: Source,
  name: string,
): Caller => ({ ...systemCaller(organizationId, source, name), ...saidBy(request) });

/** The operator, as the caller of a service method in one organization. */
export const operatorIn = (organizationId: string, request: IncomingMessage): Caller =>
  systemCallerIn(request, organizationId, 'api', OPERATOR);

/**
 * The requests that a route has taken, with their caller, and why they are rejected. Not properties of the request,
 * because a host application may set a `caller` of its own.
 */
const routed = new WeakMap<
  IncomingMessage,
  { caller?: KnownToken | Operator; refusal?: string; onBehalfOf?: string }
>();

/** Called by the AuthGuard, which every route runs first. */
export const markRouted = (request: IncomingMessage): void => void routed.set(request, {});

/** Whether a route has taken the request. */
export const isRouted = (request: IncomingMessage): boolean => routed.has(request);

/** Makes this the caller of the request, and says in the response when its token ends. */
export function authenticate(
  request: IncomingMessage,
  response: ServerResponse,
  caller: KnownToken | Operator,
): void {
  routed.get(request)!.caller = caller;
  if (caller === OPERATOR || !caller.expiresAt) return;
  response.setHeader('X-Token-Expires-At', caller.expiresAt.toISOString());
}

/** Reads for whom the request acts, which events of its changes have. Throws a 400 if that is malformed. */
export function readOnBehalfOf(request: IncomingMessage): void {
  routed.get(request)!.onBehalfOf = onBehalfOf(request);
}

/** What a request says of itself. */
const saidBy = (request: IncomingMessage): Pick<Caller, 'requestId' | 'onBehalfOf'> => ({
  requestId: requestIdOf(request),
  onBehalfOf: routed.get(request)?.onBehalfOf,
});

export const isOperator = (request: IncomingMessage): boolean => routed.get(request)?.caller === OPERATOR;

/** Undefined until the request has been authenticated, and if the operator sent it. */
export function tokenOf(request: IncomingMessage): KnownToken | undefined {
  const caller = routed.get(request)?.caller;
  return caller === OPERATOR ? undefined : caller;
}

/** Whose share of the memory the request takes: an organization's or the operator's. Undefined without a token. */
export const holderOf = (request: IncomingMessage): string | undefined =>
  isOperator(request) ? OPERATOR_SHARE : tokenOf(request)?.organizationId;

/**
 * Records why a request is rejected: `missing_token`, `invalid_token`, `invalid_client`, `rate_limited`,
 * `network_not_allowed`, `organization_suspended`, or the missing scope.
 */
export function recordRefusal(request: IncomingMessage, reason: string): void {
  routed.get(request)!.refusal = reason;
}

export const refusalOf = (request: IncomingMessage): string | undefined => routed.get(request)?.refusal;

const tokenIn = (context: ExecutionContext): KnownToken =>
  tokenOf(context.switchToHttp().getRequest<IncomingMessage>())!;

/** The token that the request was made with. */
export const CurrentToken = createParamDecorator((_data: unknown, context: ExecutionContext): CallerToken => {
  const { id, organizationId, name, scopes, expiresAt, rateLimit, parentId } = tokenIn(context);
  return { id, organizationId, name, scopes, expiresAt, rateLimit, parentId };
});

/** The organization of the request, which comes only from the token. */
export const OrganizationId = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => tokenIn(context).organizationId,
);

/** The caller of the request, as the first argument of a service method. */
export function callerIn(context: ExecutionContext): Caller {
  const { organizationId, parentId, id: ownId, name } = tokenIn(context);
  const id = parentId ?? ownId; // it has the name of its parent, too
  const request = context.switchToHttp().getRequest<IncomingMessage>();
  const { source } = formatOf(request);
  return { organizationId, actor: { type: 'token', id, name }, source, ...saidBy(request) };
}

export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  callerIn(context),
);
