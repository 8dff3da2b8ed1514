import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AuthenticatedRequest, CallerToken } from './authenticated-request';

const tokenOf = (context: ExecutionContext): CallerToken =>
  context.switchToHttp().getRequest<AuthenticatedRequest>().token;

/** The token that the request was made with. */
export const CurrentToken = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  tokenOf(context),
);

/** The organization of the request. It comes from the token and from nowhere else. */
export const OrganizationId = createParamDecorator(
  (_data: unknown, context: ExecutionContext) => tokenOf(context).organizationId,
);
