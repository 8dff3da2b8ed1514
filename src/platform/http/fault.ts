import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  type HttpExceptionOptions,
  NotFoundException,
  ServiceUnavailableException,
  UnauthorizedException,
} from '@nestjs/common';

export type FaultCode =
  | 'required'
  | 'unknown'
  | 'immutable'
  | 'taken'
  | 'invalid'
  | 'too_short'
  | 'too_long'
  | 'too_many'
  | 'out_of_range'
  | 'not_found';

/** A fault of one field. The message completes "<field> …" and never repeats the value. */
export interface Fault {
  field: string;
  code: FaultCode;
  message: string;
}

/** Limits the response, because a crafted body can have thousands of faults. */
const MAX_LISTED = 100;

/** The faults that a response shows. */
export const listed = (faults: readonly Fault[]): Fault[] => faults.slice(0, MAX_LISTED);

/** The 400 that names every faulty field. */
export const invalidInput = (
  errors: Fault[],
  code = 'validation_failed',
  message = errors.length === 1 ? '1 field is invalid.' : `${errors.length} fields are invalid.`,
) => new BadRequestException({ statusCode: 400, code, message, errors: listed(errors) });

// The bodies have one shape, which a host application's own filter can rely on.
export const notFound = (message: string) =>
  new NotFoundException({ statusCode: 404, code: 'not_found', message });

export const unauthorized = (message: string) =>
  new UnauthorizedException({ statusCode: 401, code: 'unauthorized', message });

/** A request cannot name an unknown organization, but a host application can. */
export const noSuchOrganization = () => notFound('There is no such organization.');

export const forbidden = (code: string, message: string) =>
  new ForbiddenException({ statusCode: 403, code, message });

/** The 403 of everybody who uses a suspended organization, except the application itself. */
export const organizationSuspended = () =>
  forbidden(
    'organization_suspended',
    'The organization is suspended. Only the operator of the service can resume it.',
  );

/** The 403 of a token outside of its networks. It names no address, so that a thief learns nothing. */
export const networkNotAllowed = () =>
  forbidden(
    'network_not_allowed',
    'The token may not be used from this network. An admin can change its allowedNetworks.',
  );

export const unavailable = (message: string, options?: HttpExceptionOptions) =>
  new ServiceUnavailableException({ statusCode: 503, code: 'unavailable', message }, options);

export const conflict = (message: string, errors?: Fault[]) =>
  new ConflictException({ statusCode: 409, code: 'conflict', message, ...(errors && { errors }) });

/** The 409 that names the field with the taken value. */
export const taken = (error: Fault) => conflict(`The ${error.field} ${error.message}.`, [error]);
