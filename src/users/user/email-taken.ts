import { ConflictException } from '@nestjs/common';
import { violates } from '../../database/errors';
import { type Fault, taken } from '../../http/fault';

export const EMAIL_TAKEN: Fault = {
  field: 'email',
  code: 'taken',
  message: 'is already used by another user of the organization',
};

/** A user without a user name has its email as user name. */
export const USER_NAME_TAKEN: Fault = {
  field: 'email',
  code: 'taken',
  message: 'is already the user name of another user of the organization',
};

/** The fault behind a violated unique constraint of `users`. */
const faultBehind = (error: unknown): Fault | undefined => {
  if (violates(error, 'users_organization_id_email_key_key')) return EMAIL_TAKEN;
  return violates(error, 'users_organization_id_user_name_key') ? USER_NAME_TAKEN : undefined;
};

/** Whether another user has the email, or the user name, that a statement was about to write. */
export const lostRace = (error: unknown): boolean => faultBehind(error) !== undefined;

/** For `.catch()` of a transaction: turns a violated unique constraint into the 409 that the caller gets. */
export function rethrowTaken(error: unknown): never {
  const fault = faultBehind(error);
  throw fault ? taken(fault) : error;
}

/** Whether the error is the 409 with this fault. */
export const isTaken = (error: unknown, fault: Fault): boolean =>
  error instanceof ConflictException && (error.getResponse() as { errors?: Fault[] }).errors?.[0] === fault;
