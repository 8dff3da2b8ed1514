import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  NotFoundException,
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

/** A request cannot name an unknown organization, but a host application can. */
export const noSuchOrganization = () => notFound('There is no such organization.');

/** The 403 of everybody who uses a suspended organization, except the application itself. */
export const organizationSuspended = () =>
  new ForbiddenException({
    statusCode: 403,
    code: 'organization_suspended',
    message: 'The organization is suspended. Only the operator of the service can resume it.',
  });

/** The 403 of a token outside of its networks. It names no address, so that a thief learns nothing. */
export const networkNotAllowed = () =>
  new ForbiddenException({
    statusCode: 403,
    code: 'network_not_allowed',
    message: 'The token may not be used from this network. An admin can change its allowedNetworks.',
  });

export const conflict = (message: string, errors?: Fault[]) =>
  new ConflictException({ statusCode: 409, code: 'conflict', message, ...(errors && { errors }) });

/** The 409 that names the field with the taken value. */
export const taken = (error: Fault) => conflict(`The ${error.field} ${error.message}.`, [error]);
